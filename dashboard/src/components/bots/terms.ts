import type { Bot, BotChange, BotLimits, BotTerms } from '../../api/bots.js';
import type { Schemas } from '../../api/client.js';
import { Failure } from '../../api/failure.js';
import { installation } from '../../installation.js';
import { ALL_LIMITS } from './words.js';

type BotMarket = Schemas['BotMarketDto'];
type Field = (name: string) => string;

/** The fields of the form by their names, as they are written in it; those of limits are called as the API names them in errors. */
export type TermsTexts = Readonly<Record<string, string>>;

export const EXCHANGE_FIELD = (id: string): string => `exchanges.${id}`;
const LIMIT_FIELD = (id: string): string => `limits.${id}`;

/** A field that the form itself finds wrong; said as the service says it. */
function wrong(field: string, message: string): Failure {
  return new Failure('bad_request', '', null, { fields: [{ field, message }] });
}

/** A time as a field of the reader's zone has it, to the minute. */
function localText(iso: string | null): string {
  if (iso === null) return '';
  const time = new Date(iso);
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

const KINDS = ['market', 'event', 'series'] as const;

function lineOf(market: BotMarket): string {
  const kind = KINDS.find((one) => market[`${one}_id`] !== undefined) ?? 'market';
  return `${market.exchange} ${kind} ${market[`${kind}_id`] ?? ''}`;
}

/** What stands in the form of a bot that is not made yet. */
export const NEW_BOT: TermsTexts = {
  scope: 'trade',
  [LIMIT_FIELD('max_order_seconds')]: '3600',
  ...Object.fromEntries(installation.exchanges.map(({ id }) => [EXCHANGE_FIELD(id), 'on'])),
};

/** What stands in the form of this bot. */
export function textsOf(bot: Bot): TermsTexts {
  const isIn = (id: (typeof installation.exchanges)[number]['id']): boolean => bot.exchanges?.includes(id) ?? true;
  return {
    name: bot.name,
    scope: bot.scopes.includes('trade') ? 'trade' : 'read',
    ...Object.fromEntries(installation.exchanges.map(({ id }) => [EXCHANGE_FIELD(id), isIn(id) ? 'on' : ''])),
    markets: (bot.markets ?? []).map(lineOf).join('\n'),
    ...Object.fromEntries(ALL_LIMITS.map(({ id }) => [LIMIT_FIELD(id), String(bot.limits[id] ?? '')])),
    allowed_networks: (bot.allowed_networks ?? []).join('\n'),
    expires_at: localText(bot.expires_at),
  };
}

function linesOf(text: string): string[] {
  return text.split('\n').flatMap((line) => (line.trim() === '' ? [] : [line.trim()]));
}

function listOrNull<T>(list: readonly T[]): T[] | null {
  return list.length === 0 ? null : [...list];
}

function marketOf(line: string): BotMarket {
  const [at, kind, id, ...rest] = line.split(/\s+/);
  const exchange = installation.exchanges.find((one) => one.id === at?.toLowerCase())?.id;
  const known = KINDS.find((one) => one === kind?.toLowerCase());
  if (exchange === undefined || known === undefined || id === undefined || rest.length > 0) {
    throw wrong('markets', 'has a line that is not an exchange, then market, event or series, then its id');
  }
  return { exchange, [`${known}_id`]: id };
}

function exchangesOf(field: Field): Bot['exchanges'] {
  const chosen = installation.exchanges.filter(({ id }) => field(EXCHANGE_FIELD(id)) !== '').map(({ id }) => id);
  if (chosen.length === 0) throw wrong('exchanges', 'needs one exchange at least');
  return chosen.length === installation.exchanges.length ? null : chosen;
}

function endOf(field: Field): string | null {
  const text = field('expires_at');
  return text === '' ? null : new Date(text).toISOString();
}

/** Empty and `none` are no limit. */
function limitOf(text: string, isCount: boolean): string | number | null {
  const written = text.trim();
  if (written === '' || written.toLowerCase() === 'none') return null;
  // What is no whole number the service refuses, at its field.
  return isCount && /^\d{1,9}$/.test(written) ? Number(written) : written;
}

function limitsOf(field: Field, ids: readonly string[]): BotLimits {
  const named = ALL_LIMITS.filter(({ id }) => ids.includes(id));
  return Object.fromEntries(named.map(({ id, isCount = false }) => [id, limitOf(field(LIMIT_FIELD(id)), isCount)]));
}

function scopesOf(field: Field): Bot['scopes'] {
  return [field('scope') === 'trade' ? 'trade' : 'read'];
}

function marketsOf(field: Field): BotMarket[] | null {
  return listOrNull(linesOf(field('markets')).map(marketOf));
}

function networksOf(field: Field): string[] | null {
  return listOrNull(linesOf(field('allowed_networks')));
}

/** All that the form says. A budget may be none, if that is what it says: one that was forgotten is asked for. Throws Failure. */
export function termsFrom(field: Field): BotTerms {
  const scopes = scopesOf(field);
  for (const id of ['max_daily_risk', 'max_total_risk']) {
    if (!scopes.includes('trade') || field(LIMIT_FIELD(id)).trim() !== '') continue;
    throw wrong(LIMIT_FIELD(id), 'needs an amount: write “none” to go without');
  }
  return {
    name: field('name').trim(),
    scopes,
    exchanges: exchangesOf(field),
    markets: marketsOf(field),
    allowed_networks: networksOf(field),
    expires_at: endOf(field),
    limits: limitsOf(
      field,
      ALL_LIMITS.map(({ id }) => id),
    ),
  };
}

/** Only what differs from what stood there before: what is left out stays (contract.md 5.11). Throws Failure. */
export function changeFrom(before: TermsTexts, field: Field): BotChange {
  const isOther = (name: string): boolean => linesOf(field(name)).join('\n') !== (before[name] ?? '');
  const limits = ALL_LIMITS.map(({ id }) => id).filter((id) => isOther(LIMIT_FIELD(id)));
  return {
    ...(isOther('name') && { name: field('name').trim() }),
    ...(isOther('scope') && { scopes: scopesOf(field) }),
    ...(installation.exchanges.some(({ id }) => isOther(EXCHANGE_FIELD(id))) && {
      exchanges: exchangesOf(field),
    }),
    ...(isOther('markets') && { markets: marketsOf(field) }),
    ...(isOther('allowed_networks') && { allowed_networks: networksOf(field) }),
    ...(isOther('expires_at') && { expires_at: endOf(field) }),
    ...(limits.length > 0 && { limits: limitsOf(field, limits) }),
  };
}
