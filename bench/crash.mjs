// Kills a running `gh-rag index` at random moments and looks what is left. Usage: node bench/crash.mjs [kills]
// Prints how many kills hit a running program; ends with 1 when one of them left anything but a sound index, or when a
// later run did not reach the content digest of an undisturbed one.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { makeExport } from './make-export.mjs';
import { makeRepository } from './make-repository.mjs';
import { seeded } from './words.mjs';

const kills = Number(process.argv[2] ?? 200);
const program = fileURLToPath(new URL('../bin/run.js', import.meta.url));
const random = seeded(5);
const folder = mkdtempSync(join(tmpdir(), 'gh-rag-crash-'));
const temporary = join(folder, 'tmp');
mkdirSync(temporary);

/** Runs the program; `killAfter` in milliseconds. Gives how it ended and what it printed. */
async function gh(args, killAfter) {
  const env = { PATH: process.env.PATH, HOME: folder, TMPDIR: temporary };
  const child = spawn(process.execPath, [program, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const pieces = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr']) child[name].setEncoding('utf8').on('data', (text) => (pieces[name] += text));
  const end = new Promise((resolve) => {
    child.once('close', (code, signal) => resolve({ code, signal, ...pieces }));
  });
  if (killAfter !== undefined) {
    await Promise.race([delay(killAfter), end]);
    child.kill('SIGKILL');
  }
  return end;
}

/** The content digest, after a check of everything that doctor checks. */
async function digestOf(db) {
  const look = async () => {
    const { stdout, stderr } = await gh(['doctor', '--json', '--db', db]);
    return { stderr, answer: JSON.parse(stdout) };
  };
  let { answer, stderr } = await look();
  // A run that was killed before it made the schema leaves that to the next program, which was this one.
  if (answer.ok === false) ({ answer, stderr } = await look());
  if (answer.ok !== true) throw new Error(`doctor is not content: ${JSON.stringify(answer)}${stderr}`);
  return answer.content_digest;
}

try {
  const repository = join(folder, 'repository');
  const exported = join(folder, 'export.jsonl');
  await makeRepository(repository, { commits: 400 });
  await makeExport(exported, { threads: 300, comments: 4, repo: 'bench/crash' });
  const index = (db) => ['index', exported, repository, '--repo', 'bench/crash', '--db', db];

  const undisturbed = join(folder, 'undisturbed.db');
  const started = performance.now();
  const { code, stderr } = await gh(index(undisturbed));
  if (code !== 0) throw new Error(`index failed: ${stderr}`);
  const duration = performance.now() - started;
  const expected = await digestOf(undisturbed);

  let done = 0;
  let hits = 0;
  let finished = 0;
  for (let at = 0; done < kills; at += 1) {
    const db = join(folder, `${at}.db`);
    for (let ended = false; !ended; ) {
      const isLast = done >= kills;
      const end = await gh(index(db), isLast ? undefined : duration * (0.1 + 0.8 * random()));
      if (!isLast) done += 1;
      if (end.signal === 'SIGKILL') hits += 1;
      else if (end.code !== 0) throw new Error(`after a kill index failed: ${end.stderr}`);
      ended = end.code === 0;
      const digest = await digestOf(db);
      if (ended && digest !== expected) throw new Error(`after a kill the digest of ${db} is another one`);
    }
    finished += 1;
    for (const suffix of ['', '-wal', '-shm']) rmSync(db + suffix, { force: true });
  }
  const ratio = ((100 * hits) / kills).toFixed(0);
  process.stdout.write(
    `${kills} kills, ${hits} of them (${ratio} %) hit a running index (an undisturbed one takes ${duration.toFixed(0)} ms); ` +
      `${finished} databases were completed afterwards, all with the digest of the undisturbed one; no damage\n`,
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}
