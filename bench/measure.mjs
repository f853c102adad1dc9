import { spawn, spawnSync } from 'node:child_process';
import { performance } from 'node:perf_hooks';
import process from 'node:process';

/** The environment of a measured process: certificates that Node would load at each start are left out. */
export function cleanEnvironment(more = {}) {
  const environment = { ...process.env, ...more };
  delete environment.NODE_EXTRA_CA_CERTS;
  return environment;
}

/** The value below which a share of the samples lies. */
export function percentile(samples, share) {
  const sorted = [...samples].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}

export const median = (samples) => percentile(samples, 0.5);

/** Wall milliseconds of a command that must succeed. */
export function timed(command, args, env) {
  const start = performance.now();
  const { status, stderr } = spawnSync(command, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
  const ms = performance.now() - start;
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}: ${stderr}`);
  return ms;
}

/** Runs two commands in turns, so that both see the same noise; gives the samples of each. */
export function inTurns(rounds, a, b) {
  const samples = [[], []];
  for (let i = 0; i < rounds; i += 1) {
    samples[0].push(a());
    samples[1].push(b());
  }
  return samples;
}

/** Runs a command to its end and gives wall milliseconds and the peak of its resident memory in MB (by /proc, polled). */
export async function withPeakMemory(command, args, env) {
  const start = performance.now();
  const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  child.stdout.on('data', (chunk) => (output += chunk));
  child.stderr.on('data', () => undefined);
  let peak = 0;
  const timer = setInterval(async () => {
    const { readFile } = await import('node:fs/promises');
    const status = await readFile(`/proc/${child.pid}/status`, 'utf8').catch(() => '');
    peak = Math.max(peak, Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
  }, 20);
  const code = await new Promise((resolve) => child.once('close', resolve));
  clearInterval(timer);
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}`);
  return { ms: performance.now() - start, peak, output };
}

export const round = (value, digits = 0) => Number(value.toFixed(digits));
