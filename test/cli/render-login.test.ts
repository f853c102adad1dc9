import { expect, it } from 'vitest';
import { testDatabase } from '../support/database.ts';
import { testEngine } from '../support/engine.ts';
import { adoptHint, memoryNotes } from '../../src/lib/cli/memory-notes.ts';
import { renderLogin } from '../../src/lib/cli/render-login.ts';
import { terminalOf } from '../../src/lib/cli/terminal.ts';
import { readEnvironment } from '../../src/lib/adapters/config.ts';

const piped = terminalOf(readEnvironment({}), { isTTY: false, columns: undefined });
const user = { principal: 'github:7', login: 'ada', host: 'github.com', adopted: null, local_traces: 0 };

it('a login says who one is, and what became hers', () => {
  expect(renderLogin(user, piped)).toBe('You are ada at github.com: github:7\n');
  const adopted = { traces: 1200, receipts: 3, credits: 2, sources: 40 };
  expect(renderLogin({ ...user, login: '', adopted }, piped)).toBe(
    'You are a user at github.com: github:7\nYours now: 1,200 retrievals, 3 receipts, activation of 40 sources, 2 credits.\n',
  );
});

it('what could be adopted is named with the command that does it', () => {
  expect(adoptHint(0)).toBeUndefined();
  expect(adoptHint(1)).toMatch(/^One retrieval of this file belongs .*gh-rag login --adopt-local/);
  expect(adoptHint(1200)).toMatch(/^1,200 retrievals of this file belong /);
});

it('a token that was not verified is told, with the memory that was used instead', async () => {
  const test = testDatabase({ backend: 'local' });
  const notes = (parts: Parameters<typeof testEngine>[1]) => memoryNotes(testEngine(test, parts));
  try {
    expect(await notes({})).toEqual([]);
    expect(await notes({ principalProblem: 'github.com refuses the token' })).toEqual([
      "Your token was not verified (github.com refuses the token): this is the memory of the file's local user.",
    ]);
    expect(await notes({ principal: { kind: 'github', userId: 7 } })).toEqual([]);
  } finally {
    await test.remove();
  }
});
