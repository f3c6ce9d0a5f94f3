import { Refusal } from './refusal.js';
import { type WireRequest, type WireResponse } from './server.js';

/** What every route works with. */
export interface Call {
  readonly request: WireRequest;
  /** The decoded `:name` segments of the path. */
  readonly params: Readonly<Record<string, string>>;
  /** The exchange's clock, ms. */
  readonly now: number;
}

/** A call whose signature has been checked. */
export interface AccountCall<A> extends Call {
  readonly account: A;
}

/** Returns the body of a 200, or a `Reply`. */
export type Route<C extends Call = Call> = (call: C) => unknown;

/** `GET /data/order/:id` to route. Among fitting patterns the first one written wins. */
export type Routes<C extends Call = Call> = Readonly<Record<string, Route<C>>>;

/** An answer that is not a 200 with JSON. */
export class Reply implements WireResponse {
  constructor(
    readonly status: number,
    readonly body: unknown,
    readonly headers: Record<string, string> = {},
  ) {}
}

/** Routes that need a signature, each of which runs with the account that `authenticate` finds. */
export function signedRoutes<A>(
  authenticate: (request: WireRequest) => A,
  routes: Routes<AccountCall<A>>,
): Record<string, Route> {
  const entries = Object.entries(routes).map(([pattern, route]): [string, Route] => [
    pattern,
    (call) => route({ ...call, account: authenticate(call.request) }),
  ]);
  return Object.fromEntries(entries);
}

interface RouterOptions {
  /** How every path begins; others are unknown. */
  basePath?: string;
  /** The answer to an unknown path (404), or to a known one with another method (405). */
  refuse: (status: 404 | 405) => Refusal;
  /** Compares decoded segments, of which a variable one may be empty; else the fixed ones as received. */
  decodesPaths?: boolean;
}

/** Finds the route of a request and runs it. */
export class Router {
  readonly #routes: readonly { method: string; segments: string[]; run: Route }[];

  constructor(
    routes: Routes,
    private readonly options: RouterOptions,
  ) {
    this.#routes = Object.entries(routes).map(([pattern, run]) => {
      const [method = '', path = ''] = pattern.split(' ');
      return { method, segments: path.split('/'), run };
    });
  }

  /** The answer to a request; a `Refusal` is one too. */
  handle(request: WireRequest): WireResponse {
    try {
      const answer = this.#run(request);
      return answer instanceof Reply ? answer : { status: 200, body: answer };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return { status: error.status, body: error.body };
    }
  }

  #run(request: WireRequest): unknown {
    const { basePath = '', refuse } = this.options;
    const parts = request.path.startsWith(`${basePath}/`) ? request.path.slice(basePath.length).split('/') : [];
    const fitting = this.#routes.flatMap((route) => {
      const params = this.#match(route.segments, parts);
      return params === undefined ? [] : [{ route, params }];
    });
    const found = fitting.find(({ route }) => route.method === request.method);
    if (found === undefined) throw refuse(fitting.length === 0 ? 404 : 405);
    return found.route.run({ request, params: found.params, now: request.receivedAt.getTime() });
  }

  #match(segments: string[], parts: string[]): Record<string, string> | undefined {
    if (segments.length !== parts.length) return undefined;
    const { decodesPaths = false } = this.options;
    const params: Record<string, string> = {};
    for (const [at, segment] of segments.entries()) {
      const part = parts[at] ?? '';
      if (segment.startsWith(':') && (part !== '' || decodesPaths)) params[segment.slice(1)] = decoded(part);
      else if (segment !== (decodesPaths ? decoded(part) : part)) return undefined;
    }
    return params;
  }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
