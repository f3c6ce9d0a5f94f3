import { type WireRequest, type WireResponse } from '../wire/server.js';

/** Answers a request; `params` are the decoded `:name` segments of its path. */
export type RouteHandler = (request: WireRequest, params: Readonly<Record<string, string>>) => WireResponse;

/** `GET /data/order/:id` to handler. Among fitting patterns the first one written wins. */
export type Routes = Readonly<Record<string, RouteHandler>>;

interface Route {
  method: string;
  segments: string[];
  handler: RouteHandler;
}

/** Finds the handler of a request: 404 for a path that no pattern fits, 405 for a method it has not. */
export class Router {
  readonly #routes: Route[];

  constructor(
    routes: Routes,
    private readonly refuse: (status: 404 | 405) => WireResponse,
  ) {
    this.#routes = Object.entries(routes).map(([pattern, handler]) => {
      const [method = '', path = ''] = pattern.split(' ');
      return { method, segments: path.split('/'), handler };
    });
  }

  handle(request: WireRequest): WireResponse {
    const parts = request.path.split('/');
    const fitting = this.#routes.flatMap((route) => {
      const params = match(route.segments, parts);
      return params === undefined ? [] : [{ route, params }];
    });
    const found = fitting.find(({ route }) => route.method === request.method);
    if (found !== undefined) return found.route.handler(request, found.params);
    return this.refuse(fitting.length > 0 ? 405 : 404);
  }
}

function match(segments: string[], parts: string[]): Record<string, string> | undefined {
  if (segments.length !== parts.length) return undefined;
  const params: Record<string, string> = {};
  for (const [at, segment] of segments.entries()) {
    const part = parts[at] ?? '';
    if (segment.startsWith(':') && part !== '') params[segment.slice(1)] = decoded(part);
    else if (segment !== part) return undefined;
  }
  return params;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
