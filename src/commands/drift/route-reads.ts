import { AppError } from '../../platform/errors/app-error.js';
import { pathOf } from '../../platform/upstream/path.js';
import {
  type UpstreamClient,
  UpstreamError,
  type UpstreamFailure,
  type UpstreamResponse,
} from '../../platform/upstream/upstream-client.js';
import type { PublicRoute } from '../../exchanges/drift-sheet.js';
import { filled, find, namesIn } from './found-ids.js';

/** What became of the read of one route. */
export type RouteRead =
  | { readonly answer: UpstreamResponse }
  /** `reached` is true where the exchange answered, but nothing that can be read. */
  | { readonly failure: string; readonly reached: boolean };

/** Answers that nothing can be made of, though the exchange did answer. */
const UNUSABLE: ReadonlySet<UpstreamFailure> = new Set(['unreadable', 'too_large', 'redirect']);

const DAY_SECONDS = 86_400;

function times(): Map<string, string> {
  const now = Math.floor(Date.now() / 1_000);
  return new Map([
    ['now', String(now)],
    ['day_ago', String(now - DAY_SECONDS)],
  ]);
}

/** Reads each public route of one exchange once: those that need an id after those that find it, the others at once. */
export class RouteReads {
  readonly #reads = new Map<PublicRoute, Promise<RouteRead>>();

  /** `clientOf` returns the client of a base address, by the name of its setting. */
  constructor(
    private readonly routes: readonly PublicRoute[],
    private readonly clientOf: (base: string) => UpstreamClient,
  ) {}

  /** Never throws for what the exchange does; each wait in it ends within the time of a call. */
  read(route: PublicRoute): Promise<RouteRead> {
    const known = this.#reads.get(route);
    if (known !== undefined) return known;
    const read = this.#readOnce(route);
    this.#reads.set(route, read);
    return read;
  }

  async #readOnce(route: PublicRoute): Promise<RouteRead> {
    const ids = times();
    for (const name of namesIn(route)) {
      const id = ids.get(name) ?? (await this.#idOf(name, route));
      if (id === undefined) return { failure: `no {${name}} was found to ask for`, reached: false };
      ids.set(name, id);
    }
    try {
      return { answer: await this.#ask(route, ids) };
    } catch (error) {
      if (error instanceof UpstreamError) return failed(error);
      if (error instanceof AppError) return { failure: 'an id was found that cannot exist', reached: false };
      throw error;
    }
  }

  /** From the nearest route before this one that has it: so no two wait for each other. */
  async #idOf(name: string, route: PublicRoute): Promise<string | undefined> {
    for (const source of this.routes.slice(0, this.routes.indexOf(route)).reverse()) {
      const finder = source.finds?.[name];
      if (finder === undefined) continue;
      const read = await this.read(source);
      const id = 'answer' in read ? find(read.answer.body, finder) : undefined;
      if (id !== undefined) return id;
    }
    return undefined;
  }

  #ask({ base, path, query = {} }: PublicRoute, ids: ReadonlyMap<string, string>): Promise<UpstreamResponse> {
    const pairs = Object.entries(query).map(([name, text]): [string, string] => [name, filled(text, ids, String)]);
    return this.clientOf(base).request({
      method: 'GET',
      path: filled(path, ids, (id) => pathOf`/${id}`.slice(1)),
      query: pairs,
    });
  }
}

function failed({ failure, options: { status } }: UpstreamError): RouteRead {
  const text = status === undefined ? failure : `${failure}, status ${status}`;
  return { failure: text, reached: UNUSABLE.has(failure) };
}
