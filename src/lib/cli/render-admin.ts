import { COPY_SOURCE } from '../admin/copied-tables.ts';
import type { StatusOutput } from '../admin/status.ts';
import { parseTime } from '../core/time.ts';
import { UNFINISHED_COPY } from './copy-note.ts';
import { grouped } from './progress.ts';
import { NOTHING_INDEXED } from './search-notes.ts';
import { staleNote } from './stale-note.ts';
import { oneLine, relativeAge, type Terminal } from './terminal.ts';

/** The database and each repository in it. */
export function renderStatus(status: StatusOutput, { style }: Terminal, now: number): string {
  const { database } = status;
  const age = (time: string | null): string => {
    const ms = time === null ? undefined : parseTime(time);
    return ms === undefined ? 'never' : relativeAge(ms, now);
  };
  const lines = [
    `${style.dim('database')}  ${oneLine(database.location)} ${style.dim(`(${database.backend}, schema ${String(database.schema_version)})`)}`,
    `${style.dim('principal')} ${status.principal ?? nobody(status)}`,
    `${style.dim('embedder')}  ${embedderLine(status)}`,
    `${style.dim('content')}   ${String(status.documents)} documents, ${String(status.passages)} passages`,
  ];
  if (status.github !== undefined) {
    const { host, remaining, limit, resets_at } = status.github;
    const all = parseTime(resets_at) ?? 0;
    const left = all <= now ? limit : remaining;
    lines.push(`${style.dim('requests')}  ${grouped(left)} of ${grouped(limit)} left at ${oneLine(host)}`);
  }
  if (database.stale_since !== undefined) {
    const since = database.stale_since === null ? null : (parseTime(database.stale_since) ?? null);
    lines.splice(1, 0, style.warning(`          ${staleNote(since, now)}`));
  }
  if (status.watermarks.some(isCopy)) lines.push('', style.warning(UNFINISHED_COPY));
  for (const repo of status.repos) {
    lines.push('', `${style.repo(repo.repo)} ${style.dim(`indexed ${age(repo.index_updated_at)}`)}`);
    for (const [type, count] of Object.entries(repo.documents)) {
      lines.push(`  ${type.padEnd(18)}${String(count).padStart(8)}`);
    }
  }
  for (const mark of status.watermarks.filter((each) => !each.complete && !isCopy(each))) {
    lines.push('', style.warning(`unfinished: ${mark.surface} of ${mark.source}, ${age(mark.updated_at)}`));
  }
  if (status.repos.length === 0) lines.push('', NOTHING_INDEXED);
  return `${lines.join('\n')}\n`;
}

function isCopy({ source }: { source: string }): boolean {
  return source === COPY_SOURCE;
}

function nobody({ principal_problem: problem }: StatusOutput): string {
  return `none: nothing is remembered${problem === undefined ? '' : ` (${oneLine(problem)})`}`;
}

function embedderLine({ embedder, embedder_problem: problem, embedded, passages }: StatusOutput): string {
  if (embedder === null) return `none: search is lexical${problem === undefined ? '' : ` (${oneLine(problem)})`}`;
  const missing = passages - embedded;
  const rest = missing > 0 ? `; ${grouped(missing)} are not: gh-rag backfill embeddings` : '';
  return `${oneLine(embedder)}, ${grouped(embedded)} passages embedded${rest}`;
}

interface DoctorAnswer {
  readonly ok: boolean;
  readonly checks: readonly {
    readonly name: string;
    readonly ok: boolean;
    readonly found: string;
    readonly advice?: string | undefined;
  }[];
  readonly content_digest: string;
}

/** Every check on a line; below what is wrong, what to do. */
export function renderDoctor({ ok, checks, content_digest }: DoctorAnswer, { style }: Terminal): string {
  const lines = checks.flatMap((check) => [
    `${check.ok ? style.open('ok  ') : style.error('bad ')} ${check.name}: ${oneLine(check.found)}`,
    ...(check.advice === undefined ? [] : [`     ${check.advice}`]),
  ]);
  lines.push(style.dim(`content digest ${content_digest}`), ok ? 'Everything is in order.' : 'Something needs care.');
  return `${lines.join('\n')}\n`;
}

interface MigrateAnswer {
  readonly applied: readonly number[];
  readonly migrations: readonly {
    readonly version: number;
    readonly name: string;
    readonly state: string;
    readonly applied_at: string | null;
  }[];
}

/** The migrations as a table, and what this call applied. */
export function renderMigrations({ applied, migrations }: MigrateAnswer, list: boolean, { style }: Terminal): string {
  const lines = migrations.map(({ version, name, state, applied_at }) => {
    const paint = state === 'applied' ? style.open : style.warning;
    return `${String(version).padStart(4, '0')}  ${paint(state.padEnd(8))}  ${oneLine(name).padEnd(24)}  ${style.dim(applied_at ?? '')}`.trimEnd();
  });
  if (!list) lines.push(applied.length === 0 ? 'Nothing to do.' : `Applied ${applied.map(String).join(', ')}.`);
  return `${lines.join('\n')}\n`;
}

interface DriftAnswer {
  readonly drift: boolean;
  readonly written: readonly string[];
  readonly checked: readonly { readonly where: string; readonly fields: number }[];
  readonly differences: readonly {
    readonly where: string;
    readonly path: string;
    readonly expected: string | null;
    readonly found: string | null;
  }[];
}

/** What was compared, and a block for each difference. */
export function renderDrift({ written, checked, differences }: DriftAnswer, { style }: Terminal): string {
  const lines = [
    ...written.map((name) => `wrote ${name}`),
    ...checked.map(({ where, fields }) => `${where}: ${String(fields)} values compared`),
    ...differences.flatMap(({ where, path, expected, found }) => [
      '',
      `${style.bold(where)} ${path}`,
      `  ${style.dim('expected')} ${expected === null ? 'nothing' : oneLine(expected)}`,
      `  ${style.dim('found   ')} ${found === null ? 'nothing' : oneLine(found)}`,
    ]),
    ...(differences.length === 0 ? ['No drift.'] : []),
  ];
  return `${lines.join('\n')}\n`;
}
