import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = new URL('../..', import.meta.url).pathname;

/** Files of a small project: what each imports, and the rules that must object to it. */
const PLANTED: Record<string, { imports: string[]; breaks: string[] }> = {
  'src/lib/core/low.ts': { imports: ['../engine/port.ts'], breaks: ['core-sees'] },
  'src/lib/engine/port.ts': { imports: ['../core/value.ts'], breaks: [] },
  'src/lib/core/value.ts': { imports: ['node:crypto'], breaks: [] },
  'src/lib/ingest/reader.ts': {
    imports: ['../indexing/cut.ts', 'node:fs'],
    breaks: ['ingest-sees', 'outside-world-confined'],
  },
  'src/lib/indexing/cut.ts': { imports: ['../core/value.ts'], breaks: [] },
  'src/lib/retrieval/rank.ts': { imports: ['../indexing/cut.ts'], breaks: [] },
  'src/lib/retrieval/live.ts': { imports: ['../adapters/git/process.ts'], breaks: ['retrieval-sees'] },
  'src/lib/adapters/git/process.ts': { imports: ['node:child_process', '../../engine/port.ts'], breaks: [] },
  'src/lib/adapters/git/area.ts': { imports: ['../../ingest/reader.ts', '../sql/open.ts'], breaks: ['adapters-see'] },
  'src/lib/adapters/sql/open.ts': { imports: ['libsql'], breaks: [] },
  'src/lib/adapters/files.ts': { imports: ['./gunzip.ts', './sql/open.ts'], breaks: ['small-adapters-see'] },
  'src/lib/adapters/gunzip.ts': { imports: ['../engine/port.ts'], breaks: [] },
  'src/lib/adapters/compose.ts': { imports: ['./git/process.ts', './sql/open.ts'], breaks: [] },
  'src/lib/operations.ts': { imports: ['./retrieval/rank.ts', './mcp/server.ts'], breaks: ['operations-sees'] },
  'src/lib/mcp/server.ts': {
    imports: ['@modelcontextprotocol/sdk/server/index.js', '@oclif/core'],
    breaks: ['oclif-confined'],
  },
  // ink is not installed before the first screen is made with it.
  'src/lib/cli/run.ts': {
    imports: ['@oclif/core', '../adapters/compose.ts', 'ink'],
    breaks: ['ink-confined', 'not-to-unresolvable'],
  },
  'src/lib/cli/back.ts': { imports: ['../../commands/search.ts'], breaks: ['commands-are-last', 'cli-sees'] },
  'src/commands/search.ts': {
    imports: ['@oclif/core', '../lib/cli/run.ts', '../../test/far.ts'],
    breaks: ['product-only'],
  },
  'src/lib/corpus/one.ts': { imports: ['./two.ts'], breaks: ['no-cycles'] },
  'src/lib/corpus/two.ts': { imports: ['./one.ts'], breaks: [] },
  'src/lib/admin/alone.ts': { imports: [], breaks: ['no-orphans'] },
  'test/far.ts': { imports: ['node:fs'], breaks: [] },
};

const report = z.object({
  summary: z.object({ violations: z.array(z.object({ from: z.string(), rule: z.object({ name: z.string() }) })) }),
});

describe('the direction of imports', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gh-rag-boundaries-'));
  const broken = new Map<string, Set<string>>();

  beforeAll(() => {
    for (const [path, { imports }] of Object.entries(PLANTED)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(
        join(folder, path),
        `${imports.map((from) => `import '${from}';`).join('\n')}\nexport const here = 1;\n`,
      );
    }
    writeFileSync(join(folder, 'tsconfig.json'), '{ "compilerOptions": { "module": "nodenext" } }');
    writeFileSync(join(folder, 'package.json'), '{ "type": "module", "dependencies": {} }');
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction');
    const { violations } = report.parse(JSON.parse(cruise(folder))).summary;
    for (const { from, rule } of violations) broken.set(from, (broken.get(from) ?? new Set()).add(rule.name));
  });
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  it.each(Object.entries(PLANTED))('%s', (path, { breaks }) => {
    const rules = [...(broken.get(path) ?? [])].filter((rule) => rule !== 'no-dev-dependency');
    expect(rules.sort()).toEqual(breaks.toSorted());
  });
});

function cruise(folder: string): string {
  const program = join(root, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs');
  const config = join(root, '.dependency-cruiser.cjs');
  try {
    return execFileSync(process.execPath, [program, '--config', config, '--output-type', 'json', 'src', 'test'], {
      cwd: folder,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    });
  } catch (error) {
    // It exits with the number of violations; the report is complete all the same.
    return z.object({ stdout: z.string() }).parse(error).stdout;
  }
}
