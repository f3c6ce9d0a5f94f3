import { ConnectionFailed } from './errors.js';

/** A page of a list. */
export interface Page<Item> {
  readonly data: readonly Item[];
  readonly next_cursor: string | null;
}

/** A list that is read page by page while it is iterated; each iteration begins anew. */
export class List<Item, Of extends Page<Item> = Page<Item>> implements AsyncIterable<Item> {
  readonly #read: (cursor?: string) => Promise<Of>;

  constructor(read: (cursor: string | undefined) => Promise<Of>) {
    this.#read = read;
  }

  /** The pages as they are answered. One may be empty and not be the last. */
  async *pages(): AsyncGenerator<Of, void, undefined> {
    let cursor: string | undefined;
    do {
      const page = await this.#read(cursor);
      yield page;
      if (page.next_cursor !== null && page.next_cursor === cursor)
        throw new ConnectionFailed('connection_failed', 'A page named itself as the next one.');
      cursor = page.next_cursor ?? '';
    } while (cursor !== '');
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for await (const { data } of this.pages()) yield* data;
  }
}
