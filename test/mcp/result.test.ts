import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { Failure } from '../../src/lib/core/failure.ts';
import { stripInvisible } from '../../src/lib/core/text.ts';
import { answerResult, failureResult } from '../../src/lib/mcp/result.ts';

const INVISIBLE = '\u202e\u200b\u{e0041}\u001b';

function textOf(result: ReturnType<typeof answerResult>): unknown {
  const [first] = result.content;
  return first?.type === 'text' ? JSON.parse(first.text) : undefined;
}

test('every string of an answer loses what is invisible, at any depth; the text holds the same', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue()), (value) => {
      const hidden = JSON.parse(JSON.stringify(value), (_key, member: unknown) =>
        typeof member === 'string' ? `${INVISIBLE}${member}${INVISIBLE}` : member,
      ) as object;
      const result = answerResult(hidden);
      expect(textOf(result)).toEqual(result.structuredContent);
      expect(result.structuredContent).toEqual(
        JSON.parse(JSON.stringify(hidden), (_key, member: unknown) =>
          typeof member === 'string' ? stripInvisible(member) : member,
        ),
      );
    }),
  );
});

test('a failure is an object with code, message and hint; of anything else nothing is shown', () => {
  const failure = failureResult(new Failure('unknown_trace', 'trace: is not known', { hint: 'Search again.' }));
  const shape = { code: 'unknown_trace', message: 'trace: is not known', hint: 'Search again.' };
  expect(failure).toMatchObject({ isError: true, structuredContent: shape });
  expect(textOf(failure)).toEqual(shape);
  expect(failureResult(new Failure('not_found', 'gone')).structuredContent).toEqual({
    code: 'not_found',
    message: 'gone',
  });
  for (const error of [new Error('secret'), 'secret', new Failure('internal', 'secret'), undefined]) {
    expect(failureResult(error).structuredContent).toMatchObject({ code: 'internal' });
    expect(JSON.stringify(failureResult(error))).not.toContain('secret');
  }
});
