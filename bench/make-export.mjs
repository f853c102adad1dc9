import { createWriteStream } from 'node:fs';
import { once } from 'node:events';
import { prose, seeded } from './words.mjs';

const START = Date.UTC(2020, 0, 1);

/** Writes an export of `threads` issues and pull requests with `comments` comments each; gives the number of records. */
export async function makeExport(file, { threads, comments, paragraphs = 2, repo = 'bench/export', seed = 1 }) {
  const random = seeded(seed);
  const text = prose(random);
  const out = createWriteStream(file);
  let records = 0;
  const write = async (record) => {
    records += 1;
    if (!out.write(`${JSON.stringify({ repo, ...record })}\n`)) await once(out, 'drain');
  };
  for (let number = 1; number <= threads; number += 1) {
    const at = new Date(START + number * 3_600_000).toISOString();
    const author = `user-${Math.floor(random() * 200)}`;
    await write({
      type: number % 3 === 0 ? 'pull_request' : 'issue',
      number,
      title: text.sentence(7),
      body: text.paragraphs(paragraphs, 5),
      state: random() < 0.7 ? 'closed' : 'open',
      labels: random() < 0.4 ? ['bug'] : [],
      author,
      created_at: at,
      updated_at: at,
    });
    for (let c = 0; c < comments; c += 1) {
      await write({
        type: 'issue_comment',
        number,
        id: number * 1000 + c + 1,
        body: `${text.paragraphs(1, 3)} See #${1 + Math.floor(random() * threads)}.`,
        author: `user-${Math.floor(random() * 200)}`,
        created_at: at,
        updated_at: at,
      });
    }
  }
  out.end();
  await once(out, 'finish');
  return records;
}
