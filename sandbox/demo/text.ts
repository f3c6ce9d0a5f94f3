import { SandboxWallet } from '../polymarket/signing/wallet.js';
import type { Sandbox } from '../sandbox.js';
import type { DemoAccount } from './account.js';

const ORDER_PRICE = '0.05';
const ORDER_SIZE = '10';

interface DemoFacts {
  readonly address: string;
  readonly key: string;
  readonly account: DemoAccount;
  readonly sandbox: Sandbox;
  readonly outbox: string;
}

interface ListedMarket {
  readonly id: string;
  readonly title: string;
  readonly tokenId: string;
  readonly negRisk: boolean;
}

/** A price that fills a V2 order at once, and one share more than the exchange takes at least. */
const V2_PRICE = '0.99';
const V2_SIZE = '6';

interface Market {
  id: string;
  title: string;
  outcomes: [{ id: string }];
  refs: { neg_risk?: boolean; protocol?: string };
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

function listed({ id, title, outcomes, refs }: Market): ListedMarket {
  return { id, title, tokenId: outcomes[0].id, negRisk: refs.neg_risk === true };
}

function curl({ address, key }: DemoFacts, path: string, body?: object): string {
  const line = `curl -s '${address}${path}' -H 'Authorization: Bearer ${key}'`;
  return body === undefined ? line : `${line} -H 'Content-Type: application/json' -d '${JSON.stringify(body)}'`;
}

/** What the demo prints once it runs: addresses, the log-in, the key and lines to paste (contract.md 2). */
export async function demoText(facts: DemoFacts): Promise<string> {
  const [firstOfKalshi] = await openMarkets(facts, 'kalshi');
  const markets = await openMarkets(facts, 'polymarket');
  const kalshi = listed(firstOfKalshi);
  const polymarket = listed(markets[0]);
  const v2 = markets.find(({ refs }) => refs.protocol === 'v2');
  const wallet = SandboxWallet.fromPrivateKey(facts.sandbox.addresses.polymarket.wallet_private_key);
  const { tokenId, negRisk } = polymarket;
  const order = wallet.signOrder({ tokenId, negRisk, side: 'BUY', price: ORDER_PRICE, size: ORDER_SIZE });
  const plain = { market_id: kalshi.id, outcome: 'yes', side: 'buy', price: ORDER_PRICE, size: ORDER_SIZE };
  return `
Trading Proxy runs against sandbox exchanges on this machine, with play money. Ctrl-C ends it.

  API docs    ${facts.address}/docs        (press Authorize, paste the key, "Try it out")
  log-in      ${facts.account.logIn.email}   ${facts.account.logIn.password}
  API key     ${facts.key}        (scope trade; a new one at each start)
  mails       ${facts.outbox}

Paste these into another terminal. Kalshi, "${kalshi.title}":

# its order book
${curl(facts, `/kalshi/orderbooks?market_id=${kalshi.id}&depth=3`)}

# an order: buy ${ORDER_SIZE} YES at ${ORDER_PRICE}
${curl(facts, '/kalshi/orders', plain)}

# your balance
${curl(facts, '/kalshi/balance')}

Polymarket, "${polymarket.title}": the same paths, with an order signed by the demo wallet.

${curl(facts, `/polymarket/orderbooks?market_id=${polymarket.id}&depth=3`)}

${curl(facts, '/polymarket/orders', { signed_order: order })}

${v2 === undefined ? '' : v2Lines(facts, wallet, listed(v2))}${curl(facts, '/polymarket/balance')}

`;
}

/** An order of a V2 market, which is signed for another contract, and the position it makes. */
function v2Lines(facts: DemoFacts, wallet: SandboxWallet, { title, tokenId, negRisk }: ListedMarket): string {
  const order = wallet.signOrder({ tokenId, negRisk, side: 'BUY', price: V2_PRICE, size: V2_SIZE });
  return `# an order of a V2 market, "${title}", and what it buys
${curl(facts, '/polymarket/orders', { signed_order: order })}

${curl(facts, '/polymarket/positions')}

`;
}
