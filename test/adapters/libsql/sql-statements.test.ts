import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import Libsql from 'libsql';
import { expect, it } from 'vitest';
import { listMigrations } from '../../../src/lib/adapters/libsql/migrations.ts';
import { sqlStatements } from '../../../src/lib/adapters/libsql/sql-statements.ts';
import { MIGRATIONS } from '../../support/database.ts';

it.each([
  ['a; b;', ['a', 'b']],
  [' ;; -- nothing;\n /* nor; here */ ', []],
  [
    "SELECT ';', \";\", `;`, [;], 'it''s;' -- and; this\n; b",
    ["SELECT ';', \";\", `;`, [;], 'it''s;' -- and; this", 'b'],
  ],
  [
    'CREATE TRIGGER t AFTER DELETE ON a BEGIN\n  DELETE FROM b; SELECT CASE 1 WHEN 1 THEN 2 END; END; c',
    ['CREATE TRIGGER t AFTER DELETE ON a BEGIN\n  DELETE FROM b; SELECT CASE 1 WHEN 1 THEN 2 END; END', 'c'],
  ],
  [
    'create temp trigger t after delete on a begin select 1; end ; c',
    ['create temp trigger t after delete on a begin select 1; end', 'c'],
  ],
])('splits %j', (script, statements) => {
  expect(sqlStatements(script)).toEqual(statements);
});

it('splits the shipped scripts so that they make what they make as a whole', () => {
  const [whole, split] = [new Libsql(':memory:'), new Libsql(':memory:')];
  for (const { file } of listMigrations(MIGRATIONS)) {
    const sql = readFileSync(file, 'utf8');
    whole.exec(sql);
    for (const statement of sqlStatements(sql)) split.prepare(statement).run([]);
  }
  const schema = (db: Libsql.Database): unknown =>
    db.prepare('SELECT type, name, sql FROM sqlite_master ORDER BY name').all([]);
  expect(schema(split)).toEqual(schema(whole));
});

it('splits what it has split no further, whatever is quoted or left open', () => {
  const piece = fc.constantFrom(
    "'a;b'",
    '-- c;\n',
    '/* ; */',
    'x',
    ';',
    ' ',
    '\n',
    '"',
    "'",
    'END',
    '[',
    'CREATE',
    'TRIGGER',
  );
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      const statements = sqlStatements(pieces.join(''));
      expect(sqlStatements(statements.join('\n;\n'))).toEqual(statements);
    }),
  );
});
