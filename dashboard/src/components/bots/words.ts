import type { Bot, BotLimits } from '../../api/bots.js';
import { exchangeName, listed } from '../names.js';

type HaltReason = NonNullable<Bot['halted']>['reason'];

/** Why a bot is halted, as the end of a sentence (contract.md 5.11). */
const HALT_REASON: Readonly<Record<HaltReason, string>> = {
  owner: 'you stopped it',
  operator: 'the operator of this installation stopped it',
  bot: 'it stopped itself',
  heartbeat_missed: 'it missed its heartbeat',
  all_bots: 'you stopped all bots',
  expired: 'its end came',
  restored: 'a backup was restored',
};

export function whyHalted(reason: HaltReason): string {
  return HALT_REASON[reason];
}

/** That not all of its orders are seen to though the bot is halted; null where its halt is complete. */
export function restOfHalt({ halted, usage }: Bot): string | null {
  if (halted === null || halted.complete) return null;
  const { open_orders: open } = usage;
  const rest = open === 0 ? 'orders of it may' : open === 1 ? '1 of its orders may' : `${open} of its orders may`;
  return `The halt is not complete: ${rest} still be open. The service goes on cancelling by itself.`;
}

export function exchangesText(exchanges: Bot['exchanges']): string {
  return exchanges === null ? 'All exchanges' : listed(exchanges.map(exchangeName));
}

/** Whole seconds in the unit that people would say them in. */
export function secondsText(seconds: number): string {
  const [size, unit] = [[86_400, 'day'] as const, [3_600, 'hour'] as const, [60, 'minute'] as const].find(
    ([length]) => seconds >= length && seconds % length === 0,
  ) ?? [1, 'second'];
  const count = seconds / size;
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

interface LimitWords {
  readonly id: keyof BotLimits;
  readonly label: string;
  /** What it protects from (bots.md). */
  readonly hint: string;
  readonly isCount?: true;
}

/** Asked for of every bot that trades. */
export const BUDGETS: readonly LimitWords[] = [
  {
    id: 'max_daily_risk',
    label: 'Budget of a day',
    hint: 'What you can stand to lose on one UTC day, such as 50. It holds in each currency by itself.',
  },
  {
    id: 'max_total_risk',
    label: 'Budget in all',
    hint: 'What you give this program altogether, such as 500. Only you raise it.',
  },
];

export const ENDING: LimitWords = {
  id: 'max_order_seconds',
  label: 'Orders end after, in seconds',
  hint: 'From 300. The exchange itself ends them then: what holds when this service is gone.',
  isCount: true,
};

export const OTHER_LIMITS: readonly LimitWords[] = [
  { id: 'max_order_risk', label: 'Risk of one order', hint: 'Against a digit too many.' },
  { id: 'max_open_risk', label: 'Risk of all open orders', hint: 'If everything that rests filled at once.' },
  { id: 'max_position', label: 'Size of one market', hint: 'Contracts or shares, long or short.' },
  { id: 'max_open_orders', label: 'Open orders', hint: 'Against a loop that forgets to cancel.', isCount: true },
  {
    id: 'max_orders_per_minute',
    label: 'Orders a minute',
    hint: 'Up to 6000; refused ones count too.',
    isCount: true,
  },
  {
    id: 'max_requests_per_minute',
    label: 'Requests a minute',
    hint: 'Empty is half of what you have in all.',
    isCount: true,
  },
  { id: 'max_price_distance', label: 'Distance of a price', hint: 'From the best opposite quote, such as 0.05.' },
];

export const ALL_LIMITS: readonly LimitWords[] = [...BUDGETS, ENDING, ...OTHER_LIMITS];
