import type { Document } from '../../src/lib/corpus/document.ts';

/** A document of the invented project acme/app; every field may be set. */
export function testDocument(fields: Partial<Document> = {}): Document {
  return {
    repo: 'acme/app',
    type: 'issue',
    number: 1,
    commentId: null,
    reviewId: null,
    tag: null,
    path: null,
    commit: null,
    line: null,
    inReplyTo: null,
    title: 'The sync stalls',
    body: 'It stalls after an hour and needs a restart.',
    preface: '',
    state: 'open',
    labels: [],
    milestone: null,
    assignees: [],
    author: 'ada',
    url: null,
    createdAt: Date.UTC(2024, 0, 1),
    updatedAt: Date.UTC(2024, 0, 2),
    version: '2024-01-02T00:00:00Z',
    versionIsKnown: true,
    blob: null,
    ...fields,
  };
}
