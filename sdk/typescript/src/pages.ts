import { ConnectionFailed } from './errors.js';

/** A page of a list. */
export interface Page<Item> {
  readonly data: readonly Item[];
  readonly next_cursor: string | null;
}

/** A list that is read page by page while it is iterated; each iteration begins anew. */
export class List<Item, Of extends Page<Item> = Page<Item>> implements AsyncIterable<Item> {
  constructor(private readonly read: (cursor?: string) => Promise<Of>) {}

  /** The pages as they are answered. One may be empty and not be the last. */
  async *pages(): AsyncGenerator<Of, void, undefined> {
    const told = new Set<string>();
    for (let cursor: string | undefined; cursor !== ''; told.add(cursor)) {
      const page = await this.read(cursor);
      yield page;
      cursor = page.next_cursor ?? '';
      if (told.has(cursor))
        throw new ConnectionFailed('connection_failed', 'A cursor came twice: the list has no end.');
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for await (const { data } of this.pages()) yield* data;
  }
}
