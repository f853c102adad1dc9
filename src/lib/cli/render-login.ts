import type { LoginOutput } from '../feedback/login.ts';
import { grouped } from './progress.ts';
import { oneLine, type Terminal } from './terminal.ts';

/** Who one is; below, what was adopted. */
export function renderLogin({ principal, login, host, adopted }: LoginOutput, { style }: Terminal): string {
  const name = login === '' ? 'a user' : style.bold(oneLine(login));
  const lines = [`You are ${name} at ${oneLine(host)}: ${principal}`];
  if (adopted !== null) {
    const { traces, receipts, sources, credits } = adopted;
    const parts = [
      `${grouped(traces)} retrievals`,
      `${grouped(receipts)} receipts`,
      `activation of ${grouped(sources)} sources`,
      `${grouped(credits)} credits`,
    ];
    lines.push(`Yours now: ${parts.join(', ')}.`);
  }
  return `${lines.join('\n')}\n`;
}
