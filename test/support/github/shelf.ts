import type { SortKey } from './listing.ts';

interface Dated {
  readonly id: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** Items of one kind by id, with their orders remembered until something changes. */
export class Shelf<Item extends Dated> {
  readonly #items = new Map<number, Item>();
  readonly #orders = new Map<SortKey, Item[]>();
  readonly #derived = new Map<(items: Iterable<Item>) => unknown, unknown>();

  add(item: Item): Item {
    this.#items.set(item.id, item);
    this.changed();
    return item;
  }

  remove(id: number): boolean {
    this.changed();
    return this.#items.delete(id);
  }

  find(id: number): Item | undefined {
    return this.#items.get(id);
  }

  /** Fails for an id that a test got wrong. */
  get(id: number): Item {
    const item = this.#items.get(id);
    if (item === undefined) throw new Error(`the fake GitHub has no item ${String(id)} here`);
    return item;
  }

  values(): Iterable<Item> {
    return this.#items.values();
  }

  /** To be called after an item was changed in place. */
  changed(): void {
    this.#orders.clear();
    this.#derived.clear();
  }

  /** What a function makes of the items, made anew only after something has changed. */
  derive<Value>(from: (items: Iterable<Item>) => Value): Value {
    if (!this.#derived.has(from)) this.#derived.set(from, from(this.#items.values()));
    // Kept under the function that made it.
    return this.#derived.get(from) as Value;
  }

  /** Oldest first; items of the same second come by id. */
  ordered(key: SortKey): readonly Item[] {
    let order = this.#orders.get(key);
    if (order === undefined) {
      const time = key === 'created' ? 'createdAt' : 'updatedAt';
      order = [...this.#items.values()].sort((a, b) => a[time] - b[time] || a.id - b.id);
      this.#orders.set(key, order);
    }
    return order;
  }
}
