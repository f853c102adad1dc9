/** The block of YAML or TOML a document may start with. */
export interface FrontMatter {
  /** How many lines it takes, fences included. */
  readonly lines: number;
  /** Its `title`, where that is a scalar of one line or a folded block. */
  readonly title: string | undefined;
}

const OPENING = /^\uFEFF?(---|\+\+\+)[ \t]*\n/;
const YAML_TITLE = /^title[ \t]*:(?:[ \t]+(.*))?$/;
const TOML_TITLE = /^title[ \t]*=[ \t]*(?:"((?:[^"\\]|\\.)*)"|'([^']*)')/;

/** Reads the front matter of a document: fences of `---` (YAML) or `+++` (TOML) from its first line on. */
export function frontMatterOf(text: string): FrontMatter | undefined {
  const fence = OPENING.exec(text)?.[1];
  if (fence === undefined) return undefined;
  const content: string[] = [];
  for (let at = text.indexOf('\n') + 1; at < text.length; ) {
    const newline = text.indexOf('\n', at);
    const end = newline < 0 ? text.length : newline;
    const line = text.slice(at, end);
    if (line.startsWith(fence) && line.slice(fence.length).trim() === '') {
      return { lines: content.length + 2, title: fence === '---' ? yamlTitle(content) : tomlTitle(content) };
    }
    content.push(line);
    at = end + 1;
  }
  return undefined;
}

function yamlTitle(lines: readonly string[]): string | undefined {
  const at = lines.findIndex((line) => YAML_TITLE.test(line));
  if (at < 0) return undefined;
  const value = (YAML_TITLE.exec(lines[at] ?? '')?.[1] ?? '').trim();
  if (/^[|>][+-]?\d?$/.test(value)) return filled(lines[at + 1] ?? '');
  const quoted = /^(?:"((?:[^"\\]|\\.)*)"|'((?:[^']|'')*)')/.exec(value);
  if (quoted !== null) return filled(quoted[1] === undefined ? quoted[2]?.replaceAll("''", "'") : unescape(quoted[1]));
  return filled(value.replace(/(?:^|[ \t])#.*$/, ''));
}

function tomlTitle(lines: readonly string[]): string | undefined {
  for (const line of lines) {
    if (line.startsWith('[')) return undefined;
    const title = TOML_TITLE.exec(line);
    if (title !== null) return filled(title[1] === undefined ? title[2] : unescape(title[1]));
  }
  return undefined;
}

function unescape(quoted: string): string {
  return quoted.replace(/\\(.)/g, (_, character: string) => (/[ntr]/.test(character) ? ' ' : character));
}

function filled(text: string | undefined): string | undefined {
  const title = text?.replace(/\s+/g, ' ').trim();
  return title === '' ? undefined : title;
}
