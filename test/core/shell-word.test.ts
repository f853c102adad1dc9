import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { shellWord } from '../../src/lib/core/shell-word.ts';

it('is read by a shell as the text that it was', () => {
  const texts = ['page:Home', '', 'a  b', "it's", "''", '$HOME `id` "x" \\', '~', '*', 'a\nb', '-x', '#1', '\u00E9!'];
  const line = `printf '%s\\0' ${texts.map(shellWord).join(' ')}`;
  expect(execFileSync('sh', ['-c', line]).toString().split('\0').slice(0, -1)).toEqual(texts);
  expect(shellWord('github:0')).toBe('github:0');
});
