import type { Bot } from '../../bots/bot.js';
import { compare } from '../../exchanges/decimal.js';
import type { OrderDto } from '../../exchanges/unified.trading.dto.js';
import type { BotUsage } from '../../proxy/placing/reservations.repository.js';
import { fail, type Finding, ok, warn } from './finding.js';
import type { LedgerOrder } from './reserved-orders.repository.js';

const RISKS = ['open_risk', 'daily_risk', 'total_risk'] as const;
/** As many orders are named. */
const MOST_NAMED = 5;

export type ListedOrder = Pick<OrderDto, 'id' | 'client_order_id' | 'remaining_size'>;

function stateOf({ state, halted, heartbeat }: Bot): string {
  const beat =
    heartbeat === null
      ? 'no heartbeat'
      : heartbeat.missedSince !== null
        ? `heartbeat missed since ${heartbeat.missedSince.toISOString()}`
        : heartbeat.expiresAt === null
          ? 'heartbeat not armed'
          : `heartbeat armed until ${heartbeat.expiresAt.toISOString()}`;
  if (halted === null) return `${state}, ${beat}`;
  const { reason, by, at, isComplete } = halted;
  return `${state} (${reason}, by ${by}, ${at.toISOString()}, ${isComplete ? 'complete' : 'not complete'}), ${beat}`;
}

/** What is used of the limits of money, and whether one is used up. */
function moneyOf({ limits }: Bot, usage: BotUsage): { readonly words: string[]; readonly isUsedUp: boolean } {
  const parts = RISKS.flatMap((risk) => {
    const allowed = limits[`max_${risk}`];
    return Object.entries(usage[risk]).map(([currency, used]) => ({
      words: `${risk} ${used}${allowed === undefined ? '' : ` of ${allowed}`} ${currency}`,
      isUsedUp: allowed !== undefined && compare(used, allowed) >= 0,
    }));
  });
  return { words: parts.map(({ words }) => words), isUsedUp: parts.some(({ isUsedUp }) => isUsedUp) };
}

/** How a bot stands: its state, its beat, and what it has used of its limits. */
export function judgeBot(bot: Bot, usage: BotUsage): Finding {
  const { id, name, limits, halted, heartbeat } = bot;
  const { open_orders: open, orders_last_minute: minute, unsettled_orders: unsettled } = usage;
  const of = (most: number | undefined): string => (most === undefined ? '' : ` of ${most}`);
  const money = moneyOf(bot, usage);
  const counts = [
    `open_orders ${open}${of(limits.max_open_orders)}`,
    `orders_last_minute ${minute}${of(limits.max_orders_per_minute)}`,
    `unsettled_orders ${unsettled}`,
  ];
  const message = `${id} "${name}": ${stateOf(bot)}; ${[...money.words, ...counts].join(', ')}.`;
  if (halted?.isComplete === false) return warn(message, 'Orders of it may rest: the service goes on cancelling.');
  if (heartbeat?.missedSince != null) return warn(message, 'It sends nothing until it beats again.');
  if (money.isUsedUp) return warn(message, 'A limit is used up: it sends nothing that adds to it.');
  return ok(message);
}

/** An order that the exchange and the ledger tell differently: `lives` with less reserved than is open, or is `gone` from the exchange. */
interface Difference {
  readonly order: LedgerOrder;
  readonly kind: 'lives' | 'gone';
  readonly listed: string;
}

/** How what is reserved for orders of bots differs from the open orders that the exchange lists. */
export function differencesOf(listed: readonly ListedOrder[], known: readonly LedgerOrder[]): Difference[] {
  return known.flatMap((order): Difference[] => {
    const { orderId, clientOrderId, state, open } = order;
    const shown = listed.find(
      ({ id, client_order_id: client }) => id === orderId || (client !== null && client === clientOrderId),
    );
    if (shown !== undefined && compare(shown.remaining_size, open) > 0)
      return [{ order, kind: 'lives', listed: shown.remaining_size }];
    const mayBeGone = shown === undefined && state !== 'sending' && state !== 'unknown';
    return mayBeGone && compare(open, '0') > 0 ? [{ order, kind: 'gone', listed: '0' }] : [];
  });
}

function named(differences: readonly Difference[]): string {
  const names = differences.slice(0, MOST_NAMED).map(({ order, listed }) => {
    return `${order.orderId ?? order.clientOrderId ?? order.id} of ${order.botId} (${listed} open there, ${order.open} reserved)`;
  });
  return differences.length > MOST_NAMED ? `${names.join(', ')}, and more` : names.join(', ');
}

/** What is reserved for orders of bots beside what the exchange shows. */
export function judgeOrders(known: readonly LedgerOrder[], differences: readonly Difference[]): Finding {
  const [lives, gone] = (['lives', 'gone'] as const).map((kind) => differences.filter((one) => one.kind === kind));
  if (lives !== undefined && lives.length > 0) {
    return fail(
      `Orders of bots live with less reserved than could be executed: ${named(lives)}.`,
      'Unless their owner has changed them at the exchange: halt the bots (npm run bots -- halt --user).',
    );
  }
  if (gone !== undefined && gone.length > 0) {
    return warn(
      `Something is reserved for orders that the exchange does not list as open: ${named(gone)}.`,
      'The service gives it back once that is proved, in a minute or two.',
    );
  }
  const reserved = known.filter(({ open }) => compare(open, '0') > 0);
  const unknown = reserved.filter(({ state }) => state === 'sending' || state === 'unknown').length;
  if (unknown > 0) return warn(`Of ${reserved.length} orders of bots ${unknown} are on their way, or of unknown fate.`);
  const orders = reserved.length === 1 ? '1 order' : `${reserved.length} orders`;
  return ok(`What is reserved for ${orders} of bots is what the exchange shows.`);
}
