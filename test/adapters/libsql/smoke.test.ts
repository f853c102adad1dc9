import process from 'node:process';
import { expect, test } from 'vitest';
import { systemClock } from '../../../src/lib/adapters/clock.ts';
import { databaseLocation } from '../../../src/lib/adapters/database-location.ts';
import { openRemote } from '../../../src/lib/adapters/libsql/open-remote.ts';
import { doctor } from '../../../src/lib/admin/doctor.ts';
import { recordSourceUse } from '../../../src/lib/feedback/source-use.ts';
import { invoke } from '../../../src/lib/operation/invoke.ts';
import { index } from '../../../src/lib/operations.ts';
import { search } from '../../../src/lib/retrieval/search.ts';
import { EXAMPLE } from '../../e2e/sandbox.ts';
import { MIGRATIONS, TestClock } from '../../support/database.ts';
import { testEngine } from '../../support/engine.ts';

/**
 * The daily loop on a real server: GH_RAG_SMOKE_URL names a database that may be filled (it is never emptied),
 * GH_RAG_SMOKE_TOKEN its token. Skipped without.
 */

const { GH_RAG_SMOKE_URL: url, GH_RAG_SMOKE_TOKEN: token } = process.env;

test.skipIf(url === undefined)(
  'index, search and use on the server of GH_RAG_SMOKE_URL (skipped where that is not set)',
  { timeout: 120_000 },
  async () => {
    const location = databaseLocation(url ?? '', 'GH_RAG_SMOKE_URL');
    if (location.kind !== 'server') throw new Error('GH_RAG_SMOKE_URL must be the URL of a server');
    const { database, schema } = openRemote({
      server: { ...location, token },
      migrations: MIGRATIONS,
      clock: systemClock,
    });
    const test = { file: '', database, schema, clock: new TestClock(), remove: () => database.close() };
    const engine = testEngine(test, { clock: systemClock, principal: { kind: 'github', userId: 1 } });
    try {
      await schema.apply();
      await invoke(index, engine, { targets: [EXAMPLE] });
      const { results, trace_id = '' } = await invoke(search, engine, {
        query: 'drop the v1 cache',
        repo: ['acme/app'],
      });
      const [first] = results;
      expect(first?.repo).toBe('acme/app');
      const use = {
        trace_id,
        idempotency_key: `smoke-${trace_id}`,
        uses: [{ source_id: first?.source_id, stage: 'selected' }],
      };
      const receipt = await invoke(recordSourceUse, engine, use);
      expect(await invoke(recordSourceUse, engine, use)).toEqual(receipt);
      const { checks } = await invoke(doctor, engine, {});
      expect(checks.filter((check) => !check.ok)).toEqual([]);
    } finally {
      await database.close();
    }
  },
);
