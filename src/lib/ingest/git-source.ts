import type { Document } from '../corpus/document.ts';
import type { GitRepository, ObjectId } from '../engine/git.ts';
import type { PathRules } from './git-rules.ts';

/** An opened git repository with what every surface needs to know of it. */
export interface GitSource {
  /** `owner/name`. */
  readonly repo: string;
  readonly head: ObjectId;
  readonly repository: GitRepository;
  readonly rules: PathRules;
  /** Changes when a shallow clone gets more or less of its history; the same for every whole clone. */
  readonly cut: string;
  readonly docs: DocKind;
}

/** What the files of a repository become: docs of a project, or pages of its wiki. */
export interface DocKind {
  readonly type: 'doc' | 'wiki_doc';
  /** Name of the surface, and of the step in progress. */
  readonly surface: string;
  readonly step: string;
  /** Path under which a file is stored; undefined for a file that is none of them. */
  pathOf(gitPath: string): string | undefined;
  titleOf(path: string): string;
}

/** A document of a repository with every field that git does not know set to nothing. */
export function gitDocument(
  fields: Pick<Document, 'repo' | 'type' | 'title' | 'body' | 'createdAt' | 'updatedAt' | 'version'> &
    Partial<Document>,
): Document {
  return {
    number: null,
    commentId: null,
    reviewId: null,
    tag: null,
    path: null,
    commit: null,
    line: null,
    inReplyTo: null,
    preface: '',
    state: null,
    labels: [],
    milestone: null,
    assignees: [],
    author: null,
    url: null,
    versionIsKnown: true,
    blob: null,
    ...fields,
  };
}
