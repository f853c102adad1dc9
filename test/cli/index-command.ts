import Index from '../../src/commands/index/index.ts';
import type { EngineOptions } from '../../src/lib/cli/base-command.ts';
import type { Engine } from '../../src/lib/engine/engine.ts';
import type { TestHost } from './example.ts';

/** `gh-rag index` in this process, on a host of the test's and with some parts of its engine replaced. */
export function indexOn(host: () => TestHost, parts: () => Partial<Engine>): typeof Index {
  return class extends Index {
    static override id = 'index';
    static override args = Index.args;
    static override flags = Index.flags;

    protected override createHost(): TestHost {
      return host();
    }

    protected override async composeEngine(options: EngineOptions) {
      const { engine, close } = await super.composeEngine(options);
      return { engine: { ...engine, ...parts() }, close };
    }
  };
}
