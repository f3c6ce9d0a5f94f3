import { EXCHANGE_NAMES, type ExchangeName, InvalidFault, oneOf, optional, text, whole } from '../wire/faults.js';
import { type Json } from '../wire/json.js';

/**
 * What can go wrong with a stream (contract.md 7). "Numbers" are Kalshi's `seq`.
 * - `drop`: open connections are reset; while the fault lasts new ones are, too, after the handshake
 * - `half_open`: connections stay, but nothing is sent or read any more and no end is told
 * - `silence`: connections answer pings and send nothing else; what they would have sent is lost
 * - `silence_market`: the same for one market, which then uses up no numbers
 * - `skip_sequence`: numbered messages (Polymarket: `price_change`) are lost after their number was used up
 * - `reorder`: a message goes out after the one that follows it
 * - `duplicate`: a message goes out twice
 * - `slow`: messages wait in a queue, which ends the line's patience when it is full
 * - `garbage`: in place of a message comes broken JSON, a binary frame, or JSON of no known shape, in turn
 */
const STREAM_FAULT_KINDS = [
  'drop',
  'half_open',
  'silence',
  'silence_market',
  'skip_sequence',
  'reorder',
  'duplicate',
  'slow',
  'garbage',
] as const;
export type StreamFaultKind = (typeof STREAM_FAULT_KINDS)[number];

/** One fault of a stream as posted to the control server. */
export interface StreamFault {
  exchange: ExchangeName;
  stream: StreamFaultKind;
  /** Hits this market alone, and of connections those that are subscribed to it: a ticker, condition or token id. */
  market_id?: string;
  /** How long the fault lasts. */
  for_ms?: number;
  /** How many more messages (`drop`, `half_open`: new connections) it hits. */
  times?: number;
}

interface Armed {
  readonly fault: StreamFault;
  /** By the clock of the host, ms. */
  readonly until: number;
  times: number;
}

/** Hit one message where the fault says neither how long nor how often. */
const ONCE: readonly StreamFaultKind[] = ['skip_sequence', 'reorder', 'duplicate', 'garbage'];
/** Hit what is open when they are armed, and nothing later where the fault says neither how long nor how often. */
const AT_ONCE: readonly StreamFaultKind[] = ['drop', 'half_open'];
const MOST_FAULTS = 1_000;

/** The armed faults of streams, shared by both exchanges. The oldest one that fits is used up first. */
export class StreamFaults {
  #armed: Armed[] = [];
  readonly #listeners = new Set<(fault: StreamFault) => void>();

  /** Throws `InvalidFault` where there are too many. */
  add(fault: StreamFault): void {
    this.#expire();
    if (this.#armed.length >= MOST_FAULTS) throw new InvalidFault('There are too many faults: disarm some.');
    this.#armed.push({
      fault: { ...fault },
      until: fault.for_ms === undefined ? Number.POSITIVE_INFINITY : Date.now() + fault.for_ms,
      times: timesOf(fault),
    });
    for (const listener of this.#listeners) listener(fault);
    this.#expire();
  }

  /** Disarms everything and says how many faults there were. */
  clear(): number {
    this.#expire();
    const count = this.#armed.length;
    this.#armed = [];
    return count;
  }

  /** What is armed, with the times that are left. */
  list(): StreamFault[] {
    this.#expire();
    return this.#armed.map(({ fault, times }) => ({ ...fault, ...(fault.times === undefined ? {} : { times }) }));
  }

  /** True where a fault of the kind hits something about these markets; it is counted down. */
  take(exchange: ExchangeName, stream: StreamFaultKind, markets: readonly string[]): boolean {
    if (this.#armed.length === 0) return false;
    this.#expire();
    const hit = this.#armed.find(
      ({ fault }) =>
        fault.exchange === exchange &&
        fault.stream === stream &&
        (fault.market_id === undefined || markets.includes(fault.market_id)),
    );
    if (hit === undefined) return false;
    hit.times -= 1;
    return true;
  }

  /** True while a fault of the kind is armed. */
  has(exchange: ExchangeName, stream: StreamFaultKind): boolean {
    this.#expire();
    return this.#armed.some(({ fault }) => fault.exchange === exchange && fault.stream === stream);
  }

  /** Tells of each fault as it is armed; returns what ends that. */
  watch(listener: (fault: StreamFault) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #expire(): void {
    const now = Date.now();
    this.#armed = this.#armed.filter(({ until, times }) => until > now && times > 0);
  }
}

function timesOf({ stream, for_ms, times }: StreamFault): number {
  if (times !== undefined) return times;
  if (for_ms !== undefined) return Number.POSITIVE_INFINITY;
  if (AT_ONCE.includes(stream)) return 0;
  return ONCE.includes(stream) ? 1 : Number.POSITIVE_INFINITY;
}

const FIELDS = new Set(['exchange', 'stream', 'market_id', 'for_ms', 'times']);
const LONGEST_MS = 3_600_000;

/** Checks a fault of a stream that came as JSON. Throws `InvalidFault`. */
export function parseStreamFault(input: Json): StreamFault {
  const unknown = Object.keys(input).find((key) => !FIELDS.has(key));
  if (unknown !== undefined) throw new InvalidFault(`Unknown field ${JSON.stringify(unknown)} of a fault of a stream.`);
  const stream = oneOf(input.stream, 'stream', STREAM_FAULT_KINDS);
  const market_id = optional(input.market_id, (value) => text(value, 'market_id'));
  const for_ms = optional(input.for_ms, (value) => whole(value, 'for_ms', [1, LONGEST_MS]));
  const times = optional(input.times, (value) => whole(value, 'times', [1, 1_000_000]));
  if (stream === 'silence_market' && market_id === undefined)
    throw new InvalidFault('market_id must be given with the fault "silence_market".');
  return {
    exchange: oneOf(input.exchange, 'exchange', EXCHANGE_NAMES),
    stream,
    ...(market_id === undefined ? {} : { market_id }),
    ...(for_ms === undefined ? {} : { for_ms }),
    ...(times === undefined ? {} : { times }),
  };
}
