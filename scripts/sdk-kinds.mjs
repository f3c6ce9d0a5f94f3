import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import prettier from 'prettier';
import { typesOf } from './sdk-python.mjs';

/** Writes the classes of errors of both clients, and those of the Python client's events that are one item: what each is called is said here. */
const ROOT = join(import.meta.dirname, '..');
const PYTHON = 'sdk/python/src/trading_proxy_client/_kinds.py';
const TYPESCRIPT = 'sdk/typescript/src/kinds.ts';

/** What each class says, by its name, and its codes; a code without a class is a TradingProxyError. */
const ERRORS = {
  BadRequest: ['A field or parameter is not valid: `details.fields`. Nothing was done.', 'bad_request'],
  Unauthorized: ['The key, token or password is missing, wrong or at its end.', 'unauthorized', 'invalid_credentials'],
  Forbidden: ['The key or session may not do this.', 'forbidden'],
  BotHalted: ['The bot is halted: `reason` says by whom. Reads and cancels go on.', 'bot_halted'],
  LimitExceeded: ['The order would pass a limit of the bot; nothing was sent.', 'limit_exceeded'],
  NotFound: ['Nothing of yours has this id.', 'not_found'],
  CredentialsNotConfigured: ['No credentials of this exchange are stored.', 'credentials_not_configured'],
  CredentialsRejected: ['The exchange refuses the stored credentials.', 'credentials_rejected'],
  NotSupported: ['This exchange has no such operation, filter or field.', 'not_supported'],
  RateLimited: ['A limit is used up until `retry_after`.', 'rate_limited', 'exchange_rate_limited'],
  ExchangeError: [
    'The exchange cannot be reached, is too slow, or its answer cannot be read.',
    'exchange_error',
    'exchange_timeout',
    'exchange_unavailable',
  ],
  ServiceUnavailable: ['The service cannot do this now.', 'service_unavailable'],
  SlowConsumer: ['Events of a stream were read too slowly.', 'slow_consumer'],
  Conflict: [
    "The idempotency key is in use, given up or another call's, or orders are in the way.",
    'idempotency_in_progress',
    'idempotency_key_abandoned',
    'idempotency_key_reused',
    'order_of_another_bot',
    'orders_unsettled',
  ],
  ExchangeRejected: ['The exchange refused the order or request: `reason`.', 'exchange_rejected'],
};
/** Those of `exchange_rejected`, by their reasons. */
const REASONS = {
  InsufficientFunds: ['There is not enough money or there are not enough shares.', 'insufficient_funds'],
  NotFilled: ['An `ioc` or `fok` order filled nothing.', 'not_filled'],
  MarketClosed: ['The market takes no orders.', 'market_closed'],
  WouldCross: ['A post-only order would trade at once.', 'would_cross'],
  NotCancellable: ['The order is just being matched: cancel it again in a moment.', 'not_cancellable'],
  NotAmendable: ['The order is over.', 'not_amendable'],
};
/** Messages of a stream that are one item each, and what their events say. */
const ITEMS = {
  StreamQuote: 'What is quoted of a market has changed.',
  StreamTrade: 'A trade of anybody.',
  StreamOrder: 'An order of yours as it is now.',
  StreamFill: 'A fill of yours; one that was `pending` comes again as `confirmed` or `failed`.',
};

const PYTHON_HEAD = `"""Errors by their codes, and events that are one item. \`node scripts/sdk-kinds.mjs\` writes this file."""

from __future__ import annotations

from dataclasses import dataclass

from . import _generated as g
from ._errors import TradingProxyError
from ._schema import Event`;

const TYPESCRIPT_HEAD = `// Made by \`node scripts/sdk-kinds.mjs\`. Do not change it by hand.
import { TradingProxyError } from './errors.js';`;

const document = JSON.parse(readFileSync(join(ROOT, 'dist/openapi.json'), 'utf8'));
const { schemas } = document.components;
const { code, details } = schemas.ErrorMemberDto.properties;
const texts = (codes) => codes.map((each) => `"${each}"`).join(', ');

/** Each error with its base and its codes, which the document knows. */
const errors = [
  [ERRORS, 'TradingProxyError', code.enum],
  [REASONS, 'ExchangeRejected', details.properties.reason.enum],
].flatMap(([table, base, known]) =>
  Object.entries(table).map(([name, [says, ...codes]]) => {
    const unknown = codes.find((each) => !known.includes(each));
    if (unknown !== undefined) throw new Error(`${name}: the document does not know ${unknown}`);
    return { name, base, says, codes };
  }),
);

function pythonKinds() {
  const { types } = typesOf(document);
  const items = Object.entries(ITEMS).map(([message, says]) => {
    const { type, data } = schemas[message].properties;
    const [word] = type.enum;
    return { word, says, name: word[0].toUpperCase() + word.slice(1), data: `g.${types.name(data.$ref, false)}` };
  });
  const classes = errors.map(({ name, base, says, codes }) =>
    [`class ${name}(${base}):`, `    """${says}"""`, '', `    codes = (${texts(codes)},)`].join('\n'),
  );
  const events = items.map(({ name, says, data }) =>
    [
      '@dataclass(frozen=True, kw_only=True)',
      `class ${name}(Event):`,
      `    """${says}"""`,
      '',
      `    data: ${data}`,
    ].join('\n'),
  );
  const table = items.map(({ word, name, data }) => `    "${word}": (${name}, ${data}),`);
  const any = items.map(({ name }) => name).join(' | ');
  const names = [...errors, ...items].map(({ name }) => name).sort();
  return `${[
    PYTHON_HEAD,
    ...classes,
    ...events,
    [`ITEMS: dict[str, tuple[type[${any}], type]] = {`, ...table, '}', `__all__ = [${texts(names)}]`].join('\n'),
  ].join('\n\n\n')}\n`;
}

function typescriptKinds() {
  const classes = errors.map(
    ({ name, base, says, codes }) =>
      `/** ${says} */\nexport class ${name} extends ${base} { static override readonly codes = [${texts(codes)}]; }`,
  );
  return [TYPESCRIPT_HEAD, ...classes].join('\n\n');
}

const options = { ...(await prettier.resolveConfig(join(ROOT, TYPESCRIPT))), filepath: TYPESCRIPT };
const files = { [PYTHON]: pythonKinds(), [TYPESCRIPT]: await prettier.format(typescriptKinds(), options) };
for (const [path, wanted] of Object.entries(files)) {
  if (!process.argv.includes('--check')) writeFileSync(join(ROOT, path), wanted);
  else if (readFileSync(join(ROOT, path), 'utf8') !== wanted) {
    console.error(`${path} is out of date: run "npm run build && node scripts/sdk-kinds.mjs"`);
    process.exitCode = 1;
  }
}
