import type { DbCopyOutput } from '../admin/db-copy-contract.ts';
import { oneLine, type Terminal } from './terminal.ts';

/** Each table with its rows and the beginning of its digest, and what that proves. */
export function renderDbCopy({ source, target, resumed, tables, digest }: DbCopyOutput, { style }: Terminal): string {
  const rows = tables.map(
    ({ table, rows, sha256 }) => `${table.padEnd(16)}${String(rows).padStart(10)}  ${style.dim(sha256.slice(0, 16))}`,
  );
  return `${[
    `${style.dim('from')} ${oneLine(source)}`,
    `${style.dim('to  ')} ${oneLine(target)}${resumed ? style.dim(' (went on with an earlier copy)') : ''}`,
    ...rows,
    style.dim(`digest ${digest}`),
    'Copied and verified: both sides are equal.',
  ].join('\n')}\n`;
}
