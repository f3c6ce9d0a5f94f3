import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import prettier from 'prettier';
import { queryOf, typesOf } from './sdk-python.mjs';

/** Writes the methods of both clients: what each is called is said here, all else by the OpenAPI document. */
const ROOT = join(import.meta.dirname, '..');
const PYTHON = 'sdk/python/src/trading_proxy_client/_methods.py';
const TYPESCRIPT = 'sdk/typescript/src/methods.ts';

/** Of an exchange, of the client, of a session's account: operations by the names of their methods. */
const METHODS = {
  exchange: {
    markets: { list: 'listMarkets', get: 'getMarket', stream: 'streamMarkets' },
    events: { list: 'listEvents', get: 'getEvent' },
    orderbooks: { get: 'getOrderbook', get_batch: 'getOrderbooks', stream: 'streamOrderbooks' },
    trades: { list: 'listTrades', stream: 'streamTrades' },
    candlesticks: { list: 'listCandlesticks' },
    orders: {
      create: 'createOrder',
      create_batch: 'createOrders',
      preview: 'previewOrder',
      get: 'getOrder',
      list: 'listOrders',
      cancel: 'cancelOrder',
      cancel_all: 'cancelOrders',
      cancel_batch: 'cancelNamedOrders',
      amend: 'amendOrder',
      by_key: 'getOrderByKey',
      abandon: 'abandonOrderKey',
      stream: 'streamOrders',
    },
    fills: { list: 'listFills', stream: 'streamFills', csv: 'getFillsCsv' },
    positions: { list: 'listPositions' },
    settlements: { list: 'listSettlements', csv: 'getSettlementsCsv' },
    balance: { get: 'getBalance' },
    transfers: { create: 'createTransfer', list: 'listTransfers', get: 'getTransfer' },
  },
  account: {
    bots: {
      create: 'createBot',
      list: 'listBots',
      get: 'getBot',
      change: 'changeBot',
      remove: 'removeBot',
      rotate: 'rotateBotKey',
      halt: 'haltBot',
      halt_all: 'haltBots',
      resume: 'resumeBot',
    },
    api_keys: { list: 'listApiKeys', create: 'createApiKey', revoke: 'revokeApiKey' },
    orders: { list: 'listAccountOrders' },
    activity: { list: 'listActivity' },
    equity: { get: 'getEquity', set: 'setHourlyEquity' },
  },
  client: {
    markets: { search: 'findMarkets' },
    events: { search: 'findEvents' },
    portfolio: { get: 'getPortfolio' },
    me: { get: 'getMe' },
    bot: { get: 'getOwnBot', halt: 'haltOwnBot', heartbeat: 'beat', stop_heartbeat: 'stopHeartbeat' },
    bots: { halt: 'haltBotsByKey' },
  },
};
/** Events of streams, in Python and in TypeScript. */
const EVENTS = {
  streamMarkets: ['Quote', 'QuoteEvent'],
  streamOrderbooks: ['Snapshot | Update', 'BookEvent'],
  streamTrades: ['Trade', 'TradeEvent'],
  streamOrders: ['Snapshot | Order', 'OrderEvent'],
  streamFills: ['Fill | Gap', 'FillEvent'],
};
/** Of the two methods that do more than their operation says, which TypeScript has by hand: arguments, options and call in Python. */
const MORE = {
  createOrders: ['orders: Sequence[g.PlainOrder | g.SignedOrder]', 'KeyedOptions', 'self._batch(orders, values)'],
  beat: [
    'ttl_seconds: int, *, on_miss: Literal["halt", "cancel"] = "halt"',
    'Options',
    'self._beat(ttl_seconds, on_miss, values)',
  ],
};
/** The kinds of client in Python, and what their calls, lists and streams give. */
const KINDS = {
  Sync: [(type) => type, 'Pages', 'Stream'],
  Async: [(type) => `Coroutine[Any, Any, ${type}]`, 'AsyncPages', 'AsyncStream'],
  SyncResponse: [(type) => `tuple[${type}, Response]`, 'Pages', 'Stream'],
  AsyncResponse: [(type) => `Coroutine[Any, Any, tuple[${type}, Response]]`, 'AsyncPages', 'AsyncStream'],
};
/** Parameters that are a list in the client and a comma list, or a member of the body, on the wire. */
const LISTS = { getOrderbooks: 'market_ids', cancelNamedOrders: 'order_ids' };

const PYTHON_HEAD = `"""The methods of both clients. \`node scripts/sdk-methods.mjs\` writes this file from the OpenAPI document."""

from __future__ import annotations

from collections.abc import Coroutine, Sequence
from typing import TYPE_CHECKING, Any, Literal, overload

from . import _generated as g
from ._calls import AsyncPages, Pages, Resource, Root, Runner
from ._codec import joined, segment
from ._engine import Response
from ._events import AnyEvent, Closed, Gap, Live, Snapshot, Stale, Update
from ._kinds import Fill, Order, Quote, Trade
from ._schema import KeyedOptions, Options
from ._stream import AsyncStream, Stream

if TYPE_CHECKING:
    from typing_extensions import Unpack`;

const TYPESCRIPT_HEAD = `// Made by \`node scripts/sdk-methods.mjs\` from the OpenAPI document. Do not change it by hand.
import { ids, type Asked, type Caller, type Filters, type Own, type Rest } from './caller.js';
import type { BookEvent, FillEvent, OrderEvent, QuoteEvent, TradeEvent } from './stream-events.js';`;

const camel = (name) => name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase());
const pascal = (name) => camel(`_${name}`);

const document = JSON.parse(readFileSync(join(ROOT, 'dist/openapi.json'), 'utf8'));
const { operations, types } = typesOf(document);

/** What stands first in a method's arguments: ids of its path, and the market that its query must have. */
function argumentsOf({ id, path, query }) {
  const ids = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).filter((name) => name !== 'exchange');
  const needed = LISTS[id] === undefined ? query.filter(({ required }) => required).map(({ name }) => name) : [];
  return { ids, needed, list: LISTS[id] };
}

const WIRE = {
  market_ids: '"market_id": joined(market_ids, "market_ids"), ',
  order_ids: '"order_ids": [*order_ids], ',
};

/** The keywords of a method in Python: one type, or one for each kind of body. */
function keywordsOf({ id, body, isKeyed, query }) {
  if (MORE[id] !== undefined) return [MORE[id][1]];
  if (body !== undefined && LISTS[id] === undefined)
    return types
      .of(body, id, true)
      .type.split(' | ')
      .map((type) => `${type}Call`);
  const { name, members } = queryOf({ id, query });
  if (members.length > 0) return [`g.${name}`];
  return [isKeyed ? 'KeyedOptions' : 'Options'];
}

/** Names of generated types, as they are called in the module of methods. */
const ofTypes = (type) => type.replace(/\b(?!None|str)[A-Z]\w+/g, 'g.$&');

function pythonMethod(kind, name, operation) {
  const { id, summary, answer, item, messages } = operation;
  if (messages !== undefined) return pythonStream(kind, name, operation);
  const { ids, needed, list } = argumentsOf(operation);
  const own = [...ids, ...needed];
  const taken = [...own.map((one) => `${one}: str`), ...(list === undefined ? [] : [`${list}: Sequence[str]`])];
  const values = own.map((one) => `"${one}": ${one}, `).join('') + (WIRE[list] ?? '');
  const type = answer === undefined ? 'str' : ofTypes(types.of(item ?? answer, id, false).type);
  const [gives, pages] = KINDS[kind];
  const given = item === undefined ? gives(type) : `${pages}[${type}]`;
  const sent = values === '' ? 'values' : `{${values}**values}`;
  const [first, , call] = MORE[id] ?? [taken.join(', '), '', `self.${item ? '_list' : '_call'}("${id}", ${sent})`];
  const head = (keywords) => `    def ${name}(self, ${first === '' ? '' : `${first}, `}**values: ${keywords})`;
  const unpacked = keywordsOf(operation).map((each) => `Unpack[${each}]`);
  const body = [`        """${summary}"""`, `        return ${call}`];
  if (unpacked.length === 1) return [`${head(unpacked[0])} -> ${given}:`, ...body].join('\n');
  return [
    ...unpacked.flatMap((each) => ['    @overload', `${head(each)} -> ${given}: ...`]),
    `${head('Any')} -> Any:`,
    ...body,
  ].join('\n');
}

function pythonStream(kind, name, { id, summary, query }) {
  const isNeeded = query.some(({ required }) => required);
  const others = query.map(({ name: one }) => one).filter((one) => one !== 'market_id');
  const markets = isNeeded ? ['market_ids: Sequence[str]'] : ['*', 'market_ids: Sequence[str] | None = None'];
  const more = others.map((one) => `${one}: str | int | None = None`);
  const all = [...markets, ...(isNeeded && more.length > 0 ? ['*'] : []), ...more];
  const given = ['market_ids', ...others.map((one) => `${one}=${one}`)];
  const [, , stream] = KINDS[kind];
  return [
    `    def ${name}(${['self', ...all].join(', ')}) -> ${stream}[${EVENTS[id][0]} | Stale | Live | Closed]:`,
    `        """${summary}"""`,
    `        return self._stream("${id}", ${given.join(', ')})`,
  ].join('\n');
}

const operationOf = (id) => operations.find((one) => one.id === id);

/** The class of a resource: those of the client and of the account are called after them. */
const classOf = (kind, group, resource) => `${kind}${group === 'exchange' ? '' : pascal(group)}${pascal(resource)}`;

function pythonResource(kind, group, resource, methods) {
  const lines = Object.entries(methods).map(([name, id]) => pythonMethod(kind, name, operationOf(id)));
  return [`class ${classOf(kind, group, resource)}(Resource):`, lines.join('\n\n')].join('\n');
}

function pythonGroup(kind, group, resources) {
  const members = Object.keys(resources).map((one) => {
    const name = classOf(kind, group, one);
    return `        self.${one} = ${name}(runner, exchange)`;
  });
  return [
    `class ${kind}${pascal(group)}(${group === 'client' ? 'Root' : 'Resource'}):`,
    '    def __init__(self, runner: Runner, exchange: str = "") -> None:',
    '        super().__init__(runner, exchange)',
    ...members,
    ...(group === 'client' ? pythonRoot(kind) : []),
  ].join('\n');
}

/** What a client has beside the resources of its own. */
function pythonRoot(kind) {
  const { schema } = document.paths['/{exchange}/markets'].get.parameters.find(({ name }) => name === 'exchange');
  return [
    ...schema.enum.map((id) => `        self.${id} = self.exchange("${id}")`),
    `        self.account = ${kind}Account(runner)`,
    '',
    `    def exchange(self, exchange: str) -> ${kind}Exchange:`,
    '        """An exchange by its id."""',
    `        return ${kind}Exchange(self._runner, segment(exchange, "exchange"))`,
    '',
    ...(KINDS[`${kind}Response`] === undefined ? [] : withResponse(kind)),
    `    def stream(self, subscriptions: Sequence[str]) -> ${KINDS[kind][2]}[AnyEvent]:`,
    '        """Several subscriptions in one stream: `kalshi.orderbooks:ID,ID`, `polymarket.fills`."""',
    '        return self._several(subscriptions)',
  ];
}

const withResponse = (kind) => [
  `    def with_response(self) -> ${kind}ResponseClient:`,
  '        """The same client, whose methods give `(value, response)`."""',
  `        return ${kind}ResponseClient(self._runner.responding())`,
  '',
];

/** Bodies as keywords, with the options of their calls. */
function pythonKeywords() {
  const used = Object.values(METHODS).flatMap((resources) => Object.values(resources).flatMap(Object.values));
  const sends = ({ id, body }) => body !== undefined && LISTS[id] === undefined && MORE[id] === undefined;
  const calls = used.map(operationOf).filter(sends);
  const classes = calls.flatMap((operation) =>
    keywordsOf(operation).map((name) => {
      const options = operation.isKeyed ? 'KeyedOptions' : 'Options';
      const type = name.replace(/Call$/, '');
      return [name, `class ${name}(g.${type}, ${options}):\n    """A \`${type}\`, and how its call is made."""`];
    }),
  );
  return new Map(classes.reverse()).values();
}

function pythonMethods() {
  const classes = Object.keys(KINDS).flatMap((kind) =>
    Object.entries(METHODS).flatMap(([group, resources]) => [
      ...Object.entries(resources).map(([resource, methods]) => pythonResource(kind, group, resource, methods)),
      pythonGroup(kind, group, resources),
    ]),
  );
  return `${[PYTHON_HEAD, ...pythonKeywords(), ...classes].join('\n\n\n')}\n`;
}

/** Arguments of a method in TypeScript, and the part of its call that they come to. */
function typescriptCall(operation) {
  const { id, body, query } = operation;
  const { ids, needed, list } = argumentsOf(operation);
  const sent = { market_ids: 'market_id: ids(market_ids)', order_ids: 'body: { order_ids }' }[list];
  const own = [...needed.map((one) => `${one}: ids([${one}])`), ...(list === 'market_ids' ? [sent] : [])];
  const { members } = queryOf({ id, query });
  const isBody = body !== undefined && list === undefined;
  const taken = [
    ...[...ids, ...needed].map((one) => `${one}: string`),
    ...(list === undefined ? [] : [`${list}: readonly string[]`]),
    ...(isBody ? [`body${operation.isBodyNeeded ? '' : '?'}: Asked<'${id}'>`] : []),
    ...(members.length > 0 ? [`query?: ${own.length > 0 ? 'Rest' : 'Filters'}<'${id}'>`] : []),
  ];
  const filters = own.length > 0 ? [`query: { ...query, ${own.join(', ')} }`] : members.length > 0 ? ['query'] : [];
  const parts = [
    ...(ids.length > 0 ? [`ids: [${ids.join(', ')}]`] : []),
    ...(isBody ? ['body'] : []),
    ...(list === 'order_ids' ? [sent] : []),
    ...filters,
  ];
  return `(${taken.join(', ')}) => ({ ${parts.join(', ')} })`;
}

function typescriptMethod(name, operation) {
  const { id, query, item, isKeyed } = operation;
  if (operation.messages === undefined) {
    const make = item !== undefined ? 'list' : isKeyed ? 'make' : 'method';
    return `caller.${make}('${id}', ${typescriptCall(operation)})`;
  }
  const of = `<${EVENTS[id][1]}>('${id}'`;
  const isNeeded = query.some(({ required }) => required);
  if (!isNeeded) return `({ market_ids, ...query }: Own<'${id}'> = {}) => caller.stream${of}, market_ids, query)`;
  const filters = query.length > 1 ? [`query?: Rest<'${id}'>`] : [];
  const taken = ['market_ids: readonly string[]', ...filters].join(', ');
  return `(${taken}) => caller.stream${of}, market_ids${filters.length > 0 ? ', query' : ''})`;
}

function typescriptMethods() {
  const groups = Object.entries(METHODS).map(([group, resources]) => {
    const each = Object.entries(resources).map(([resource, methods]) => {
      const own = Object.entries(methods).filter(([, id]) => MORE[id] === undefined);
      const lines = own.map(([name, id]) => {
        const operation = operationOf(id);
        return `/** ${operation.summary} */\n${camel(name)}: ${typescriptMethod(name, operation)},`;
      });
      return `${camel(resource)}: {\n${lines.join('\n')}\n},`;
    });
    return `export const ${group}Methods = (caller: Caller) => ({\n${each.join('\n')}\n});`;
  });
  return [TYPESCRIPT_HEAD, ...groups].join('\n\n');
}

const typescript = { ...(await prettier.resolveConfig(join(ROOT, TYPESCRIPT))), filepath: TYPESCRIPT };
const files = { [PYTHON]: pythonMethods(), [TYPESCRIPT]: await prettier.format(typescriptMethods(), typescript) };
for (const [path, wanted] of Object.entries(files)) {
  if (!process.argv.includes('--check')) writeFileSync(join(ROOT, path), wanted);
  else if (readFileSync(join(ROOT, path), 'utf8') !== wanted) {
    console.error(`${path} is out of date: run "npm run build && node scripts/sdk-methods.mjs"`);
    process.exitCode = 1;
  }
}
