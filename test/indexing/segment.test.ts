import fc from 'fast-check';
import Database from 'libsql';
import { afterAll, expect, test } from 'vitest';
import { segmentText, wordsOf } from '../../src/lib/indexing/segment.ts';
import { continuesToken, isTokenCharacter } from '../../src/lib/indexing/token-characters.ts';

const db = new Database(':memory:');
db.exec(`CREATE VIRTUAL TABLE texts USING fts5 (text, tokenize = 'unicode61 remove_diacritics 2');
  CREATE VIRTUAL TABLE tokens USING fts5vocab (texts, 'instance');
  CREATE VIRTUAL TABLE sizes USING fts5 (text, content = '', detail = none, tokenize = 'unicode61 remove_diacritics 2')`);
afterAll(() => {
  db.close();
});

/** Texts of many scripts, with what is easily got wrong: marks, joiners, unassigned code points, punctuation. */
const text = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'binary', maxLength: 6 }),
      fc.string({ unit: fc.constantFrom(...'機械学習認証関数を変更した理由データベース々〇ー・'), maxLength: 12 }),
      fc.string({ unit: fc.constantFrom(...'แก้ไขข้อผิดพลาดການ ភាសាខ្មែរမြန်မာ'), maxLength: 12 }),
      fc.string({
        unit: fc.constantFrom(...'aé\u0301Z9_-. \n\u0300\u200d\ufe0f\u3099\u{20000}\u{1f600}한\u0378'),
        maxLength: 8,
      }),
    ),
    { maxLength: 8 },
  )
  .map((parts) => parts.join('').replaceAll('\u0000', ' '));

function stored(text: string): string[] {
  const { lastInsertRowid } = db.prepare('INSERT INTO texts (text) VALUES (?)').run([text]);
  const rows = db.prepare('SELECT term FROM tokens WHERE doc = ? ORDER BY "offset"').all([lastInsertRowid]);
  return rows.map((row) => String((row as { term: unknown }).term));
}

test('text of scripts with spaces comes back untouched', () => {
  for (const text of ['', 'plain words, naïve café', 'Привет мир', '한국어 문장', 'שלום עולם', '👩‍💻 x́', '・、。']) {
    expect(segmentText(text)).toBe(text);
  }
});

test('words of scripts without spaces are set apart, from each other and from other text', () => {
  expect(segmentText('データベースの認証を変更')).toBe('データベース の 認証 を 変更');
  expect(segmentText('使用API接口，3月')).toBe('使用 API 接口，3 月');
  expect(segmentText('a東京\nb')).toBe('a 東京\nb');
  expect(segmentText('สวัสดีครับ').split(' ').length).toBeGreaterThan(1);
  expect(segmentText('ភាសាខ្មែរ').replaceAll(' ', '')).toBe('ភាសាខ្មែរ');
});

test('a compound is cut into its members, so that a query for one of them hits', () => {
  expect(segmentText('各式各樣')).toBe('各式 各樣');
  const hits = (text: string, query: string): boolean => ` ${segmentText(text)} `.includes(` ${segmentText(query)} `);
  for (const [text, query] of [
    ['機械学習の学習率を下げた', '学習'],
    ['機械学習の学習率を下げた', '機械学習'],
    ['三位一体の構成', '一体'],
    ['有各式各樣的箭頭', '各式'],
    ['データベースの接続を再試行する', '接続'],
  ] as const) {
    expect(hits(text, query), `${query} in ${text}`).toBe(true);
  }
});

test('segmenting adds spaces and nothing else, twice is once, and any words side by side stay what they are', () => {
  fc.assert(
    fc.property(text, (text) => {
      const once = segmentText(text);
      expect(once.replaceAll(' ', '')).toBe(text.replaceAll(' ', ''));
      expect(segmentText(once)).toBe(once);
      expect(wordsOf(once).map((word) => word.text)).toEqual(wordsOf(text).map((word) => word.text));
    }),
    { numRuns: 400 },
  );
});

test('every word is itself when it is the query', () => {
  fc.assert(
    fc.property(text, (text) => {
      for (const word of wordsOf(text)) expect(wordsOf(word.text).map(({ text }) => text)).toEqual([word.text]);
    }),
  );
});

test('words stand where they say, and are the tokens that the full-text index stores', () => {
  db.exec('BEGIN');
  fc.assert(
    fc.property(text, (text) => {
      const words = wordsOf(text);
      let end = 0;
      for (const word of words) {
        expect(word.start).toBeGreaterThanOrEqual(end);
        expect(text.slice(word.start, word.end)).toBe(word.text);
        end = word.end;
      }
      const tokens = stored(segmentText(text));
      expect(words).toHaveLength(tokens.length);
      words.forEach((word, index) => {
        expect(stored(word.text)).toEqual([tokens[index]]);
      });
    }),
    { numRuns: 60 },
  );
  db.exec('ROLLBACK');
});

// All of the first two planes and of the tags; beyond, where nothing but letters is known, every 16th block of 64.
test('every code point separates or joins tokens as it does in SQLite', () => {
  const insert = db.prepare('INSERT INTO sizes (rowid, text) VALUES (?, ?)');
  const expected = new Map<number, number>();
  db.exec('BEGIN');
  for (let block = 0; block < 0x110000 / 64; block += 1) {
    if (block >= 0x20000 / 64 && Math.trunc(block / 64) !== 0xe0000 / 4096 && block % 16 !== 0) continue;
    let apart = '';
    let joined = 'q';
    let alone = 0;
    let breaks = 1;
    for (let codePoint = block * 64; codePoint < block * 64 + 64; codePoint += 1) {
      if (codePoint === 0 || (codePoint >= 0xd800 && codePoint <= 0xdfff)) continue;
      const character = String.fromCodePoint(codePoint);
      apart += ` ${character}`;
      joined += `${character}q`;
      if (isTokenCharacter(codePoint)) alone += 1;
      if (!continuesToken(codePoint)) breaks += 1;
    }
    insert.run([block * 2 + 1, apart]);
    insert.run([block * 2 + 2, joined]);
    expected.set(block * 2 + 1, alone).set(block * 2 + 2, breaks);
  }
  db.exec('COMMIT');
  const rows = db.prepare('SELECT id, hex(sz) AS size FROM sizes_docsize').all([]) as { id: number; size: string }[];
  expect(rows).toHaveLength(expected.size);
  // The size is SQLite's varint; below 128 it is one byte.
  const wrong = rows.filter((row) => Number.parseInt(row.size, 16) !== expected.get(row.id));
  expect(wrong).toEqual([]);
});

test('a very long run is segmented in linear time', () => {
  const started = process.cpuUsage();
  expect(segmentText('認証を変更した'.repeat(15_000)).length).toBeGreaterThan(105_000);
  expect(process.cpuUsage(started).user / 1000).toBeLessThan(5000);
});
