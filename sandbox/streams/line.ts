import { type Socket } from 'node:net';
import { type RawData, WebSocket } from 'ws';
import { type ExchangeName } from '../wire/faults.js';
import { type StreamFaultKind, type StreamFaults } from './faults.js';

/** A message on its way to a client. */
export interface Outgoing {
  /** Every id by which a fault may name the market that it is about; none where it is about no market. */
  readonly markets: readonly string[];
  /** Whether a client would notice the loss, or should: the fault `skip_sequence` hits these. */
  readonly numbered: boolean;
  /** Makes the text, and uses up its number. */
  readonly text: () => string;
}

interface LineOptions {
  exchange: ExchangeName;
  faults: StreamFaults;
  /** Says to the client what the exchange says of a reader that is too slow; called once for each time that it is. */
  onSlowReader: (line: StreamLine) => void;
}

/** Bytes in the process's own buffers at which the reader is too slow, and at which the line is cut whatever it was told. */
const SLOW_BYTES = 1024 * 1024;
const CUT_BYTES = 2 * SLOW_BYTES;
/** Of the fault `slow`: how many messages wait at most, and how often one leaves. */
const MOST_WAITING = 1_000;
const SLOW_STEP_MS = 250;
/** How long a line that is half open takes up its place: nobody tells the server that the client is gone. */
const DEAD_MS = 600_000;

/** One connection of a client: what goes out passes the armed faults here, and a reader that is too slow is cut. */
export class StreamLine {
  #waiting: string[] = [];
  #held: string | undefined;
  #step: NodeJS.Timeout | undefined;
  #isDead = false;
  #garbage = 0;
  #movedAt = Date.now();

  constructor(
    private readonly socket: WebSocket,
    private readonly raw: Socket,
    private readonly options: LineOptions,
  ) {
    socket.once('close', () => {
      this.#stop();
    });
    for (const event of ['message', 'ping', 'pong']) {
      socket.on(event, () => {
        this.#movedAt = Date.now();
      });
    }
    // What a client does wrong on the wire ends its connection: `ws` sees to that.
    socket.on('error', () => undefined);
  }

  get isOpen(): boolean {
    return !this.#isDead && this.socket.readyState === WebSocket.OPEN;
  }

  /** Since when no frame has gone either way, ms. */
  get quietMs(): number {
    return Date.now() - this.#movedAt;
  }

  onText(handle: (text: string) => void): void {
    this.socket.on('message', (data, isBinary) => {
      if (!this.#isDead) handle(isBinary ? '' : textOf(data));
    });
  }

  onClose(handle: () => void): void {
    this.socket.once('close', handle);
  }

  /** Sends what no fault but `slow` touches: PONG. */
  pong(text: string): void {
    if (this.isOpen) this.#pass(text, []);
  }

  /** Sends the answer to a command, which `silence` swallows and `slow` delays. */
  reply(text: string): void {
    if (this.isOpen && !this.#isHit('silence', [])) this.#pass(text, []);
  }

  ping(body: string): void {
    if (this.isOpen) this.socket.ping(body);
  }

  /** True where nothing about these markets may be said. */
  isSilenced(markets: readonly string[]): boolean {
    return this.#isHit('silence_market', markets);
  }

  /** Sends a message, or does with it what the armed faults say. */
  send({ markets, numbered, text }: Outgoing): void {
    if (!this.isOpen || this.isSilenced(markets)) return;
    const content = text();
    if (this.#isHit('silence', markets) || (numbered && this.#isHit('skip_sequence', markets))) return;
    if (this.#isHit('garbage', markets)) this.#sendGarbage(content);
    else if (this.#held === undefined && this.#isHit('reorder', markets)) this.#held = content;
    else this.#sendInOrder(content, markets);
  }

  #sendInOrder(content: string, markets: readonly string[]): void {
    const held = this.#held;
    this.#held = undefined;
    this.#pass(content, markets);
    if (this.#isHit('duplicate', markets)) this.#pass(content, markets);
    if (held !== undefined) this.#pass(held, markets);
  }

  #isHit(kind: StreamFaultKind, markets: readonly string[]): boolean {
    return this.options.faults.take(this.options.exchange, kind, markets);
  }

  /** Ends in the ordinary way. */
  close(code: number, reason: string): void {
    if (this.isOpen) this.socket.close(code, reason);
  }

  /** The connection is reset: the client sees neither a close frame nor an end. */
  drop(): void {
    this.raw.resetAndDestroy();
  }

  /** As a line that a firewall forgot: nothing goes either way any more, and nobody is told. */
  goDead(): void {
    this.#isDead = true;
    this.#stop();
    this.socket.pause();
    setTimeout(() => {
      this.cut();
    }, DEAD_MS).unref();
  }

  /** Ends without a close frame. */
  cut(): void {
    this.socket.terminate();
  }

  #pass(content: string, markets: readonly string[]): void {
    if (this.#step === undefined && !this.#isHit('slow', markets)) this.#write(content);
    else this.#wait(content);
  }

  #wait(content: string): void {
    this.#waiting.push(content);
    this.#step ??= setInterval(() => {
      this.#release();
    }, SLOW_STEP_MS);
    if (this.#waiting.length <= MOST_WAITING) return;
    this.#waiting = [];
    this.options.onSlowReader(this);
  }

  /** One message of those that wait; all of them once the fault is over. */
  #release(): void {
    const isOver = !this.options.faults.has(this.options.exchange, 'slow');
    const leaving = this.#waiting.splice(0, isOver ? this.#waiting.length : 1);
    if (this.#waiting.length === 0) this.#stopSteps();
    for (const content of leaving) this.#write(content);
  }

  #write(content: string | Buffer): void {
    if (!this.isOpen) return;
    this.#movedAt = Date.now();
    const before = this.socket.bufferedAmount;
    this.socket.send(content);
    const after = this.socket.bufferedAmount;
    if (after > CUT_BYTES) this.cut();
    else if (before <= SLOW_BYTES && after > SLOW_BYTES) this.options.onSlowReader(this);
  }

  #sendGarbage(content: string): void {
    const kinds = [
      content.slice(0, Math.ceil(content.length / 2)),
      Buffer.from([0xff, 0x00, 0xfe, 0x01]),
      '{"event_type":"unheard_of","type":"unheard_of","msg":[null]}',
    ];
    const garbage = kinds[this.#garbage % kinds.length] ?? '';
    this.#garbage += 1;
    this.#write(garbage);
  }

  #stop(): void {
    this.#stopSteps();
    this.#held = undefined;
    this.#waiting = [];
  }

  #stopSteps(): void {
    clearInterval(this.#step);
    this.#step = undefined;
  }
}

function textOf(data: RawData): string {
  if (Array.isArray(data)) return Buffer.concat(data).toString('utf8');
  return Buffer.isBuffer(data) ? data.toString('utf8') : Buffer.from(data).toString('utf8');
}
