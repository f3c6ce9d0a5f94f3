import { Agent, createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

const ARRIVAL_LIMIT_MS = 20_000;

/** A request as it came to the gateway. */
export interface Arrival {
  readonly method: string;
  readonly path: string;
  /** Names and values in turn, as on the wire. */
  readonly rawHeaders: readonly string[];
  /** The caller hung up before there was an answer. */
  abandoned: boolean;
}

/** What to do instead of passing a request on. */
export type Misbehaviour = (response: ServerResponse, message: IncomingMessage) => void;

/**
 * Stands between the service and one server of the sandbox, counts what arrives, and misbehaves in ways that a JSON server
 * cannot: raw bytes, compressed bombs, answers that drip.
 */
export class Gateway {
  readonly arrived: Arrival[] = [];
  readonly #server: Server;
  readonly #agent = new Agent({ keepAlive: true });
  #misbehaviours: { path: string; act: Misbehaviour; method: string | undefined }[] = [];
  /** Added to every answer. */
  extraHeaders: Readonly<Record<string, string>> = {};

  private constructor(private readonly target: URL) {
    this.#server = createServer((message, response) => {
      this.#serve(message, response);
    });
  }

  /** `address` may have a path, which `url` then has too. */
  static async to(address: string): Promise<Gateway> {
    const gateway = new Gateway(new URL(address));
    await new Promise<void>((resolve) => gateway.#server.listen(0, '127.0.0.1', resolve));
    return gateway;
  }

  get url(): string {
    const { port } = this.#server.address() as AddressInfo;
    return `http://127.0.0.1:${port}${this.target.pathname}`.replace(/\/$/, '');
  }

  /** For requests (of one method) whose path holds `path`, until `heal`. */
  misbehave(path: string, act: Misbehaviour, method?: string): void {
    this.#misbehaviours.push({ path, act, method });
  }

  /** Keeps requests of one method whose path holds `path` from now on, and passes them on at `release`. */
  hold(method: string, path: string): { release: () => void } {
    const held: (() => void)[] = [];
    const act: Misbehaviour = (response, message) => {
      held.push(() => {
        this.#pass(message, response);
      });
    };
    const holding = { path, act, method };
    this.#misbehaviours.push(holding);
    return {
      release: () => {
        this.#misbehaviours = this.#misbehaviours.filter((one) => one !== holding);
        for (const passOn of held.splice(0)) passOn();
      },
    };
  }

  heal(): void {
    this.#misbehaviours = [];
    this.extraHeaders = {};
  }

  /** How many requests with this method to a path that holds `path` have come. */
  count(method: string, path: string): number {
    return this.arrived.filter((one) => one.method === method && one.path.includes(path)).length;
  }

  /** Until so many requests with this method to a path that holds `path` have come in all. */
  async hasCome(method: string, path: string, times: number): Promise<void> {
    const deadline = Date.now() + ARRIVAL_LIMIT_MS;
    while (this.count(method, path) < times) {
      if (Date.now() > deadline) throw new Error(`${method} ${path} did not come`);
      await delay(5);
    }
  }

  /** Closes all connections and refuses new ones, while `work` runs. */
  async refusing<T>(work: () => Promise<T>): Promise<T> {
    const { port } = this.#server.address() as AddressInfo;
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
    try {
      return await work();
    } finally {
      await new Promise<void>((resolve) => this.#server.listen(port, '127.0.0.1', resolve));
    }
  }

  async close(): Promise<void> {
    this.#agent.destroy();
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }

  #serve(message: IncomingMessage, response: ServerResponse): void {
    const { method = 'GET', url: path = '/', rawHeaders } = message;
    const arrival: Arrival = { method, path, rawHeaders: [...rawHeaders], abandoned: false };
    this.arrived.push(arrival);
    response.once('close', () => {
      arrival.abandoned = !response.writableEnded;
    });
    const act = this.#misbehaviours.find(
      (one) => path.includes(one.path) && (one.method === undefined || one.method === method),
    )?.act;
    if (act !== undefined) {
      message.resume().once('end', () => {
        for (const [name, value] of Object.entries(this.extraHeaders)) response.setHeader(name, value);
        act(response, message);
      });
      return;
    }
    this.#pass(message, response);
  }

  #pass(message: IncomingMessage, response: ServerResponse): void {
    const { hostname, port } = this.target;
    const { method, url: path, headers } = message;
    const options = { hostname, port, method, path, headers, agent: this.#agent };
    const onward = request(options, (answer) => {
      response.writeHead(answer.statusCode ?? 502, { ...answer.headers, ...this.extraHeaders });
      answer.pipe(response);
    });
    onward.on('error', () => {
      message.socket.resetAndDestroy();
    });
    message.pipe(onward);
  }
}
