import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { Loopback } from './loopback.js';

/** A request as it arrived. */
export interface ArrivedRequest {
  readonly method: string;
  /** As on the wire, percent-encoded, without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Path and query as on the wire. */
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
  /** Names and values in turn, as on the wire. */
  readonly rawHeaders: readonly string[];
  readonly body: string;
  /** The caller hung up before there was an answer. */
  readonly abandoned: boolean;
}

/** What to answer; `hang` never answers, `hangUp` closes the connection, `reset` breaks it. */
export type FakeAnswer =
  | { readonly status?: number; readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> }
  | 'hang'
  | 'hangUp'
  | 'reset';

/** Returns the answer, or `hang` where it writes to the response itself. */
export type FakeHandler = (request: ArrivedRequest, response: ServerResponse) => FakeAnswer;

/** An HTTP server on loopback that answers JSON as a test says and keeps what arrived. */
export class FakeServer {
  readonly arrived: ArrivedRequest[] = [];
  readonly #handlers = new Map<string, FakeHandler>();
  /** Added to the `Date` of all answers. */
  skewMs = 0;
  /** Answers what no route stands for. */
  otherwise: FakeHandler = () => ({ status: 404 });

  private constructor(readonly loopback: Loopback) {}

  static async start(): Promise<FakeServer> {
    const server = createServer();
    const fake = new FakeServer(await Loopback.start(server));
    server.on('request', (message, response) => void fake.#serve(message, response));
    return fake;
  }

  get url(): string {
    return this.loopback.url;
  }

  /** `route` is `GET /path`; the last word on a route counts. */
  on(route: string, handler: FakeHandler): this {
    this.#handlers.set(route, handler);
    return this;
  }

  /** What arrived at a route. */
  at(route: string): ArrivedRequest[] {
    return this.arrived.filter(({ method, path }) => `${method} ${path}` === route);
  }

  /** Arrived requests as `GET /path?query`, in order. */
  get targets(): string[] {
    return this.arrived.map(
      ({ method, path, query }) => `${method} ${path}${query.size === 0 ? '' : `?${query.toString()}`}`,
    );
  }

  /** Forgets routes and requests. */
  reset(): void {
    this.arrived.length = 0;
    this.#handlers.clear();
    this.skewMs = 0;
  }

  close(): Promise<void> {
    return this.loopback.close();
  }

  async #serve(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readText(message).catch(() => null);
    if (body === null) return;
    const request = toArrived(message, body);
    response.once('close', () => {
      request.abandoned = !response.writableEnded;
    });
    this.arrived.push(request);
    const handler = this.#handlers.get(`${request.method} ${request.path}`) ?? this.otherwise;
    const answer = handler(request, response);
    if (answer === 'hangUp') message.socket.destroy();
    else if (answer === 'reset') message.socket.resetAndDestroy();
    else if (answer !== 'hang') this.#send(response, answer);
  }

  #send(response: ServerResponse, { status = 200, body, headers }: Exclude<FakeAnswer, string>): void {
    response.sendDate = false;
    response.writeHead(status, {
      'content-type': 'application/json',
      date: new Date(Date.now() + this.skewMs).toUTCString(),
      ...headers,
    });
    response.end(body === undefined ? '' : JSON.stringify(body));
  }
}

function toArrived(message: IncomingMessage, body: string): ArrivedRequest & { abandoned: boolean } {
  const { method = '', url: target = '', headers, rawHeaders } = message;
  const [path = '', search = ''] = target.split('?');
  return { method, path, query: new URLSearchParams(search), target, headers, rawHeaders, body, abandoned: false };
}

async function readText(message: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
