import { readFileSync } from 'node:fs';
import { systemClock } from '../../src/lib/adapters/clock.ts';
import { openLocal } from '../../src/lib/adapters/libsql/open.ts';
import { openRemote } from '../../src/lib/adapters/libsql/open-remote.ts';
import type { RemoteServer } from '../../src/lib/adapters/libsql/remote.ts';
import { toFailure } from '../../src/lib/core/failure.ts';
import { recordOutcome } from '../../src/lib/feedback/outcome.ts';
import { recordSourceUse } from '../../src/lib/feedback/source-use.ts';
import { invoke } from '../../src/lib/operation/invoke.ts';
import { TestClock } from '../support/database.ts';
import { testEngine } from '../support/engine.ts';
import { type Chain, nextCall } from './chains.ts';

/**
 * A program of its own that works through chains of mutations, in an order of its own, and prints a line for each receipt
 * as soon as it has it: `node caller-process <plan file> <seed> [<calls>]`. After so many calls it waits for its end.
 */

interface Plan {
  readonly file: string;
  /** Instead of the file. */
  readonly server?: Omit<RemoteServer, 'timeoutMs'>;
  readonly migrations: string;
  readonly userId: number;
  readonly chains: readonly Chain[];
}

const [planFile = '', seed = '1', calls] = process.argv.slice(2);
const { file, server, migrations, userId, chains } = JSON.parse(readFileSync(planFile, 'utf8')) as Plan;
const { database, schema } =
  server === undefined
    ? openLocal({ file, migrations, clock: systemClock, busyTimeoutMs: 60_000 })
    : openRemote({ server, migrations, clock: systemClock, timeoutMs: 60_000 });
const engine = testEngine(
  { file, database, schema, clock: new TestClock(), remove: () => database.close() },
  { clock: systemClock, principal: { kind: 'github', userId } },
);

/** A small generator of numbers, so that a run can be repeated. */
let state = Number(seed) * 2_654_435_761;
const random = (below: number): number => {
  state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
  return Math.floor((state / 2_147_483_648) * below);
};

let left = calls === undefined ? Number.POSITIVE_INFINITY : Number(calls);
const open = chains.map((chain) => ({ chain, receipts: [] as { receipt_id: string }[] }));
try {
  while (open.length > 0) {
    const at = random(open.length);
    const progress = open[at];
    const call = progress === undefined ? undefined : nextCall(progress.chain, progress.receipts);
    if (progress === undefined || call === undefined) {
      open.splice(at, 1);
      continue;
    }
    const receipt = await ('uses' in call
      ? invoke(recordSourceUse, engine, call)
      : invoke(recordOutcome, engine, call));
    progress.receipts.push(receipt);
    process.stdout.write(`${JSON.stringify({ key: call.idempotency_key, receipt })}\n`);
    left -= 1;
    if (left === 0) await new Promise((resolve) => process.stdin.once('data', resolve));
  }
} catch (error) {
  process.stderr.write(`${toFailure(error).code}: ${toFailure(error).message}\n`);
  process.exitCode = 1;
}
await database.close();
