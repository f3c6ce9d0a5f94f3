import { z } from 'zod';
import { isRecord, parseJson } from '../../wire/json.js';

/** The channels of the WebSocket API; of the last ones the stand-in has nothing to tell (streams.md 1). */
const CHANNELS = [
  'orderbook_delta',
  'ticker',
  'trade',
  'fill',
  'user_orders',
  'market_positions',
  'market_lifecycle_v2',
  'multivariate_market_lifecycle',
  'order_group_updates',
  'communications',
  'cfbenchmarks_value',
  'cfbenchmarks_value_5hz',
  'pyth_value',
] as const;
export type Channel = (typeof CHANNELS)[number];

/** Codes of errors with their texts; 6, 16 and 17 are never sent any more. */
const ERRORS = {
  1: 'Unable to process message',
  2: 'Params required',
  3: 'Channels required',
  4: 'Subscription IDs required',
  5: 'Unknown command',
  7: 'Unknown subscription ID',
  8: 'Unknown channel name',
  9: 'Authentication required',
  11: 'Invalid parameter',
  12: 'Exactly one subscription ID is required',
  13: 'Unsupported action',
  14: 'Market Ticker required',
  15: 'Action required',
  25: 'Subscription buffer overflow',
  26: 'Too many markets in subscription',
  27: 'Too many commands',
} as const;
export type ErrorCode = keyof typeof ERRORS;

/** What is wrong with a command; `sid` where it is about a subscription. */
export class CommandError extends Error {
  constructor(
    readonly code: ErrorCode,
    readonly sid?: number,
  ) {
    super(ERRORS[code]);
  }
}

interface Options {
  yesPrice: boolean;
  initialTicker: boolean;
  skipAck: boolean;
}

/** Which markets a command names: tickers, and UUIDs for the channel `ticker` alone. */
export interface Named {
  tickers: string[];
  ids: string[];
}

/** A command of the right form; `id` is the client's, undefined for none. */
export type Command = { id: number | undefined } & (
  | { cmd: 'subscribe'; channels: Channel[]; markets: Named; options: Options }
  | { cmd: 'update_subscription'; sid: number; action: Action; markets: Named; options: Options }
  | { cmd: 'unsubscribe'; sids: number[] }
  | { cmd: 'list_subscriptions' }
);

const ACTIONS = ['add_markets', 'delete_markets', 'get_snapshot'] as const;
type Action = (typeof ACTIONS)[number];

const LIST = z.array(z.string().min(1).max(100)).max(20_000);
const PARAMS = z.looseObject({
  channels: z.array(z.string()).max(100).optional(),
  market_ticker: z.string().min(1).max(100).optional(),
  market_tickers: LIST.optional(),
  market_id: z.string().optional(),
  market_ids: LIST.optional(),
  sid: z.int().optional(),
  sids: z.array(z.int()).max(1_000).optional(),
  action: z.string().optional(),
  use_yes_price: z.boolean().optional(),
  send_initial_snapshot: z.boolean().optional(),
  skip_ticker_ack: z.boolean().optional(),
});
type Params = z.infer<typeof PARAMS>;

/** The client's own id of a command, however wrong the rest of that is; 0 counts as none. */
export function idOf(text: string): number | undefined {
  const command = parseJson(text);
  const id = isRecord(command) ? command.id : undefined;
  return typeof id === 'number' && Number.isSafeInteger(id) && id > 0 ? id : undefined;
}

/** Reads a command. Throws `CommandError`. */
export function parseCommand(text: string): Command {
  const command = parseJson(text);
  if (!isRecord(command)) throw new CommandError(1);
  const id = idOf(text);
  if (command.cmd === 'list_subscriptions') return { id, cmd: command.cmd };
  const cmd = (['subscribe', 'unsubscribe', 'update_subscription'] as const).find((name) => name === command.cmd);
  if (cmd === undefined) throw new CommandError(5);
  const params = paramsOf(command.params);
  if (cmd === 'subscribe') return { id, cmd, ...subscribe(params) };
  if (cmd === 'update_subscription') return { id, cmd, ...update(params) };
  const { sids = [] } = params;
  if (sids.length === 0) throw new CommandError(4);
  return { id, cmd, sids };
}

function paramsOf(value: unknown): Params {
  if (value === undefined || value === null) throw new CommandError(2);
  const parsed = PARAMS.safeParse(value);
  if (!parsed.success) throw new CommandError(11);
  return parsed.data;
}

function subscribe(params: Params): { channels: Channel[]; markets: Named; options: Options } {
  const { channels = [] } = params;
  if (channels.length === 0) throw new CommandError(3);
  const known = channels.map((name) => {
    const channel = CHANNELS.find((candidate) => candidate === name);
    if (channel === undefined) throw new CommandError(8);
    return channel;
  });
  const markets = named(params);
  if (known.includes('orderbook_delta') && markets.tickers.length === 0) throw new CommandError(14);
  if (markets.ids.length > 0 && known.some((channel) => channel !== 'ticker')) throw new CommandError(11);
  return { channels: known, markets, options: optionsOf(params) };
}

function update(params: Params): { sid: number; action: Action; markets: Named; options: Options } {
  const sids = [...(params.sid === undefined ? [] : [params.sid]), ...(params.sids ?? [])];
  const [sid] = sids;
  if (sid === undefined || sids.length > 1) throw new CommandError(12);
  if (params.action === undefined) throw new CommandError(15);
  const action = ACTIONS.find((candidate) => candidate === params.action);
  if (action === undefined) throw new CommandError(13);
  const markets = named(params);
  if (markets.tickers.length + markets.ids.length === 0) throw new CommandError(14);
  return { sid, action, markets, options: optionsOf(params) };
}

/** One of the two ways to name markets, not both. */
function named({ market_ticker, market_tickers, market_id, market_ids }: Params): Named {
  if (market_ticker !== undefined && market_tickers !== undefined) throw new CommandError(11);
  if (market_id !== undefined && market_ids !== undefined) throw new CommandError(11);
  return {
    tickers: market_ticker === undefined ? (market_tickers ?? []) : [market_ticker],
    ids: market_id === undefined ? (market_ids ?? []) : [market_id],
  };
}

function optionsOf({ use_yes_price, send_initial_snapshot, skip_ticker_ack }: Params): Options {
  return {
    yesPrice: use_yes_price ?? false,
    initialTicker: send_initial_snapshot ?? false,
    skipAck: skip_ticker_ack ?? false,
  };
}
