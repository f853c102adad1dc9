import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { testBackend } from '../support/database.ts';
import { comment, doc, issue } from '../support/project.ts';
import { type Caller, freshKey, github, MemoryWorld, refusal, sourcesOf } from './memory.ts';

/** What the memory does not keep and messages do not say: feedback contract, sections 2, 3 and 10. */

const TITLE = 'canarytitle';
const BODY = 'canarybody';
const HEADING = 'canaryheading';

let world: MemoryWorld;
let ada: Caller;
beforeEach(async () => {
  world = await MemoryWorld.of([
    issue(1, { title: TITLE, body: `The kettle leaks, ${BODY}. See #2.` }),
    issue(2, { title: TITLE, body: `${BODY}.` }),
    comment(1, '345', { body: `The kettle again, ${BODY}.` }),
    doc('docs/a.md', { title: HEADING, body: `# ${HEADING}\n\nThe kettle, ${BODY}.` }),
  ]);
  ada = world.as(github(1));
});
afterEach(() => world.remove());

it('no title, heading or body of a document reaches the memory, by any kind of retrieval or mutation', async () => {
  const answer = await ada.retrieve({ query: 'kettle', graph_expand: true, include_content: true });
  expect(JSON.stringify(answer)).toMatch(new RegExp(`${TITLE}.*${BODY}`, 's'));
  await ada.retrieve({ sources: ['acme/app#1', 'acme/app:docs/a.md'] });
  await ada.retrieve({ since: '9y', include_content: true });
  const two = sourcesOf(answer)('acme/app#2');
  await ada.useFully(answer.trace_id, two);
  await ada.reverse(await ada.confirm(answer.trace_id, [two]));
  const saved = await world.dump();
  for (const canary of [TITLE, BODY, HEADING]) expect(saved).not.toContain(canary);
  // What is kept is what the contract names.
  expect(saved).toContain('kettle');
  expect(saved).toContain('docs/a.md');
});

describe('a message names the field and the rule, and never', () => {
  const CANARIES = [
    'canaryQuery',
    'trc_canaryTrace',
    'src_canarySource',
    'rcp_canaryConfirmation',
    'canaryKey',
    'canaryReason',
  ];
  const [QUERY = '', TRACE = '', SOURCE = '', CONFIRMATION = '', KEY = '', REASON = ''] = CANARIES;
  const use = { trace_id: TRACE, idempotency_key: KEY, uses: [{ source_id: SOURCE, stage: 'selected' as const }] };
  const confirm = { trace_id: TRACE, idempotency_key: KEY, outcome: 'confirmed', source_ids: [SOURCE], reason: REASON };
  const reverse = {
    trace_id: TRACE,
    idempotency_key: KEY,
    outcome: 'corrected',
    confirmation_id: CONFIRMATION,
    reason: REASON,
  };
  const long = (text: string): string => text.repeat(500);

  it('what was sent, in calls that are refused', async () => {
    const answer = await ada.retrieve({ query: 'kettle' });
    const mine = String(answer.results[0]?.source_id);
    const { trace_id } = answer;
    const used = await ada.use({
      trace_id,
      idempotency_key: `${KEY}Taken`,
      uses: [{ source_id: mine, stage: 'selected' }],
    });
    const calls: [string, () => Promise<unknown>][] = [
      ['unknown_trace', () => ada.use(use)],
      ['unknown_trace', () => ada.outcome(confirm)],
      ['unknown_trace', () => ada.outcome(reverse)],
      ['unknown_trace', () => ada.history({ trace_id: TRACE })],
      ['unknown_source', () => ada.use({ ...use, trace_id })],
      ['unknown_source', () => ada.outcome({ ...confirm, trace_id })],
      ['unknown_source', () => ada.search({ sources: [`src_${'canaryQuery'.padEnd(43, 'x')}`] })],
      ['unknown_confirmation', () => ada.outcome({ ...reverse, trace_id })],
      ['unknown_confirmation', () => ada.outcome({ ...reverse, trace_id, confirmation_id: used.receipt_id })],
      ['stage_order', () => ada.use({ ...use, trace_id, uses: [{ source_id: mine, stage: 'used' }] })],
      ['not_used', () => ada.outcome({ ...confirm, trace_id, source_ids: [mine] })],
      ['idempotency_conflict', () => ada.use({ ...use, idempotency_key: `${KEY}Taken` })],
      ['invalid_cursor', () => ada.history({ cursor: 'canaryKeycanaryKeycanaryKeycanar' })],
      ['invalid_cursor', () => ada.history({ cursor: KEY })],
      ['invalid_input', () => ada.use({ ...use, idempotency_key: `${KEY} ${KEY}` })],
      ['invalid_input', () => ada.use({ ...use, idempotency_key: long(KEY) })],
      ['invalid_input', () => ada.use({ ...use, trace_id: long(TRACE) })],
      ['invalid_input', () => ada.use({ ...use, uses: [{ source_id: long(SOURCE), stage: 'selected' }] })],
      ['invalid_input', () => ada.outcome({ ...confirm, source_ids: [SOURCE, SOURCE] })],
      ['invalid_input', () => ada.outcome({ ...confirm, confirmation_id: CONFIRMATION })],
      ['invalid_input', () => ada.outcome({ ...reverse, source_ids: [SOURCE] })],
      ['invalid_input', () => ada.outcome({ ...reverse, reason: long(REASON) })],
      ['invalid_input', () => ada.outcome({ ...reverse, outcome: REASON })],
      ['invalid_input', () => ada.history({ trace_id: long(TRACE) })],
      ['invalid_input', () => ada.history({ cursor: long(KEY) })],
      ['invalid_input', () => ada.search({ query: long(QUERY) })],
      ['invalid_input', () => ada.search({ query: QUERY, top_k: 99 })],
    ];
    for (const [code, call] of calls) {
      const refused = await refusal(call());
      expect(refused.code).toBe(code);
      const said = `${refused.message}\n${String(refused.hint)}`;
      for (const secret of [...CANARIES, mine, trace_id, used.receipt_id]) expect(said).not.toContain(secret);
      expect(refused.message).toMatch(/^[a-z_]+(\[\d+\])?(\.[a-z_]+)?: [^\n]+$/);
    }
  });
});

// Only a local file can be told to refuse writes.
it.skipIf(testBackend() !== 'local')('what fails for the database says nothing of the call either', async () => {
  const { trace_id, results } = await ada.retrieve({ query: 'canaryQuery kettle' });
  await world.rows('PRAGMA query_only = ON');
  const uses = [{ source_id: String(results[0]?.source_id), stage: 'selected' as const }];
  const idempotency_key = `canaryKey-${freshKey()}`;
  const refused = await refusal(ada.use({ trace_id, idempotency_key, uses }));
  const said = JSON.stringify(refused);
  for (const secret of ['canary', trace_id, String(results[0]?.source_id)]) expect(said).not.toContain(secret);
  expect(refused.code).toBe('database_unavailable');
});
