import { type IncomingMessage } from 'node:http';
import { type Socket } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import { type ExchangeName } from '../wire/faults.js';
import { type Refusal } from '../wire/refusal.js';
import { type WireRequest } from '../wire/server.js';
import { type StreamFault, type StreamFaults } from './faults.js';
import { StreamLine } from './line.js';

/** One client's connection, as the exchange sees it. */
export interface StreamSession {
  /** A text frame of the client; a binary one comes as an empty text. */
  onText(text: string): void;
  /** The reader is too slow: what it has not taken is lost or will be. */
  onSlowReader(): void;
  /** True where the client is subscribed to a market of that id. */
  follows(marketId: string): boolean;
  onClose(): void;
}

/** What an exchange makes of a connection that it has let in. */
export type OpenSession = (line: StreamLine) => StreamSession;

interface StreamServerOptions {
  exchange: ExchangeName;
  faults: StreamFaults;
  /** Decides on a handshake; throws a `Refusal`. */
  admit: (request: WireRequest) => OpenSession;
  /** Whether messages are compressed for clients that offer it. */
  compresses: boolean;
  /** Body of the ping frames that the server sends every 10 s; none where left out. */
  heartbeat?: string;
  /** A connection on which nothing moves for so long is cut, without a close frame; none where left out. */
  idleMs?: number;
  /** Answer to one connection too many. */
  tooMany: Refusal;
}

const MAX_COMMAND_BYTES = 1024 * 1024;
const MAX_CONNECTIONS = 200;
const HEARTBEAT_MS = 10_000;

interface Open {
  line: StreamLine;
  session: StreamSession;
}

/** The WebSocket half of an exchange stand-in: takes over connections that its HTTP server hands on (`WireServer`). */
export class StreamServer {
  readonly #server: WebSocketServer;
  readonly #open = new Set<Open>();
  readonly #rounds: NodeJS.Timeout[] = [];
  readonly #unwatch: () => void;

  constructor(private readonly options: StreamServerOptions) {
    const { compresses, heartbeat, idleMs, faults } = options;
    this.#server = new WebSocketServer({
      noServer: true,
      maxPayload: MAX_COMMAND_BYTES,
      perMessageDeflate: compresses,
    });
    this.#unwatch = faults.watch((fault) => {
      this.#strike(fault);
    });
    if (heartbeat !== undefined) {
      this.#everyLine(HEARTBEAT_MS, (line) => {
        line.ping(heartbeat);
      });
    }
    if (idleMs !== undefined) {
      this.#everyLine(idleMs / 10, (line) => {
        if (line.isOpen && line.quietMs >= idleMs) line.cut();
      });
    }
  }

  /** How many connections are open. */
  get size(): number {
    return this.#open.size;
  }

  /** Decides on a handshake: returns what completes it, or throws a `Refusal`. */
  admit(request: WireRequest): (message: IncomingMessage, socket: Socket, head: Buffer) => void {
    const open = this.options.admit(request);
    if (this.#open.size >= MAX_CONNECTIONS) throw this.options.tooMany;
    return (message, socket, head) => {
      this.#server.handleUpgrade(message, socket, head, (client) => {
        this.#start(client, socket, open);
      });
    };
  }

  close(): void {
    this.#unwatch();
    for (const round of this.#rounds) clearInterval(round);
    for (const client of this.#server.clients) client.terminate();
    this.#server.close();
  }

  #everyLine(everyMs: number, run: (line: StreamLine) => void): void {
    const round = setInterval(() => {
      for (const { line } of this.#open) run(line);
    }, everyMs);
    this.#rounds.push(round.unref());
  }

  #start(client: WebSocket, socket: Socket, open: OpenSession): void {
    const { exchange, faults } = this.options;
    const line = new StreamLine(client, socket, {
      exchange,
      faults,
      onSlowReader: () => {
        session.onSlowReader();
      },
    });
    const session = open(line);
    const entry: Open = { line, session };
    this.#open.add(entry);
    line.onClose(() => {
      this.#open.delete(entry);
      session.onClose();
    });
    line.onText((text) => {
      try {
        session.onText(text);
      } catch (error) {
        process.stderr.write(`sandbox ${exchange} stream: ${String(error)}\n`);
        line.cut();
      }
    });
    if (faults.take(exchange, 'drop', [])) line.drop();
    else if (faults.take(exchange, 'half_open', [])) line.goDead();
  }

  /** Connections that are open feel `drop` and `half_open` at once. */
  #strike({ exchange, stream, market_id }: StreamFault): void {
    if (exchange !== this.options.exchange || (stream !== 'drop' && stream !== 'half_open')) return;
    for (const { line, session } of this.#open) {
      if (market_id !== undefined && !session.follows(market_id)) continue;
      if (stream === 'drop') line.drop();
      else line.goDead();
    }
  }
}
