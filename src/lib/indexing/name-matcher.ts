import type { Span } from './spans.ts';

/** An occurrence of one of the names. */
export interface Occurrence extends Span {
  readonly name: string;
}

/**
 * Finds all occurrences of a set of names in one walk over a text, however many and how similar they are (Aho and
 * Corasick, 1975).
 */
export class NameMatcher {
  /** Of each state: the state that a UTF-16 unit leads to. */
  readonly #next = [new Map<number, number>()];
  /** Of each state: that of its longest proper suffix which starts a name. */
  readonly #fallback: number[] = [0];
  /** Of each state: the name that ends there. */
  readonly #name: (string | undefined)[] = [undefined];
  /** Of each state: the nearest state among its fallbacks in which a name ends; 0 for none. */
  readonly #shorter: number[] = [0];

  constructor(names: Iterable<string>) {
    for (const name of names) if (name !== '') this.#add(name);
    this.#link();
  }

  /** Occurrences that a test accepts: by their ends, and the longest first of those that end together. */
  *occurrences(text: string): Generator<Occurrence> {
    let state = 0;
    for (let at = 0; at < text.length; at += 1) {
      state = this.#step(state, text.charCodeAt(at));
      let ending = this.#name[state] === undefined ? (this.#shorter[state] ?? 0) : state;
      while (ending !== 0) {
        const name = this.#name[ending];
        if (name !== undefined) yield { start: at + 1 - name.length, end: at + 1, name };
        ending = this.#shorter[ending] ?? 0;
      }
    }
  }

  #add(name: string): void {
    let state = 0;
    for (let at = 0; at < name.length; at += 1) {
      const unit = name.charCodeAt(at);
      let to = this.#next[state]?.get(unit);
      if (to === undefined) {
        to = this.#next.push(new Map()) - 1;
        this.#next[state]?.set(unit, to);
      }
      state = to;
    }
    this.#name[state] = name;
  }

  #link(): void {
    const queue = [0];
    for (const state of queue) {
      for (const [unit, to] of this.#next[state] ?? []) {
        const fallback = state === 0 ? 0 : this.#step(this.#fallback[state] ?? 0, unit);
        this.#fallback[to] = fallback;
        this.#shorter[to] = this.#name[fallback] === undefined ? (this.#shorter[fallback] ?? 0) : fallback;
        queue.push(to);
      }
    }
  }

  #step(from: number, unit: number): number {
    for (let state = from; ; state = this.#fallback[state] ?? 0) {
      const to = this.#next[state]?.get(unit);
      if (to !== undefined) return to;
      if (state === 0) return 0;
    }
  }
}
