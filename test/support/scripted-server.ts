import { createServer, type IncomingHttpHeaders, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request as it arrived. */
export interface ArrivedRequest {
  readonly method: string;
  /** As on the wire, percent-encoded, without the query. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** What to answer; `hangUp` closes the connection instead, `hang` never answers. */
type ScriptedAnswer = { readonly status?: number; readonly body?: unknown } | 'hangUp' | 'hang';
export type Script = (request: ArrivedRequest) => ScriptedAnswer;

/**
 * An HTTP server on loopback that answers by script and keeps what arrived. A script stands for one method and path; what
 * has none is 404.
 */
export class ScriptedServer {
  readonly arrived: ArrivedRequest[] = [];
  readonly #scripts = new Map<string, Script>();
  readonly #server: Server;
  /** Added to the `Date` of all answers. */
  skewMs = 0;

  private constructor() {
    this.#server = createServer((message, response) => {
      void readText(message).then((body) => {
        const request = toArrived(message, body);
        this.arrived.push(request);
        const answer = this.#scripts.get(`${request.method} ${request.path}`)?.(request) ?? { status: 404 };
        if (answer === 'hang') return;
        if (answer === 'hangUp') {
          message.socket.destroy();
          return;
        }
        response.setHeader('date', new Date(Date.now() + this.skewMs).toUTCString());
        response.writeHead(answer.status ?? 200, { 'content-type': 'application/json' });
        response.end(answer.body === undefined ? '' : JSON.stringify(answer.body));
      });
    });
  }

  static async start(): Promise<ScriptedServer> {
    const scripted = new ScriptedServer();
    await new Promise<void>((resolve) => scripted.#server.listen(0, '127.0.0.1', resolve));
    return scripted;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** `route` is `GET /path`; a body stands for a 200 with it. */
  on(route: string, script: Script): void {
    this.#scripts.set(route, script);
  }

  /** Forgets scripts and requests. */
  reset(): void {
    this.arrived.length = 0;
    this.#scripts.clear();
    this.skewMs = 0;
  }

  /** Arrived requests as `GET /path?query`, in order. */
  get targets(): string[] {
    return this.arrived.map(({ method, path, query }) => {
      const search = new URLSearchParams(query).toString();
      return `${method} ${path}${search === '' ? '' : `?${search}`}`;
    });
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }
}

function toArrived(message: IncomingMessage, body: string): ArrivedRequest {
  const [path = '', search = ''] = (message.url ?? '').split('?');
  const query = Object.fromEntries(new URLSearchParams(search));
  return { method: message.method ?? '', path, query, headers: message.headers, body };
}

async function readText(message: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
