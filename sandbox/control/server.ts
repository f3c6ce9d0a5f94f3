import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { parseStreamFault, type StreamFaults } from '../streams/faults.js';
import { EXCHANGE_NAMES, type ExchangeName, type FaultList, InvalidFault, parseFault } from '../wire/faults.js';
import { isRecord, parseJson } from '../wire/json.js';
import { listenOnLoopback, readBody, stopServer } from '../wire/loopback.js';
import { type RequestLog } from '../wire/request-log.js';
import { ControlAccess } from './access.js';

interface Answer {
  status: number;
  body: unknown;
}

/** What one exchange adds: paths, methods, and what each does with the parsed body of the request. */
export type ControlRoutes = Readonly<Record<string, Readonly<Record<string, (body: unknown) => Answer>>>>;

/** What all servers of the sandbox share. */
interface SharedParts {
  faults: FaultList;
  streamFaults: StreamFaults;
  log: RequestLog;
}

const TOKEN_BYTES = 32;
const MAX_BODY_BYTES = 64 * 1024;
const REQUEST_MS = 10_000;

/**
 * The sandbox's own controls on 127.0.0.1 (contract.md 7), no part of any exchange. The first part of every path is a token
 * made for this start:
 * - `POST /{token}/faults`: arms a fault of requests or, with `stream`, one of streams; answers 201 with it
 * - `GET /{token}/faults`: the armed faults; `DELETE`: disarms all, `{ removed }`
 * - what `exchanges` adds, each under the name of its exchange
 * - `GET /{token}/requests?exchange=`: a JSON array of what arrived, oldest first (`LoggedRequest`); without `exchange` all
 *
 * A foreign `Host` or any `Origin` is 403, no or a wrong token 401 (S-57), a body above 64 KiB 413, bad input 400; each with
 * `{ error }`, a sentence that says what is wrong.
 */
export class ControlServer {
  readonly #server: Server;
  readonly #token = randomBytes(TOKEN_BYTES).toString('base64url');
  readonly #access = new ControlAccess(this.#token);

  constructor(
    private readonly shared: SharedParts,
    private readonly exchanges: ControlRoutes = {},
  ) {
    this.#server = createServer({ requestTimeout: REQUEST_MS, headersTimeout: REQUEST_MS }, (request, response) => {
      this.#answer(request, response).catch(() => {
        response.destroy();
      });
    });
  }

  /** Resolves to `http://127.0.0.1:<port>/<token>`. */
  async listen(port = 0): Promise<string> {
    return `${await listenOnLoopback(this.#server, port)}/${this.#token}`;
  }

  async close(): Promise<void> {
    await stopServer(this.#server);
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { status, body } = this.#decide(request, await readBody(request, MAX_BODY_BYTES));
    response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' });
    response.end(JSON.stringify(body));
  }

  #decide(request: IncomingMessage, body: string | undefined): Answer {
    const entry = this.#access.admit(request);
    if ('error' in entry) return refused(entry.status, entry.error);
    if (body === undefined) return refused(413, `The body may have at most ${MAX_BODY_BYTES} bytes.`);
    return this.#route(request.method ?? '', entry.url, body);
  }

  #route(method: string, url: URL, body: string): Answer {
    const { faults, streamFaults } = this.shared;
    const routes: ControlRoutes = {
      ...this.exchanges,
      '/faults': {
        POST: (input) => this.#arm(input),
        GET: () => ({ status: 200, body: [...faults.list(), ...streamFaults.list()] }),
        DELETE: () => ({ status: 200, body: { removed: faults.clear() + streamFaults.clear() } }),
      },
      '/requests': { GET: () => this.#requests(url.searchParams.get('exchange')) },
    };
    const methods = Object.hasOwn(routes, url.pathname) ? routes[url.pathname] : undefined;
    if (methods === undefined) return refused(404, `There is only ${Object.keys(routes).join(', ')}.`);
    const run = Object.hasOwn(methods, method) ? methods[method] : undefined;
    return run?.(parseJson(body)) ?? refused(405, `Use ${Object.keys(methods).join(', ')}.`);
  }

  #arm(input: unknown): Answer {
    try {
      return { status: 201, body: this.#add(input) };
    } catch (error) {
      if (error instanceof InvalidFault) return refused(400, error.message);
      throw error;
    }
  }

  /** A fault that names a `stream` is one of streams. */
  #add(input: unknown): object {
    if (isRecord(input) && input.stream !== undefined) {
      const fault = parseStreamFault(input);
      this.shared.streamFaults.add(fault);
      return fault;
    }
    const fault = parseFault(input);
    this.shared.faults.add(fault);
    return fault;
  }

  #requests(name: string | null): Answer {
    if (name === null) return { status: 200, body: this.shared.log.list() };
    const exchange: ExchangeName | undefined = EXCHANGE_NAMES.find((candidate) => candidate === name);
    if (exchange === undefined) return refused(400, `exchange must be one of: ${EXCHANGE_NAMES.join(', ')}.`);
    return { status: 200, body: this.shared.log.list(exchange) };
  }
}

function refused(status: number, error: string): Answer {
  return { status, body: { error } };
}
