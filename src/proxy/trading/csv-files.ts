import { once } from 'node:events';
import { Injectable, Logger } from '@nestjs/common';
import type { Response } from 'express';
import { AppError } from '../../platform/errors/app-error.js';
import { currentRequest } from '../../platform/http/request-context.js';
import { currentCallContext, withCallContext } from '../../platform/upstream/call-context.js';
import { type Column, headOf, remarkOf, rowOf } from './csv.js';

/** Rows of a file; what is left out is said in one more. */
const MOST_ROWS = 100_000;
/** A reader who takes nothing for so long is gone. */
const STALLED_MS = 60_000;
const RETRY_SECONDS = 5;

interface CsvPage<Row> {
  readonly data: readonly Row[];
  readonly next_cursor: string | null;
}

/** A list as a file. */
export interface CsvFile<Row> {
  readonly name: string;
  readonly columns: readonly Column<Row>[];
  /** Newest first; null reads the first page. */
  readonly read: (cursor: string | null) => Promise<CsvPage<Row>>;
  readonly timeOf: (row: Row) => string;
}

/** Writes lists of a user as CSV, page by page as the reader takes them (contract.md 5.17). */
@Injectable()
export class CsvFiles {
  readonly #logger = new Logger('CsvFiles');
  readonly #users = new Set<string>();

  /**
   * Answers with the file. Throws what reading the first page throws, and `rate_limited` while another file of the user is on its
   * way; what fails later breaks the connection, so that no file is taken for whole that is not.
   */
  async answer<Row>(userId: string, response: Response, file: CsvFile<Row>): Promise<void> {
    if (this.#users.has(userId)) {
      const message = 'Another CSV file of yours is on its way. Take them one after the other.';
      throw new AppError('rate_limited', message, { retryAfterSeconds: RETRY_SECONDS });
    }
    this.#users.add(userId);
    try {
      await inBackground(() => this.#write(response, file));
    } finally {
      this.#users.delete(userId);
    }
  }

  async #write<Row>(response: Response, file: CsvFile<Row>): Promise<void> {
    const first = await file.read(null);
    response.status(200);
    response.setHeader('Content-Type', 'text/csv; charset=utf-8');
    response.setHeader('Content-Disposition', `attachment; filename="${file.name}"`);
    try {
      if (response.req.method !== 'HEAD') for await (const text of textsOf(file, first)) await taken(response, text);
      response.end();
    } catch (error) {
      if (!response.closed)
        this.#logger.warn({ err: error, request_id: currentRequest()?.id, message: 'A CSV file was broken off' });
      response.destroy();
    }
  }
}

/** Behind every other call in turn. */
function inBackground<T>(work: () => Promise<T>): Promise<T> {
  return withCallContext({ fresh: false, ...currentCallContext(), priority: 'background' }, work);
}

/** The text of a file, a page at a time; at most so many rows, then one that says what is left out. */
export async function* textsOf<Row>(
  { columns, read, timeOf }: CsvFile<Row>,
  first: CsvPage<Row>,
  most = MOST_ROWS,
): AsyncGenerator<string, void, undefined> {
  yield headOf(columns);
  let room = most;
  for (let page = first; ;) {
    const rows = page.data.slice(0, room);
    yield rows.map((row) => rowOf(columns, row)).join('');
    room -= rows.length;
    const last = rows.at(-1);
    if (room === 0 && last !== undefined && (page.next_cursor !== null || rows.length < page.data.length)) {
      yield remarkOf(columns, leftOut(most, timeOf(last)));
      return;
    }
    if (page.next_cursor === null) return;
    page = await read(page.next_cursor);
  }
}

function leftOut(most: number, lastTime: string): string {
  const end = new Date(Date.parse(lastTime) + 1).toISOString();
  return `A file has at most ${String(most)} rows: older ones are left out. Ask again with end=${end}; rows of ${lastTime} come again`;
}

/** Ends when the reader has taken so much that there is room for more; throws where it has gone, or takes nothing for a minute. */
async function taken(response: Response, text: string): Promise<void> {
  if (response.closed || response.destroyed) throw new Error('The reader has gone.');
  if (text === '' || response.write(text)) return;
  const stop = new AbortController();
  const { signal } = stop;
  const timeout = setTimeout(() => {
    stop.abort(new Error('The reader takes nothing.'));
  }, STALLED_MS);
  const gone = once(response, 'close', { signal }).then(() => {
    throw new Error('The reader has gone.');
  });
  try {
    await Promise.race([once(response, 'drain', { signal }), gone]);
  } finally {
    clearTimeout(timeout);
    gone.catch(() => undefined);
    stop.abort();
  }
}
