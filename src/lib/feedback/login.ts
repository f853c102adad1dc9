import * as z from 'zod';
import { Failure } from '../core/failure.ts';
import type { Engine } from '../engine/engine.ts';
import { githubName } from '../engine/principal.ts';
import { defineOperation } from '../operation/operation.ts';
import { adoptLocalMemory, localMemoryQuery } from './adoption.ts';

const memory = z.object({ traces: z.int(), receipts: z.int(), credits: z.int(), sources: z.int() });

const loginOutput = z.object({
  principal: z.string().describe('Whose feedback memory this is from now on.'),
  login: z.string().describe('The name that the user goes by now.'),
  host: z.string(),
  adopted: memory.nullable().describe('What was adopted by this call; null: nothing was to be.'),
  local_traces: z.int().describe('Retrievals that still belong to the local user of the file.'),
});
export type LoginOutput = z.output<typeof loginOutput>;

export const login = defineOperation({
  name: 'login',
  title: 'Say who you are',
  description:
    'Asks GitHub now whose the token is and keeps the answer, so that it is known without GitHub from then on. The feedback memory is that of this user.',
  input: z.strictObject({
    adopt_local: z
      .boolean()
      .default(false)
      .describe('Make the memory yours that the local user of this database file gathered without a token.'),
  }),
  output: loginOutput,
  effect: 'apply',
  openWorld: true,
  faces: ['cli'],
  async handler(engine, { adopt_local }): Promise<LoginOutput> {
    const { database, identity, signal } = engine;
    if (identity === undefined) throw new Failure('credential_required', 'nobody can be verified here');
    if (adopt_local && database.backend !== 'local') {
      throw new Failure('invalid_input', 'adopt_local: only a database file of this machine has a local user', {
        hint: 'Name the file by --db; gh-rag db copy takes a file with its memory to a server.',
      });
    }
    const user = await identity.verify(signal);
    const adopted = adopt_local ? await adoptLocalMemory(engine, user.principal) : null;
    return {
      principal: githubName(user.principal),
      login: user.login,
      host: user.host,
      adopted,
      local_traces: database.backend === 'local' ? await localTraces(engine) : 0,
    };
  },
});

/** Retrievals of the local user of a file. One round trip. */
export async function localTraces(engine: Engine): Promise<number> {
  const [[found]] = await engine.database.read([localMemoryQuery()]);
  return found?.traces ?? 0;
}
