import { openLocal } from '../../../src/lib/adapters/libsql/open.ts';
import { change } from '../../../src/lib/engine/database.ts';

// Child of local.test.ts: writes rows one by one with a short busy timeout and says which were acknowledged.
const [, , file = '', migrations = '', name = '', count = '0'] = process.argv;
const { database } = openLocal({ file, migrations, clock: { now: () => 0 }, busyTimeoutMs: 50 });
const acknowledged: string[] = [];
for (let i = 0; i < Number(count); i += 1) {
  const slug = `${name}/r${String(i)}`;
  for (;;) {
    try {
      const outcome = await database.write([change('INSERT INTO repos (slug) VALUES (?)', [slug])]);
      if (outcome.applied) acknowledged.push(slug);
      break;
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'database_busy')) throw error;
    }
  }
}
await database.close();
process.stdout.write(JSON.stringify(acknowledged));
