import * as z from 'zod';
import { defineOperation } from '../operation/operation.ts';

const migration = z.object({
  version: z.int(),
  name: z.string(),
  state: z
    .enum(['applied', 'pending', 'changed', 'unknown'])
    .describe('changed: applied with another text than this program ships; unknown: from a newer program.'),
  applied_at: z.string().nullable(),
});

export const migrate = defineOperation({
  name: 'migrate',
  title: 'Migrate the database',
  description: 'Applies the schema migrations that a database lacks, each in one transaction.',
  input: z.strictObject({
    list: z.boolean().default(false).describe('Only list the migrations and their state; changes nothing.'),
  }),
  output: z.object({ applied: z.array(z.int()), migrations: z.array(migration) }),
  effect: 'repair',
  openWorld: false,
  faces: ['cli'],
  async handler(engine, input) {
    const applied = input.list ? [] : (await engine.schema.apply()).map((each) => each.version);
    return { applied, migrations: await engine.schema.list() };
  },
});
