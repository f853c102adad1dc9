import { DOCUMENT_TYPE_NAMES, DOCUMENT_TYPES } from '../corpus/document-types.ts';

const typesOf = (tokenizer: 'nat' | 'code'): string =>
  DOCUMENT_TYPE_NAMES.filter((name) => DOCUMENT_TYPES[name].tokenizer === tokenizer)
    .map((name) => `'${name}'`)
    .join(', ');
const unsearchable = (table: string, types: string): string =>
  `passages p JOIN documents d ON d.id = p.document_id WHERE d.type IN (${types}) AND p.id NOT IN (SELECT id FROM ${table}_docsize)`;
const orphaned = (table: string): string => `${table}_docsize WHERE id NOT IN (SELECT id FROM passages)`;

/** Each rule counts rows of damage; it is the text behind FROM. */
export type Rules = readonly (readonly [name: string, from: string])[];

/** Everything of the corpus that says the same thing twice must agree. */
export const CORPUS_RULES: Rules = [
  ['documents without a body', 'documents WHERE id NOT IN (SELECT document_id FROM bodies)'],
  ['documents with damaged lists', 'documents WHERE NOT (json_valid(labels) AND json_valid(assignees))'],
];

/** The same of what is made from the bodies, and can be made again. */
export const SEARCH_RULES: Rules = [
  ['bodies without a document', 'bodies WHERE document_id NOT IN (SELECT id FROM documents)'],
  ['documents without a passage', 'documents WHERE id NOT IN (SELECT document_id FROM passages)'],
  ['passages without a document', 'passages WHERE document_id NOT IN (SELECT id FROM documents)'],
  ['prose passages that are not searchable', unsearchable('passages_nat', typesOf('nat'))],
  ['code passages that are not searchable', unsearchable('passages_code', typesOf('code'))],
  ['prose entries without a passage', orphaned('passages_nat')],
  ['code entries without a passage', orphaned('passages_code')],
  [
    'passages beyond their body',
    'passages p JOIN bodies b ON b.document_id = p.document_id WHERE p.start + p.length > length(b.body)',
  ],
  ['vectors without a passage', 'passage_vectors WHERE passage_id NOT IN (SELECT id FROM passages)'],
  [
    'vectors without a signature',
    'passage_vectors v LEFT JOIN passage_signatures s USING (embedder_id, passage_id) WHERE s.passage_id IS NULL',
  ],
  [
    'signatures without a vector',
    'passage_signatures s LEFT JOIN passage_vectors v USING (embedder_id, passage_id) WHERE v.passage_id IS NULL',
  ],
];
