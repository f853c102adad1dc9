import ignore, { type Ignore } from 'ignore';

/** A .gitattributes file of a repository. */
export interface AttributesFile {
  /** Path in the repository, e.g. `docs/.gitattributes`. */
  readonly path: string;
  readonly text: string;
}

/** What a repository says of a path for GitHub's linguist; undefined where it says nothing. */
export interface LinguistMarks {
  readonly generated: boolean | undefined;
  readonly vendored: boolean | undefined;
}

/** Looks a path of the repository up. */
export type LinguistAttributes = (path: string) => LinguistMarks;

type Mark = 'true' | 'false' | 'unspecified';
type Name = keyof LinguistMarks;

interface Rules {
  /** Directory with a slash at its end; empty for the root. */
  readonly directory: string;
  readonly generated: Ignore;
  readonly vendored: Ignore;
}

/**
 * Reads the linguist-generated and linguist-vendored attributes of .gitattributes files: in a file the last matching
 * pattern decides, between files the one nearest to the path. `attr`, `attr=true`, `-attr`, `attr=false` and `!attr` are
 * understood; macros (`[attr]`) are not. A pattern that git would refuse is passed over.
 */
export function linguistAttributes(files: Iterable<AttributesFile>): LinguistAttributes {
  const deepestFirst = [...files]
    .map(({ path, text }) => readRules(path.slice(0, path.lastIndexOf('/') + 1), text))
    .sort((a, b) => b.directory.length - a.directory.length);
  const lookUp = (path: string, name: Name): boolean | undefined => {
    for (const rules of deepestFirst) {
      if (!path.startsWith(rules.directory) || path.length === rules.directory.length) continue;
      const mark = rules[name].test(path.slice(rules.directory.length) + END).rule?.mark;
      if (mark !== undefined) return mark === 'unspecified' ? undefined : mark === 'true';
    }
    return undefined;
  };
  return (path) =>
    ignore.isPathValid(path)
      ? { generated: lookUp(path, 'generated'), vendored: lookUp(path, 'vendored') }
      : { generated: undefined, vendored: undefined };
}

// The package matches as .gitignore does, where a pattern that matches a directory covers what is in it. An attribute's
// pattern covers only the path it matches. So every pattern and every path get this mark at their end: no directory
// has it, and only whole paths match.
const END = '\u0001';
const MAX_PATTERN_LENGTH = 1000;
// Each `**` multiplies the ways to lay out a path: more than a few are an attack, not a rule.
const MAX_DOUBLE_STARS = 4;

function readRules(directory: string, text: string): Rules {
  const rules: Rules = { directory, generated: emptyRules(), vendored: emptyRules() };
  for (const line of text.replace(/^\uFEFF/, '').split(/\r?\n/)) {
    if (!line.includes('linguist-')) continue;
    const parsed = splitLine(line);
    const pattern = parsed && wholePathPattern(parsed.pattern);
    if (parsed === undefined || pattern === undefined) continue;
    for (const attribute of parsed.attributes) {
      const found = readAttribute(attribute);
      if (found !== undefined) rules[found.name].add({ pattern, mark: found.mark });
    }
  }
  return rules;
}

function emptyRules(): Ignore {
  return ignore({ ignorecase: false });
}

function splitLine(line: string): { pattern: string; attributes: string[] } | undefined {
  const match = /^[ \t]*(?:"((?:[^"\\]|\\.)*)"|([^ \t"][^ \t]*))[ \t]+(.*)$/.exec(line);
  if (match === null) return undefined;
  const [, quoted, plain = '', attributes = ''] = match;
  return {
    pattern: quoted === undefined ? plain : quoted.replace(/\\(["\\])/g, '$1'),
    attributes: attributes.split(/[ \t]+/),
  };
}

function wholePathPattern(pattern: string): string | undefined {
  if (/^[#!]|^\[attr\]|\/$/.test(pattern) || pattern.length > MAX_PATTERN_LENGTH) return undefined;
  if ((pattern.match(/\*\*/g)?.length ?? 0) > MAX_DOUBLE_STARS) return undefined;
  const whole = pattern.endsWith('/**') ? `${pattern}/*${END}` : `${pattern}${END}`;
  try {
    emptyRules().add(whole).ignores('probe');
    return whole;
  } catch {
    return undefined;
  }
}

function readAttribute(attribute: string): { name: Name; mark: Mark } | undefined {
  const match = /^([-!]?)linguist-(generated|vendored)(?:=(.*))?$/.exec(attribute);
  if (match === null) return undefined;
  const [, sign, name, value] = match;
  const mark = sign === '!' ? 'unspecified' : sign === '-' || value?.toLowerCase() === 'false' ? 'false' : 'true';
  return { name: name === 'generated' ? 'generated' : 'vendored', mark };
}
