import { type WireRequest, type WireResponse } from '../wire/server.js';
import { type Account } from './account.js';
import { refusal } from './refusals.js';

/** What every route works with. `path` holds the decoded variable segments in order. */
export interface Call {
  request: WireRequest;
  path: string[];
  /** The exchange's clock, ms. */
  now: number;
}

/** A call whose signature has been checked. */
export interface SignedCall extends Call {
  account: Account;
}

type PublicRoute = (call: Call) => WireResponse;
type SignedRoute = (call: SignedCall) => WireResponse;

interface Route {
  method: string;
  segments: string[];
  run: (call: Call, authenticate: (request: WireRequest) => Account) => WireResponse;
}

/** Finds the route of a request. A pattern is a path under the base with `*` for one segment; earlier routes win. */
export class Router {
  readonly #routes: Route[] = [];

  constructor(
    private readonly basePath: string,
    private readonly authenticate: (request: WireRequest) => Account,
  ) {}

  /** A route that anyone may call. */
  open(method: string, pattern: string, route: PublicRoute): void {
    this.#routes.push({ method, segments: split(pattern), run: route });
  }

  /** A route that needs a signature. */
  signed(method: string, pattern: string, route: SignedRoute): void {
    const run: Route['run'] = (call, authenticate) => route({ ...call, account: authenticate(call.request) });
    this.#routes.push({ method, segments: split(pattern), run });
  }

  /** Runs the route; throws 404 for an unknown path and 405 for a known one with another method. */
  dispatch(request: WireRequest): WireResponse {
    const segments = request.path.startsWith(`${this.basePath}/`)
      ? split(request.path.slice(this.basePath.length)).map(decoded)
      : [];
    const fitting = this.#routes.filter((route) => fits(route, segments));
    const route = fitting.find((candidate) => candidate.method === request.method);
    if (route === undefined)
      throw fitting.length === 0 ? refusal(404, 'not_found') : refusal(405, 'method_not_allowed');
    const path = segments.filter((_, index) => route.segments[index] === '*');
    return route.run({ request, path, now: request.receivedAt.getTime() }, this.authenticate);
  }
}

function split(path: string): string[] {
  return path.split('/').slice(1);
}

function fits(route: Route, segments: string[]): boolean {
  return (
    route.segments.length === segments.length &&
    route.segments.every((segment, index) => segment === '*' || segment === segments[index])
  );
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
