import { sha256Hex } from '../core/hash.ts';
import type { IdentityFields } from '../corpus/provenance.ts';

/** What a link is made of, as stored. */
export interface LinkFields extends IdentityFields {
  /** Page recorded with the document, if any. */
  readonly url: string | null;
  readonly defaultBranch: string | null;
  readonly headCommit: string | null;
}

interface Lines {
  readonly start: number;
  readonly end: number;
}

const WEB = 'https://github.com';

/** Page of a document on GitHub; for files and diffs, of the lines of its passage. */
export function permalink(fields: LinkFields, lines: Lines | null): string {
  const { repo, number, commit, tag } = fields;
  const path = fields.path ?? '';
  const recorded = webPage(fields.url);
  const thread = `${WEB}/${repo}/${fields.type === 'issue' || fields.type === 'issue_comment' ? 'issues' : 'pull'}/${String(number)}`;
  switch (fields.type) {
    case 'doc': {
      const at = fields.headCommit ?? fields.defaultBranch ?? 'HEAD';
      return `${WEB}/${repo}/blob/${segments(at)}/${segments(path)}${fileLines(path, lines)}`;
    }
    case 'diff':
      return `${WEB}/${repo}/commit/${String(commit)}#diff-${sha256Hex(path)}${diffLines(lines)}`;
    case 'wiki_doc':
      return recorded ?? `${WEB}/${repo}/wiki/${segments(path)}`;
    case 'release':
      return recorded ?? `${WEB}/${repo}/releases/tag/${segments(tag ?? '')}`;
    case 'issue_comment':
      return recorded ?? withAnchor(thread, 'issuecomment-', fields.commentId);
    case 'pr_review':
      return recorded ?? withAnchor(thread, 'pullrequestreview-', fields.reviewId);
    case 'pr_review_comment':
      return recorded ?? withAnchor(thread, 'discussion_r', fields.commentId);
    case 'issue':
    case 'pull_request':
      return recorded ?? thread;
  }
}

/** A recorded page as it may be shown: a web address without credentials, spelt as a browser would. */
function webPage(text: string | null): string | undefined {
  if (text === null || !URL.canParse(text)) return undefined;
  const { protocol, username, password, href } = new URL(text);
  return /^https?:$/.test(protocol) && username === '' && password === '' ? href : undefined;
}

function withAnchor(page: string, prefix: string, id: string | null): string {
  return id === null ? page : `${page}#${prefix}${id}`;
}

/**
 * Percent-encodes each segment of a path and keeps its slashes. A browser would follow `..` out of the repository, and
 * does so when it is encoded, too: such a segment is left empty.
 */
function segments(path: string): string {
  return path
    .split('/')
    .map((segment) => (/^\.{1,2}$/.test(segment) ? '' : encodeURIComponent(segment)))
    .join('/');
}

/** GitHub shows line numbers of rendered documents only in their plain view. */
function fileLines(path: string, lines: Lines | null): string {
  if (lines === null) return '';
  const plain = /\.(md|mdx|markdown|rst|adoc)$/i.test(path) ? '?plain=1' : '';
  const end = lines.end > lines.start ? `-L${String(lines.end)}` : '';
  return `${plain}#L${String(lines.start)}${end}`;
}

function diffLines(lines: Lines | null): string {
  if (lines === null) return '';
  const end = lines.end > lines.start ? `-R${String(lines.end)}` : '';
  return `R${String(lines.start)}${end}`;
}
