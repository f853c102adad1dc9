import fc from 'fast-check';
import type { Planned } from '../support/github/faults.ts';
import type { GitHub } from '../support/github/start.ts';

type Repository = ReturnType<GitHub['repository']>;

/** One change of a project; `at` chooses what it concerns, `text` one of the kinds of text. */
export interface Change {
  readonly do: (typeof API_CHANGES)[number] | (typeof GIT_CHANGES)[number];
  readonly at: number;
  readonly text: number;
}

/** A run of `index` that goes wrong: at which request or advance of progress, and how. */
export interface BadRun {
  readonly do: 'run';
  readonly how: (typeof BAD)[number];
  readonly after: number;
  /** What happens at GitHub between two requests of it. */
  readonly meanwhile: readonly Change[];
}

export type Step = Change | BadRun | { readonly do: 'tick'; readonly seconds: number };

const API_CHANGES = [
  'issue',
  'pull',
  'comment',
  'comment',
  'edit thread',
  'edit comment',
  'delete comment',
  'close',
  'delete issue',
  'transfer out',
  'transfer in',
  'review',
  'edit review',
  'line comment',
  'edit line comment',
  'delete line comment',
  'switch issues',
  'switch pulls',
] as const;
const GIT_CHANGES = [
  'push',
  'force push',
  'tag',
  'delete tag',
  'release',
  'edit release',
  'delete release',
  'page',
  'delete page',
] as const;
const BAD = ['clean', 'status', 'reset', 'truncated', 'short', 'primary', 'secondary', 'interrupted'] as const;

const change = (names: readonly Change['do'][]) =>
  fc.record({ do: fc.constantFrom(...names), at: fc.nat(30), text: fc.nat(3) });

/** Histories of the API's side only, or of the side of git only. */
export function history(side: 'api' | 'git'): fc.Arbitrary<Step[]> {
  const changes = change(side === 'api' ? API_CHANGES : GIT_CHANGES);
  const run = fc.record({
    do: fc.constant('run' as const),
    how: fc.constantFrom(...BAD),
    after: fc.nat(side === 'api' ? 14 : 8),
    meanwhile: fc.array(changes, { maxLength: side === 'api' ? 4 : 1 }),
  });
  const tick = fc.record({ do: fc.constant('tick' as const), seconds: fc.nat(3) });
  const weights =
    side === 'api'
      ? [
          { arbitrary: changes, weight: 12 },
          { arbitrary: tick, weight: 4 },
          { arbitrary: run, weight: 3 },
        ]
      : [
          { arbitrary: changes, weight: 6 },
          { arbitrary: run, weight: 2 },
        ];
  return fc.array(fc.oneof(...weights), { minLength: side === 'api' ? 12 : 5, maxLength: side === 'api' ? 30 : 8 });
}

const TEXTS = [
  'It has been slow since the last release',
  'ok',
  'See #1, which has the reason',
  'Nothing to add to this',
];

/** A project on the fake GitHub that changes step by step. */
export class Project {
  readonly repository: Repository;
  readonly #other: Repository;
  readonly #gh: GitHub;
  readonly #tags: string[] = [];
  #commits = 0;

  constructor(gh: GitHub, name: string) {
    this.#gh = gh;
    this.repository = gh.repository(`acme/${name}`);
    this.#other = gh.repository(`acme/other-${name}`);
  }

  /** Begins with a few threads and what was said in them. */
  begin(): void {
    for (const [at, what] of (['issue', 'pull', 'issue', 'pull'] as const).entries())
      this.apply({ do: what, at, text: 0 });
    for (let at = 0; at < 6; at += 1) this.apply({ do: at < 4 ? 'comment' : 'line comment', at, text: at % 4 });
  }

  apply({ do: what, at, text }: Change): void {
    const app = this.repository;
    const body = `${TEXTS[text] ?? ''} ${text === 1 ? '' : String(at)}`;
    const by = text === 2 ? 'helper[bot]' : 'grace';
    const issues = [...app.threads.shelf.values()].filter(({ pull }) => pull === null);
    const pulls = [...app.threads.shelf.values()].filter(({ pull }) => pull !== null);
    const thread = pick([...app.threads.shelf.values()], at);
    const comment = pick([...app.comments.shelf.values()], at);
    const line = pick([...app.reviews.comments.values()], at);
    const issue = pick(issues, at);
    const pull = pick(pulls, at);
    const release = pick([...app.releases.shelf.values()], at);
    switch (what) {
      case 'issue':
        app.threads.openIssue({ title: body, labels: text === 0 ? ['bug'] : [] });
        return;
      case 'pull':
        app.threads.openPull({ title: body });
        return;
      case 'comment':
        if (thread) app.comments.add(thread.number, body, by);
        return;
      case 'edit thread':
        if (thread) app.threads.edit(thread.number, { title: body });
        return;
      case 'edit comment':
        if (comment) app.comments.edit(comment.id, body);
        return;
      case 'delete comment':
        if (comment) app.comments.delete(comment.id);
        return;
      case 'close':
        if (thread?.state === 'open' && thread.pull !== null && text > 1) app.threads.merge(thread.number);
        else if (thread?.state === 'open') app.threads.close(thread.number);
        else if (thread) app.threads.reopen(thread.number);
        return;
      case 'delete issue':
        if (issue) app.threads.delete(issue.number);
        return;
      case 'transfer out':
        if (issue) app.threads.transfer(issue.number, this.#other);
        return;
      case 'transfer in': {
        const foreign = pick([...this.#other.threads.shelf.values()], at);
        if (foreign) this.#other.threads.transfer(foreign.number, app);
        else this.#other.comments.add(this.#other.threads.openIssue({ title: body }).number, body);
        return;
      }
      case 'review':
        if (pull) app.reviews.submit(pull.number, { body, state: text > 1 ? 'APPROVED' : 'COMMENTED', by });
        return;
      case 'edit review': {
        const review = pull && pick(app.reviews.of(pull.number), text);
        // Where GitHub says nothing of it, nobody can know.
        if (review && this.#gh.quirks.touchThreads) app.reviews.edit(review.id, body);
        return;
      }
      case 'line comment':
        if (pull) app.reviews.addComment(pull.number, { body, by });
        return;
      case 'edit line comment':
        if (line) app.reviews.editComment(line.id, body);
        return;
      case 'delete line comment':
        if (line) app.reviews.deleteComment(line.id);
        return;
      case 'switch issues':
        app.hasIssues = !app.hasIssues;
        return;
      case 'switch pulls':
        app.hasPulls = !app.hasPulls;
        return;
      case 'push':
        this.#push(at, text);
        return;
      case 'force push':
        if (this.#commits > 2) app.forcePush(body, { 'README.md': body });
        else this.#push(at, text);
        return;
      case 'tag':
        if (this.#commits > 0) this.#tag(`v${String(at)}`);
        return;
      case 'delete tag': {
        const tag = pick(this.#tags, at);
        if (tag !== undefined) app.git.git('tag', '--delete', tag);
        this.#tags.splice(0, this.#tags.length, ...this.#tags.filter((each) => each !== tag));
        return;
      }
      case 'release': {
        const tag = pick(this.#tags, at);
        const taken = [...app.releases.shelf.values()].some((each) => each.tag === tag);
        if (tag !== undefined && !taken) app.releases.publish({ tag, name: body, body });
        return;
      }
      case 'edit release':
        if (release) app.releases.edit(release.id, { body });
        return;
      case 'delete release':
        if (release) app.releases.delete(release.id);
        return;
      case 'page':
        app.wiki.commit(body, { [`Page ${String(at % 4)}.md`]: body });
        return;
      case 'delete page':
        if (app.existingWiki !== undefined)
          app.wiki.commit('Tidy up', { [`Page ${String(at % 4)}.md`]: '-', 'Kept.md': body });
        return;
    }
  }

  /** Plans what goes wrong with a run. Gives the plans, to be cancelled after it. */
  plan({ how, after, meanwhile }: BadRun): Planned[] {
    const gh = this.#gh;
    const any = (): boolean => true;
    const edits = meanwhile.map((each, at) =>
      gh.fault(
        any,
        {
          kind: 'before',
          run: () => {
            this.apply(each);
          },
        },
        { skip: after + at },
      ),
    );
    const skip = { skip: after, times: 1 };
    switch (how) {
      case 'status':
        return [...edits, gh.fault(any, { kind: 'status', status: 502, body: 'Bad gateway' }, skip)];
      case 'reset':
        return [...edits, gh.fault(any, { kind: 'reset' }, skip)];
      case 'truncated':
      case 'short':
        return [...edits, gh.fault(any, { kind: how, share: 0.6 }, skip)];
      case 'primary':
        return [...edits, gh.fault(({ route }) => route !== 'git', { kind: 'primaryLimit' }, skip)];
      case 'secondary':
        return [
          ...edits,
          gh.fault(
            ({ route }) => route !== 'git',
            { kind: 'secondaryLimit', retryAfter: 30 },
            { skip: after, times: 3 },
          ),
        ];
      case 'clean':
      case 'interrupted':
        return edits;
    }
  }

  #push(at: number, text: number): void {
    this.#commits += 1;
    this.repository.push(`Change ${String(this.#commits)}`, {
      [`docs/${String(at % 5)}.md`]: `# ${TEXTS[text] ?? ''}\n\n${String(at)}\n`,
    });
  }

  #tag(name: string): void {
    if (this.#tags.includes(name)) return;
    this.repository.git.git('tag', name);
    this.#tags.push(name);
  }
}

function pick<Item>(items: readonly Item[], at: number): Item | undefined {
  return items[at % Math.max(1, items.length)];
}
