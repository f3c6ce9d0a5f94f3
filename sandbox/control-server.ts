import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { EXCHANGE_NAMES, type ExchangeName, type FaultList, InvalidFault, parseFault } from './faults.js';
import { parseJson } from './json.js';
import { type RequestLog } from './request-log.js';
import { listenOnLoopback, stopServer } from './loopback.js';

interface Answer {
  status: number;
  body: unknown;
}

/**
 * The sandbox's own controls on 127.0.0.1 (DESIGN 7), no part of any exchange:
 * - `POST /faults`: arms a fault, answers 201 with it
 * - `GET /faults`: the armed faults; `DELETE /faults`: disarms all, `{ removed }`
 * - `GET /requests?exchange=`: a JSON array of what arrived, oldest first (`LoggedRequest`); without `exchange` all
 *
 * Bad input is 400 `{ error }` with a sentence that says what is wrong.
 */
export class ControlServer {
  private readonly server: Server;

  constructor(
    private readonly faults: FaultList,
    private readonly log: RequestLog,
  ) {
    this.server = createServer((request, response) => {
      this.answer(request, response).catch(() => {
        response.destroy();
      });
    });
  }

  /** Resolves to `http://127.0.0.1:<port>`. */
  async listen(port = 0): Promise<string> {
    return listenOnLoopback(this.server, port);
  }

  async close(): Promise<void> {
    await stopServer(this.server);
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { status, body } = this.route(request, new URL(request.url ?? '/', 'http://localhost'), await read(request));
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  }

  private route(request: IncomingMessage, url: URL, body: string): Answer {
    const routes: Record<string, Record<string, () => Answer>> = {
      '/faults': {
        POST: () => this.arm(body),
        GET: () => ({ status: 200, body: this.faults.list() }),
        DELETE: () => ({ status: 200, body: { removed: this.faults.clear() } }),
      },
      '/requests': { GET: () => this.requests(url.searchParams.get('exchange')) },
    };
    const methods = Object.hasOwn(routes, url.pathname) ? routes[url.pathname] : undefined;
    if (methods === undefined) return refused(404, 'There is only /faults and /requests.');
    const method = request.method ?? '';
    const run = Object.hasOwn(methods, method) ? methods[method] : undefined;
    return run?.() ?? refused(405, `Use ${Object.keys(methods).join(', ')}.`);
  }

  private arm(body: string): Answer {
    try {
      const fault = parseFault(parseJson(body));
      this.faults.add(fault);
      return { status: 201, body: fault };
    } catch (error) {
      if (error instanceof InvalidFault) return refused(400, error.message);
      throw error;
    }
  }

  private requests(name: string | null): Answer {
    if (name === null) return { status: 200, body: this.log.list() };
    const exchange: ExchangeName | undefined = EXCHANGE_NAMES.find((candidate) => candidate === name);
    if (exchange === undefined) return refused(400, `exchange must be one of: ${EXCHANGE_NAMES.join(', ')}.`);
    return { status: 200, body: this.log.list(exchange) };
  }
}

function refused(status: number, error: string): Answer {
  return { status, body: { error } };
}

async function read(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) if (Buffer.isBuffer(chunk)) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
