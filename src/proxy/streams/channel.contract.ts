import type { Principal } from '../../access/principal.js';
import type { Exchange } from '../../exchanges/exchange.js';
import type { AppError } from '../../platform/errors/app-error.js';

export const CHANNELS = ['orderbooks', 'markets', 'trades', 'orders', 'fills'] as const;

/** What a stream may say (contract.md 5.14). */
export type ChannelName = (typeof CHANNELS)[number];

/** Those of an account: they follow no market, and may be of all. */
export const OWN_CHANNELS: readonly ChannelName[] = ['orders', 'fills'];

/** What one stream, or one `subscribe` of `GET /stream`, asks for; ids have been checked by their form alone. */
export interface Subscription {
  readonly exchange: Exchange;
  readonly channel: ChannelName;
  /** Empty for all, where the channel has that. */
  readonly marketIds: readonly string[];
  /** As the client names it. */
  readonly outcome: string;
  readonly orderId: string | null;
}

/** Who opens a stream, and where it went on before. */
export interface Opener {
  readonly caller: Principal;
  /** The `position` of the line of this channel and exchange behind which the client goes on, as it was; null for a new start. */
  readonly position: unknown;
}

/** What is owed to a reader who reads slowly: it can be told later, and less then. */
export interface Debt {
  /** Returns the JSON texts of the messages that are owed now, and owes them no more. */
  take(): readonly string[];
  /** Whether more is owed behind what was taken; left out where what is owed is put together, and taken at once. */
  readonly hasMore?: boolean;
  /** Whether a client may go on behind the last of what was taken; left out where nothing resumes. */
  readonly isResumable?: boolean;
}

/** Where a line tells its messages: each a JSON text of one line. */
export interface StreamSink {
  /** Whether the reader has to take something first: what can be made less of is owed then, by `owe`. */
  readonly isBehind: boolean;
  /** Tells a message, in order and surely; who takes too little of them is ended with `slow_consumer`. */
  tell(message: string): void;
  /** The same of a message behind which a client may go on later: it gets an `id` (contract.md 5.14). */
  tellResumable(message: string): void;
  /** Asks for what is owed as soon as the reader takes it. */
  owe(debt: Debt): void;
  /** Ends the stream; `error` is its last message. */
  end(error: AppError): void;
}

/** How a line stands, for heartbeats. */
export interface LineHealth {
  /** Whether the exchange can be heard. */
  readonly isConnected: boolean;
  /** When it was last heard, Unix milliseconds; null before. */
  readonly lastFrameMs: number | null;
  /** Books, markets or lists of the line that are live, and that are stale. */
  readonly live: number;
  readonly stale: number;
}

/** A subscription that is sure to begin: nothing of it has been told yet. */
export interface OpenLine {
  /** Which stored credentials the line hangs on, for `StreamGrants`; null for public data. */
  readonly credentialsVersion: string | null;
  /** Behind what a client may go on, as JSON of at most 1 KiB; null where nothing resumes. */
  readonly position: unknown;
  readonly health: LineHealth;
  /** Begins to tell; called once. */
  begin(sink: StreamSink): void;
  /** Tells nothing any more; may be called before `begin`. */
  close(): void;
}

/** One kind of messages, of any exchange. */
export interface Channel {
  readonly name: ChannelName;
  /** Whether a client may go on behind a message: its lines have a `position` then. */
  readonly isResumable: boolean;
  /**
   * Makes sure that a subscription will say something: throws as the routes of the same data do. A line that is returned must be
   * closed.
   */
  open(subscription: Subscription, opener: Opener): Promise<OpenLine>;
}
