import { codePointLength } from '../core/text.ts';
import type { Document } from '../corpus/document.ts';
import type { LinguistAttributes } from './gitattributes.ts';

/** Why a document is left out at ingest (retrieval contract, section 1). */
export type LeftOut = 'bot' | 'short' | 'generated' | 'vendored';

/** Shortest comment that is kept, in code points after trimming. */
const MIN_COMMENT_LENGTH = 10;

/**
 * Why a document is left out; undefined for one that is kept. Comments and reviews are left out for their author or
 * their length, files and their diffs for their path. A review without words is left out whatever its verdict: of a
 * review only the body is indexed, and the verdict shows in the state of its pull request.
 */
export function leftOut(document: Document, attributes?: LinguistAttributes): LeftOut | undefined {
  switch (document.type) {
    case 'issue_comment':
    case 'pr_review':
    case 'pr_review_comment':
      if (document.author !== null && isBot(document.author)) return 'bot';
      return isShort(document.body) ? 'short' : undefined;
    case 'doc':
    case 'diff':
      return document.path === null ? undefined : leftOutPath(document.path, attributes);
    default:
      return undefined;
  }
}

/** Whether a login is that of an app: it ends in `[bot]`. */
export function isBot(login: string): boolean {
  return login.toLowerCase().endsWith('[bot]');
}

function isShort(body: string): boolean {
  return codePointLength(body.trim()) < MIN_COMMENT_LENGTH;
}

/** Whether a file is indexed as a `doc`: Markdown, or plain text that people write documentation in. */
export function isDocumentPath(path: string): boolean {
  return /\.(?:md|mdx|markdown|rst|adoc|txt)$/i.test(path);
}

/**
 * Why a file, and every diff of it, is left out by its path: a tool wrote it, or it came from elsewhere. What the
 * repository's own .gitattributes say of it wins over the lists of names, in both directions.
 */
export function leftOutPath(path: string, attributes?: LinguistAttributes): 'generated' | 'vendored' | undefined {
  const marks = attributes?.(path);
  if (marks?.generated ?? isGenerated(path)) return 'generated';
  return (marks?.vendored ?? VENDORED_DIRECTORIES.test(path)) ? 'vendored' : undefined;
}

// Names that only a tool writes. What people also write by hand (Makefile.in, *.svg, build/) is not here: a repository
// can mark it in .gitattributes, but nobody could bring back what was left out without saying so.
const LOCK_FILES = new Set(
  `package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock bun.lockb deno.lock .pnp.cjs .pnp.js
  .pnp.loader.mjs composer.lock Gemfile.lock gems.locked Berksfile.lock Cargo.lock Pipfile.lock poetry.lock pdm.lock uv.lock
  pixi.lock conda-lock.yml go.sum go.work.sum Gopkg.lock glide.lock mix.lock rebar.lock pubspec.lock Podfile.lock
  Package.resolved Cartfile.resolved packages.lock.json paket.lock project.assets.json gradle.lockfile buildscript-gradle.lockfile
  flake.lock conan.lock stack.yaml.lock cabal.project.freeze shard.lock Chart.lock .terraform.lock.hcl MODULE.bazel.lock
  buf.lock renv.lock`
    .toLowerCase()
    .split(/\s+/),
);

const GENERATED_NAMES = [
  /[.-]min\.(?:js|mjs|cjs|css)$/, // minified
  /\.(?:js|mjs|cjs|jsx|ts|tsx|css|wasm)\.map$/, // source maps
  /\.snap$/, // test snapshots
  /\.pb\.(?:go|cc|h|gw\.go)$|_pb2(?:_grpc)?\.pyi?$|_(?:grpc_)?pb\.(?:js|d\.ts|rb)$/, // protocol buffers
  /\.(?:g|freezed)\.dart$|\.designer\.cs$|\.g\.cs$/, // Dart and .NET code generators
  /[._-]generated\.[a-z]+$/,
];

const GENERATED_DIRECTORIES = /(?:^|\/)(?:__snapshots__|__generated__|__pycache__|dist)\//i;

// Directories that hold what others wrote, or what an installation put there.
const VENDORED_DIRECTORIES =
  /(?:^|\/)(?:node_modules|bower_components|jspm_packages|web_modules|vendor|vendors|vendored|third[_-]?party|3rd[_-]?party|Godeps\/_workspace|Pods|Carthage\/(?:Build|Checkouts)|site-packages|\.?venv|\.yarn\/(?:cache|plugins|releases|sdks|unplugged))\//i;

function isGenerated(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
  return (
    LOCK_FILES.has(name) || GENERATED_NAMES.some((pattern) => pattern.test(name)) || GENERATED_DIRECTORIES.test(path)
  );
}
