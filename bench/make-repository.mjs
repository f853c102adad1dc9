import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { prose, seeded } from './words.mjs';

const START_SECONDS = 1_500_000_000;
const WHO = 'Ada Example <ada@example.org>';

/**
 * Makes a repository of `commits` commits with git fast-import; each changes one to three source files or docs. A tag
 * every 500 commits.
 */
export async function makeRepository(directory, { commits, seed = 2 }) {
  mkdirSync(directory, { recursive: true });
  await git(directory, ['init', '--quiet', '--initial-branch=main', '.']);
  const random = seeded(seed);
  const text = prose(random);
  const files = new Map();
  const importer = spawn('git', ['fast-import', '--quiet'], { cwd: directory, stdio: ['pipe', 'inherit', 'inherit'] });
  const write = async (data) => {
    if (!importer.stdin.write(data)) await once(importer.stdin, 'drain');
  };
  const data = (content) => `data ${Buffer.byteLength(content)}\n${content}\n`;
  for (let i = 0; i < commits; i += 1) {
    const message = `${text.word()}: ${text.sentence(6)}\n\n${text.paragraphs(1, 2)}\n`;
    let commit = `commit refs/heads/main\ncommitter ${WHO} ${START_SECONDS + i * 600} +0000\n${data(message)}`;
    const touched = 1 + Math.floor(random() * 3);
    for (let f = 0; f < touched; f += 1) {
      const doc = random() < 0.15;
      const path = doc
        ? `docs/${text.word()}-${Math.floor(random() * 60)}.md`
        : `src/${text.word()}/module-${Math.floor(random() * 300)}.ts`;
      const lines = files.get(path) ?? [];
      const at = Math.floor(random() * (lines.length + 1));
      const added = Array.from({ length: 3 + Math.floor(random() * 12) }, () =>
        doc ? text.sentence(12) : `  const ${text.word()} = ${text.word()}(${text.word()}, '${text.word()}');`,
      );
      if (doc && lines.length === 0) added.unshift(`# ${text.sentence(4)}`, '');
      lines.splice(at, Math.floor(random() * 3), ...added);
      files.set(path, lines);
      commit += `M 100644 inline ${path}\n${data(`${lines.join('\n')}\n`)}`;
    }
    await write(`${commit}\n`);
    if ((i + 1) % 500 === 0) {
      await write(
        `tag v0.${(i + 1) / 500}.0\nfrom refs/heads/main\ntagger ${WHO} ${START_SECONDS + i * 600} +0000\n${data(text.sentence(8))}`,
      );
    }
  }
  importer.stdin.end('done\n');
  await once(importer, 'close');
  await git(directory, ['reset', '--quiet', '--hard', 'main']);
}

async function git(cwd, args) {
  const child = spawn('git', args, { cwd, stdio: ['ignore', 'inherit', 'inherit'] });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`git ${args[0]} failed`);
}
