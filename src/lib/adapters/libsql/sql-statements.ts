const TOKEN =
  /--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|'(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]|[A-Za-z_][\w$]*|;|\s+|[\s\S]/g;

const CREATES_TRIGGER = /^create (?:temp |temporary )?trigger\b/;

/**
 * The statements of a script, without the semicolons at their ends. The body of a trigger has statements of its own; as
 * in sqlite3_complete it ends at the `END` that follows a semicolon and is followed by one.
 */
export function sqlStatements(script: string): string[] {
  const statements: string[] = [];
  let text = '';
  /** The words and semicolons of the statement so far, in small letters. */
  let tokens: string[] = [];
  const finish = (): void => {
    if (tokens.length > 0) statements.push(text.trim());
    text = '';
    tokens = [];
  };
  for (const [token] of script.matchAll(TOKEN)) {
    if (token === ';' && !insideTrigger(tokens)) {
      finish();
      continue;
    }
    text += token;
    if (!/^(?:\s|--|\/\*)/.test(token)) tokens.push(token.toLowerCase());
  }
  finish();
  return statements;
}

function insideTrigger(tokens: readonly string[]): boolean {
  if (!CREATES_TRIGGER.test(tokens.slice(0, 3).join(' '))) return false;
  return !(tokens.at(-1) === 'end' && tokens.at(-2) === ';');
}
