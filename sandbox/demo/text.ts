import type { DemoAccount } from './account.js';

const ORDER_PRICE = '0.05';
const ORDER_SIZE = '10';

interface DemoFacts {
  readonly address: string;
  readonly key: string;
  readonly account: DemoAccount;
  readonly outbox: string;
  /** The key of the bot of agents; null where tools for them are off. */
  readonly agentKey: string | null;
}

/** A price that fills an order at once, and one share more than Polymarket takes at least. */
const FILLING_PRICE = '0.99';
const FILLING_SIZE = '6';

/** A shard of Kalshi beside the first (kalshi.md 9). */
const OTHER_SHARD = 2;

interface Market {
  id: string;
  title: string;
  refs: { protocol?: string; exchange_index?: number };
}

function isMarket(value: unknown): value is Market {
  return typeof value === 'object' && value !== null && 'tradable' in value && value.tradable === true;
}

/** The markets that take orders, asked of the service itself. */
async function openMarkets({ address, key }: DemoFacts, exchange: string): Promise<[Market, ...Market[]]> {
  const response = await fetch(`${address}/${exchange}/markets?limit=100`, {
    headers: { Authorization: `Bearer ${key}` },
  });
  const body: unknown = await response.json();
  const data = typeof body === 'object' && body !== null && 'data' in body ? body.data : [];
  const [first, ...others] = Array.isArray(data) ? data.filter(isMarket) : [];
  if (first === undefined) throw new Error(`the demo finds no open market at ${exchange}: ${JSON.stringify(body)}`);
  return [first, ...others];
}

function curl({ address, key }: Pick<DemoFacts, 'address' | 'key'>, path: string, body?: object): string {
  const line = `curl -s '${address}${path}' -H 'Authorization: Bearer ${key}'`;
  return body === undefined ? line : `${line} -H 'Content-Type: application/json' -d '${JSON.stringify(body)}'`;
}

/** The first of the markets that fits. Throws where the sandbox has none. */
function find(markets: readonly Market[], isWanted: (market: Market) => boolean): Market {
  const market = markets.find(isWanted);
  if (market === undefined) throw new Error('the demo lacks a market of a kind that it shows');
  return market;
}

/** What the demo prints once it runs: addresses, the log-in, the key and lines to paste (contract.md 2). */
export async function demoText(facts: DemoFacts): Promise<string> {
  return `
Trading Proxy runs against sandbox exchanges on this machine, with play money. Ctrl-C ends it.

  dashboard   ${facts.address}/dashboard   (sign in as below)
  API docs    ${facts.address}/docs        (press Authorize, paste the key, "Try it out")
  log-in      ${facts.account.logIn.email}   ${facts.account.logIn.password}
  API key     ${facts.key}        (scope trade; a new one at each start)
  mails       ${facts.outbox}

Paste these into another terminal.${await kalshiLines(facts)}${await polymarketLines(facts)}${agentLines(facts)}`;
}

/** How an agent is connected, where it can be. */
function agentLines({ address, agentKey }: DemoFacts): string {
  if (agentKey === null) return '';
  return `Tools for an AI agent (docs/agents.md), as a bot of its own with small limits:

claude mcp add --transport http trading-proxy ${address}/mcp --header 'Authorization: Bearer ${agentKey}'

`;
}

async function kalshiLines(facts: DemoFacts): Promise<string> {
  const markets = await openMarkets(facts, 'kalshi');
  const [{ id, title }] = markets;
  const other = find(markets, ({ refs }) => refs.exchange_index === OTHER_SHARD);
  const order = { market_id: id, outcome: 'yes', side: 'buy', price: ORDER_PRICE, size: ORDER_SIZE };
  const filling = { ...order, market_id: other.id, price: FILLING_PRICE, size: FILLING_SIZE };
  return ` Kalshi, "${title}":

# its order book
${curl(facts, `/kalshi/orderbooks?market_id=${id}&depth=3`)}

# the same as it changes, until Ctrl-C
${curl(facts, `/kalshi/orderbooks/stream?market_id=${id}`).replace('curl -s', 'curl -sN')}

# an order: buy ${ORDER_SIZE} YES at ${ORDER_PRICE}
${curl(facts, '/kalshi/orders', order)}

# an order on another shard, "${other.title}", that fills at once, and what it buys
${curl(facts, '/kalshi/orders', filling)}

${curl(facts, '/kalshi/positions')}

# your balance, shard by shard
${curl(facts, '/kalshi/balance')}

`;
}

/** The service signs the orders with the session key, for markets of both kinds (contract.md 7). */
async function polymarketLines(facts: DemoFacts): Promise<string> {
  const { address, account } = facts;
  const markets = await openMarkets(facts, 'polymarket');
  const [{ id, title }] = markets;
  const v2 = find(markets, ({ refs }) => refs.protocol === 'v2');
  const order = { market_id: id, outcome: 'yes', side: 'buy', price: ORDER_PRICE, size: ORDER_SIZE };
  const filling = { ...order, market_id: v2.id, price: FILLING_PRICE, size: FILLING_SIZE };
  return `Polymarket, "${title}": the same paths and the same order.
The service signs it with a session key, which can trade for the wallet but move nothing out of it.

${curl(facts, `/polymarket/orderbooks?market_id=${id}&depth=3`)}

${curl(facts, '/polymarket/orders', order)}

# an order of a V2 market, "${v2.title}", that fills at once, and what it buys
${curl(facts, '/polymarket/orders', filling)}

${curl(facts, '/polymarket/positions')}

${curl(facts, '/polymarket/balance')}

# the stored credentials and the session key; the token is that of a log-in and good for 15 minutes
${curl({ address, key: account.accessToken }, '/account/credentials')}

`;
}
