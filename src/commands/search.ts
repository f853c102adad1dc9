import * as Flags from '@oclif/core/flags';
import { type Answer, BaseCommand } from '../lib/cli/base-command.ts';
import { copyNotes } from '../lib/cli/copy-note.ts';
import { commandShape } from '../lib/cli/flags.ts';
import { renderSearch } from '../lib/cli/render-search.ts';
import { chooseRepositories } from '../lib/cli/repository.ts';
import { searchHints, searchNotes } from '../lib/cli/search-notes.ts';
import { staleNote } from '../lib/cli/stale-note.ts';
import { indexedSlug } from '../lib/corpus/repos.ts';
import { search } from '../lib/retrieval/search.ts';

const shape = commandShape(search.input, {
  positional: [{ field: 'query', joined: true }],
  chars: { repo: 'R', type: 't', top_k: 'n' },
  omit: ['sources'],
  summaries: {
    graph_hops: 'How far --graph-expand goes.',
    use_memory:
      'With --graph-expand: of one hop, what your confirmations taught comes first. The results stay as they are.',
  },
});

export default class Search extends BaseCommand {
  static override summary = 'Find what a project decided; without a query, what happened lately.';
  static override description =
    'Searches issues, pull requests, comments, reviews, releases, docs, wiki pages and commit diffs. Rows of one thread ' +
    'and of one file are folded into one result. Inside a repository that is indexed, only that one is searched. No hit ' +
    'is no failure.';
  static override examples: typeof BaseCommand.examples = [
    { description: 'Ask in plain words', command: '<%= config.bin %> <%= command.id %> why did we drop the v1 cache' },
    {
      description: 'Look for a string in the diffs of one folder',
      command: '<%= config.bin %> <%= command.id %> "cache_ttl" --type diff --path src/',
    },
    {
      description: 'See what happened in the last two days',
      command: '<%= config.bin %> <%= command.id %> --since 2d',
    },
    {
      description: 'Follow references from the results, what you confirmed before first',
      command:
        '<%= config.bin %> <%= command.id %> why did we drop the v1 cache --graph-expand --graph-hops 2 --use-memory',
    },
    {
      description: 'Open bugs, newest first, for a script',
      command: '<%= config.bin %> <%= command.id %> sync --state open --labels bug --sort updated_desc --json',
    },
  ];
  static override usesMemory = true;
  static override args = shape.args;
  static override flags = {
    ...shape.flags,
    'all-repos': Flags.boolean({ summary: 'Search every repository, wherever this is run.' }),
    web: Flags.boolean({ char: 'w', summary: 'Open the first result in the browser.' }),
  };

  protected override async answer(): Promise<Answer> {
    const input = await this.parseInput(shape);
    const { flags } = await this.parseFlags();
    const engine = await this.engine();
    const { repos, note } = await chooseRepositories({
      flag: Array.isArray(input.repo) ? input.repo.map(String) : undefined,
      allRepos: flags['all-repos'] === true,
      environment: this.host.environment.repo,
      directoryRepo: () => engine.git.slugAt('.'),
      indexedAs: (slug) => indexedSlug(engine, slug),
    });
    const output = await this.invoke(search, { ...input, ...(repos !== undefined && { repo: repos }) });
    const [first] = output.results;
    if (flags.web === true && first !== undefined) {
      const { openInBrowser } = await import('../lib/adapters/browser.ts');
      await openInBrowser(first.url);
    }
    const now = this.host.clock.now();
    const { staleSince } = engine.database;
    const notes = [
      ...(note === undefined ? [] : [note]),
      ...searchNotes(output, now),
      ...(staleSince === undefined ? [] : [staleNote(staleSince, now)]),
      // A program finds it in what status answers.
      ...(flags.json === true ? [] : await copyNotes(engine)),
    ];
    return {
      output,
      text: (terminal) => renderSearch(output, terminal, now),
      notes,
      hints: searchHints(output),
    };
  }
}
