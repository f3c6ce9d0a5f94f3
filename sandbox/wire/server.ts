import { setMaxListeners } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { Socket } from 'node:net';
import { type Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Answered, brokenText, itemFaultsOf, itemFaultText, padded, textOf, withHeaders } from './answers.js';
import {
  type ExchangeName,
  type Fault,
  type FaultList,
  isItemFault,
  type ItemFaultKind,
  type WholeFaultKind,
} from './faults.js';
import { type ItemFaults } from './items.js';
import { listenOnLoopback, readBody, stopServer } from './loopback.js';
import { Refusal } from './refusal.js';
import { type RequestLog } from './request-log.js';
import { writeRefusal } from './upgrade.js';

/** A request as an exchange stand-in sees it. */
export interface WireRequest {
  method: string;
  /** As received, percent-encoded, without the query. */
  path: string;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  body: string;
  /** By the exchange's clock. */
  receivedAt: Date;
  /** What a fault does to the items of a batch. */
  items?: ItemFaults;
}

export type WireResponse = Answered;

type WireHandler = (request: WireRequest) => WireResponse | Promise<WireResponse>;

/** What all servers of the sandbox share. */
export interface Wiring {
  faults: FaultList;
  log: RequestLog;
  /** The exchange's clock: the `Date` header and `receivedAt`. */
  clock: () => Date;
}

/** What answers the WebSocket handshakes of a server. */
interface Upgrades {
  /** Decides on a handshake: returns what completes it, or throws a `Refusal`. */
  admit(request: WireRequest): (message: IncomingMessage, socket: Socket, head: Buffer) => void;
  close(): void;
}

interface WireServerOptions extends Wiring {
  exchange: ExchangeName;
  handler: WireHandler;
  /** Path prefix of the API; a fault's path may be given with or without it. */
  basePath?: string;
  /** The exchange's error body for a status, for the fault `status` and for failures of the handler. */
  errorBody?: (status: number) => unknown;
  /** What answers WebSocket handshakes; without it they are requests like others. */
  upgrades?: Upgrades;
}

const MAX_REQUEST_BYTES = 10 * 1024 * 1024;

/**
 * HTTP server of one exchange stand-in on 127.0.0.1: writes down each request, applies the armed faults,
 * lets the handler answer and stamps the answer with the exchange's clock.
 */
export class WireServer {
  readonly #server: Server;
  readonly #closing = new AbortController();
  /** Connections whose handshake is not answered yet. */
  readonly #handshakes = new Set<Socket>();

  constructor(private readonly options: WireServerOptions) {
    this.#server = createServer((request, response) => {
      this.#serve(request, response).catch(() => {
        response.destroy();
      });
    });
    this.#server.keepAliveTimeout = 60_000;
    const { upgrades } = this.options;
    if (upgrades !== undefined) {
      this.#server.on('upgrade', (message: IncomingMessage, socket: Duplex, head: Buffer) => {
        if (socket instanceof Socket) this.#upgrade(upgrades, message, socket, head);
      });
    }
    setMaxListeners(0, this.#closing.signal);
  }

  /** Starts listening (0: any free port) and resolves to `http://127.0.0.1:<port>`; rejects where the port is taken. */
  async listen(port = 0): Promise<string> {
    return listenOnLoopback(this.#server, port);
  }

  /** Stops listening and ends every connection, idle, delayed and hanging ones too. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.options.upgrades?.close();
    for (const socket of this.#handshakes) socket.destroy();
    await stopServer(this.#server);
  }

  #now(): Date {
    return this.options.clock();
  }

  async #serve(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readBody(message, MAX_REQUEST_BYTES);
    if (body === undefined) {
      this.#send(response, { status: 413, body: this.#errorBody(413) });
      return;
    }
    const request = this.#record(message, body);
    const fault = this.options.faults.take(this.options.exchange, request.method, this.#spellings(request.path));
    if (fault === undefined) this.#send(response, await this.#handle(request));
    else await this.#fail(fault, request, response);
  }

  #upgrade(upgrades: Upgrades, message: IncomingMessage, socket: Socket, head: Buffer): void {
    socket.on('error', () => undefined);
    this.#handshakes.add(socket);
    socket.once('close', () => this.#handshakes.delete(socket));
    const request = this.#record(message, '');
    const accept = (): void => {
      try {
        const complete = upgrades.admit(request);
        this.#handshakes.delete(socket);
        complete(message, socket, head);
      } catch (error) {
        if (!(error instanceof Refusal)) process.stderr.write(`sandbox handshake ${request.path}: ${String(error)}\n`);
        this.#refuse(socket, error instanceof Refusal ? error : { status: 500, body: this.#errorBody(500) });
      }
    };
    const fault = this.options.faults.take(this.options.exchange, request.method, this.#spellings(request.path));
    if (fault === undefined) accept();
    else this.#failUpgrade(fault, socket, accept);
  }

  /** Faults of requests hit handshakes too; `broken_body` breaks the answer that completes one. */
  #failUpgrade(fault: Fault, socket: Socket, accept: () => void): void {
    const reset = (): void => {
      socket.resetAndDestroy();
    };
    const status = fault.status ?? (fault.fault === 'redirect' ? 302 : 500);
    const answer = { status, body: fault.body ?? this.#errorBody(status) };
    const actions: Record<WholeFaultKind, () => void> = {
      hang: () => undefined,
      delay: () => {
        const timer = setTimeout(accept, fault.delay_ms ?? 0);
        socket.once('close', () => {
          clearTimeout(timer);
        });
      },
      reset_before: reset,
      reset_after: reset,
      status: () => {
        this.#refuse(socket, withHeaders(answer, fault));
      },
      broken_body: () => {
        socket.end('HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\n\r\n');
      },
      oversized: () => {
        this.#refuse(socket, withHeaders({ status, body: padded(answer.body) }, fault));
      },
      redirect: () => {
        const location = fault.location ?? '/redirected';
        this.#refuse(socket, withHeaders({ status, headers: { location } }, fault));
      },
    };
    if (isItemFault(fault.fault)) accept();
    else actions[fault.fault]();
  }

  #refuse(socket: Socket, answer: WireResponse): void {
    const headers = { date: this.#now().toUTCString(), ...answer.headers };
    writeRefusal(socket, { status: answer.status, headers }, textOf(answer));
  }

  #record(message: IncomingMessage, body: string): WireRequest {
    const method = message.method ?? 'GET';
    const url = message.url ?? '/';
    const { headers } = message;
    const mark = url.indexOf('?');
    const path = mark < 0 ? url : url.slice(0, mark);
    const query = mark < 0 ? '' : url.slice(mark + 1);
    this.options.log.add({
      exchange: this.options.exchange,
      method,
      url,
      path,
      query,
      headers: { ...headers },
      raw_headers: [...message.rawHeaders],
      body,
      received_at: new Date().toISOString(),
    });
    return { method, path, query: new URLSearchParams(query), headers, body, receivedAt: this.#now() };
  }

  #spellings(path: string): string[] {
    const base = this.options.basePath;
    return base !== undefined && path.startsWith(base) ? [path, path.slice(base.length)] : [path];
  }

  async #handle(request: WireRequest): Promise<WireResponse> {
    try {
      return await this.options.handler(request);
    } catch (error) {
      process.stderr.write(`sandbox ${this.options.exchange} ${request.method} ${request.path}: ${String(error)}\n`);
      return { status: 500, body: this.#errorBody(500) };
    }
  }

  async #fail(fault: Fault, request: WireRequest, response: ServerResponse): Promise<void> {
    const actions: Record<WholeFaultKind, () => void | Promise<void>> = {
      hang: () => undefined,
      delay: async () => {
        const answer = await this.#handle(request);
        await sleep(fault.delay_ms ?? 0, undefined, { signal: this.#closing.signal });
        this.#send(response, withHeaders(answer, fault));
      },
      reset_before: () => {
        response.req.socket.resetAndDestroy();
      },
      reset_after: async () => {
        await this.#handle(request);
        response.req.socket.resetAndDestroy();
      },
      status: () => {
        const status = fault.status ?? 500;
        this.#send(response, withHeaders({ status, body: fault.body ?? this.#errorBody(status) }, fault));
      },
      broken_body: async () => {
        const answer = await this.#handle(request);
        this.#sendText(response, withHeaders(answer, fault), brokenText(answer, fault));
      },
      oversized: async () => {
        const answer = await this.#handle(request);
        this.#send(response, withHeaders({ ...answer, body: padded(answer.body) }, fault));
      },
      redirect: () => {
        const location = fault.location ?? `${this.options.basePath ?? ''}/redirected`;
        this.#send(response, withHeaders({ status: fault.status ?? 302, headers: { location } }, fault));
      },
    };
    if (isItemFault(fault.fault)) await this.#failItems(fault.fault, fault, request, response);
    else await actions[fault.fault]();
  }

  async #failItems(kind: ItemFaultKind, fault: Fault, request: WireRequest, response: ServerResponse): Promise<void> {
    const answer = await this.#handle({ ...request, items: itemFaultsOf(fault) });
    if (kind === 'reset_midway') response.req.socket.resetAndDestroy();
    else this.#sendText(response, withHeaders(answer, fault), itemFaultText(kind, answer, fault));
  }

  #errorBody(status: number): unknown {
    return this.options.errorBody?.(status) ?? { error: `status ${status}` };
  }

  #send(response: ServerResponse, answer: WireResponse): void {
    this.#sendText(response, answer, textOf(answer));
  }

  #sendText(response: ServerResponse, answer: WireResponse, text: string): void {
    const payload = Buffer.from(text, 'utf8');
    response.sendDate = false;
    response.writeHead(answer.status, {
      date: this.#now().toUTCString(),
      ...(text === '' ? {} : { 'content-type': 'application/json' }),
      'content-length': String(payload.length),
      ...answer.headers,
    });
    response.end(payload);
  }
}
