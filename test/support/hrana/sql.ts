/** What a statement does, as the server sorts them: it refuses some kinds, and some need the writer's place. */
export type StatementKind = 'begin' | 'end' | 'savepoint' | 'read' | 'write' | 'pragma' | 'unsupported';

export interface SqlStatement {
  readonly sql: string;
  readonly kind: StatementKind;
  /** INSERT, UPDATE or DELETE: it has a number of affected rows. */
  readonly changes: boolean;
  readonly inserts: boolean;
  /** Parameters by their place; null for one without a name. */
  readonly parameters: readonly (string | null)[];
  readonly explains: boolean;
}

const TOKEN =
  /\s+|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|'[^']*'?|"[^"]*"?|`[^`]*`?|\[[^\]]*\]?|\?\d*|[:@$]\w+|[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*|[\s\S]/gy;
const BLANK = /^(?:\s|--|\/\*)/;
const VERBS = ['SELECT', 'VALUES', 'INSERT', 'REPLACE', 'UPDATE', 'DELETE'];

/** PRAGMAs a real server serves; the second list without an argument only. */
const PRAGMAS = new Set(
  (
    'table_list index_list table_info table_xinfo index_xinfo pragma_list compile_options database_list function_list ' +
    'module_list encoding defer_foreign_keys foreign_keys foreign_key_list foreign_key_check collation_list data_version ' +
    'freelist_count integrity_check legacy_file_format page_count quick_check stats user_version'
  ).split(' '),
);
const PRAGMAS_TO_READ = new Set(
  (
    'analysis_limit application_id auto_vacuum automatic_index busy_timeout cache_size cache_spill journal_mode ' +
    'journal_size_limit legacy_alter_table locking_mode max_page_count mmap_size page_size query_only ' +
    'recursive_triggers schema_version secure_delete synchronous temp_store threads trusted_schema wal_autocheckpoint'
  ).split(' '),
);

/** The statements of a text. Whether each is good SQL is for SQLite to say. */
export function parseSql(text: string): SqlStatement[] {
  const statements: SqlStatement[] = [];
  let start = 0;
  let tokens: string[] = [];
  const finish = (end: number): void => {
    if (tokens.length > 0) statements.push(describe(text.slice(start, end).trim(), tokens));
    tokens = [];
  };
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    if (BLANK.test(token)) continue;
    if (token === ';' && !insideTrigger(tokens)) {
      finish(index);
      start = index + 1;
    } else tokens.push(token);
  }
  finish(text.length);
  return statements;
}

/** The body of a trigger ends with `; END`. */
function insideTrigger(tokens: readonly string[]): boolean {
  const [create, next, third] = tokens.slice(0, 3).map(upper);
  if (create !== 'CREATE' || (next !== 'TRIGGER' && third !== 'TRIGGER')) return false;
  return !(upper(tokens.at(-1)) === 'END' && tokens.at(-2) === ';');
}

const upper = (token: string | undefined): string => (token ?? '').toUpperCase();

function describe(sql: string, tokens: readonly string[]): SqlStatement {
  const first = upper(tokens[0]);
  const verb = first === 'WITH' ? mainVerb(tokens) : first;
  const changes = ['INSERT', 'REPLACE', 'UPDATE', 'DELETE'].includes(verb);
  return {
    sql,
    kind: changes ? 'write' : kindOf(verb, tokens),
    changes,
    inserts: verb === 'INSERT' || verb === 'REPLACE',
    parameters: parametersOf(tokens),
    explains: first === 'EXPLAIN',
  };
}

/** Of a statement that begins with WITH. */
function mainVerb(tokens: readonly string[]): string {
  let depth = 0;
  for (const token of tokens) {
    if (token === '(') depth += 1;
    else if (token === ')') depth -= 1;
    else if (depth === 0 && VERBS.includes(upper(token))) return upper(token);
  }
  return 'SELECT';
}

function kindOf(verb: string, tokens: readonly string[]): StatementKind {
  switch (verb) {
    case 'BEGIN':
      return 'begin';
    case 'COMMIT':
    case 'END':
      return 'end';
    case 'ROLLBACK':
      return tokens.some((token) => upper(token) === 'TO') ? 'savepoint' : 'end';
    case 'SAVEPOINT':
    case 'RELEASE':
      return 'savepoint';
    case 'PRAGMA':
      return kindOfPragma(tokens);
    case 'CREATE':
      return /^TEMP(?:ORARY)?$/.test(upper(tokens[1])) ? 'unsupported' : 'write';
    case 'DROP':
    case 'ALTER':
      return 'write';
    case 'VACUUM':
    case 'ATTACH':
    case 'DETACH':
    case 'ANALYZE':
    case 'REINDEX':
      return 'unsupported';
    default:
      // What is no SQL at all is found by SQLite.
      return 'read';
  }
}

function kindOfPragma(tokens: readonly string[]): StatementKind {
  const at = tokens[2] === '.' ? 3 : 1;
  const name = (tokens[at] ?? '').toLowerCase();
  const argument = tokens.length > at + 1;
  if (!PRAGMAS.has(name) && (argument || !PRAGMAS_TO_READ.has(name))) return 'unsupported';
  return name === 'user_version' && argument ? 'write' : 'pragma';
}

function parametersOf(tokens: readonly string[]): (string | null)[] {
  const names: (string | null)[] = [];
  for (const token of tokens) {
    if (token === '?') names.push(null);
    else if (/^\?\d/.test(token)) while (names.length < Number(token.slice(1))) names.push(null);
    else if (/^[:@$]\w/.test(token) && !names.includes(token)) names.push(token);
  }
  return names;
}
