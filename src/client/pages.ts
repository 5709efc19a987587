export interface Page<T> {
  items: T[];
  nextCursor: string | null;
}

/** A list that is read page by page while it is walked: `for await (const item of pages)`. */
export class Pages<T> implements AsyncIterable<T> {
  readonly #read: (cursor: string | null) => Promise<Page<T>>;

  constructor(read: (cursor: string | null) => Promise<Page<T>>) {
    this.#read = read;
  }

  /** One page: the first, or the one that a `nextCursor` names. */
  page(cursor: string | null = null): Promise<Page<T>> {
    return this.#read(cursor);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    let cursor: string | null = null;
    do {
      const page: Page<T> = await this.#read(cursor);
      yield* page.items;
      cursor = page.nextCursor;
    } while (cursor !== null);
  }

  /** The first ones, and no page more than they need. */
  async take(count: number): Promise<T[]> {
    const taken: T[] = [];
    if (count <= 0) return taken;
    for await (const item of this) {
      taken.push(item);
      if (taken.length >= count) break;
    }
    return taken;
  }
}
