import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';

/** Ports below those that a system gives to connections and to servers that name none; each worker has some to itself. */
const [FIRST_PORT, PORTS, WORKERS] = [11_000, 2_000, 10];
const TRIES = 100;
const worker = Number(process.env.JEST_WORKER_ID ?? '1') % WORKERS;
let last = randomInt(PORTS);

/** What is free of these stays so until this process listens. */
function nextPort(): number {
  last += 1;
  return FIRST_PORT + worker * PORTS + (last % PORTS);
}

/** Makes any server listen on a free port of loopback, and knows its connections. */
export class Loopback {
  readonly #sockets = new Set<Socket>();
  #port = 0;
  /** How many connections have come in all. */
  connections = 0;
  /** How many of them are over. */
  closed = 0;

  private constructor(private readonly server: Server) {
    server.on('connection', (socket: Socket) => {
      this.connections += 1;
      this.#sockets.add(socket);
      socket
        .on('error', () => undefined)
        .on('close', () => {
          this.closed += 1;
          this.#sockets.delete(socket);
        });
    });
  }

  static async start(server: Server): Promise<Loopback> {
    const loopback = new Loopback(server);
    await loopback.#listen();
    return loopback;
  }

  get port(): number {
    return this.#port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get openSockets(): number {
    return this.#sockets.size;
  }

  /** Closes all connections and refuses new ones, while `work` runs. */
  async refusing<T>(work: () => Promise<T>): Promise<T> {
    await this.close();
    try {
      return await work();
    } finally {
      await this.#listen();
    }
  }

  /** Cuts all connections. */
  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  /** On the port of before, if there was one. */
  async #listen(tries = TRIES): Promise<void> {
    const port = this.#port === 0 ? nextPort() : this.#port;
    try {
      const listens = once(this.server, 'listening');
      this.server.listen(port, '127.0.0.1');
      await listens;
      this.#port = port;
    } catch (error) {
      if (this.#port !== 0 || tries === 1) throw error;
      await this.#listen(tries - 1);
    }
  }
}

/** A port that nobody listens on. */
export async function freePort(): Promise<number> {
  const loopback = await Loopback.start(createServer());
  await loopback.close();
  return loopback.port;
}
