import { SandboxWallet } from '../../sandbox/polymarket/signing/wallet.js';
import { type DocumentName } from '../support/openapi.js';
import { ALIENS, type Answer, type Call, type Stand } from './calls.js';

const [TOKEN, NO_TOKEN] = ALIENS.tokens;
const NO_SUCH_TOKEN = '1234567890';
const NO_SUCH_HASH = `0x${'0'.repeat(64)}`;
/** A V2 market: its narrow condition id, and the first of its position ids. */
export const V2_NARROW = `0x013009decfd1e0532df9db26862e9635ef${'0'.repeat(28)}`;
export const V2_WIDE = `${V2_NARROW}00`;
export const V2_TOKEN = BigInt(V2_WIDE).toString();

export type Run = (stand: Stand) => Promise<Answer>;
type Extras = Pick<Call, 'holds'> & { note?: string };

/** Builds the calls of one document. */
export function calls(document: DocumentName): (operation: string, status: number, run: Run, extras?: Extras) => Call {
  return (operation, status, run, { note = '', ...extras } = {}) => ({
    document,
    operation,
    status,
    note,
    run,
    ...extras,
  });
}

const clob = calls('polymarket-clob');

function open(path: string): Run {
  return (stand) => stand.clob(path);
}

function signed(method: string, path: string, body?: unknown): Run {
  return ({ holder }) => holder.call(method, path, body);
}

/** Without L2 headers. */
function unsigned(operation: string): Call {
  return clob(operation, 401, (stand) => {
    const [method = '', path = ''] = operation.replace(/\{\w+\}/, NO_SUCH_HASH).split(' ');
    return stand.clob(path, { method });
  });
}

/** A public call about a token: an existing one, one that is none and one that does not exist. */
function aboutToken(operation: string, extra = ''): Call[] {
  const path = (token: string): string => {
    const [, template = ''] = operation.split(' ');
    return template.includes('{') ? template.replace(/\{\w+\}/, token) : `${template}?token_id=${token}${extra}`;
  };
  return [
    clob(operation, 200, open(path(TOKEN))),
    clob(operation, 400, open(path('aliens'))),
    clob(operation, 404, open(path(NO_SUCH_TOKEN))),
  ];
}

function posted(body: unknown): RequestInit {
  return { method: 'POST', body: JSON.stringify(body) };
}

const PUBLIC: readonly Call[] = [
  clob('GET /ok', 200, open('/ok')),
  clob('GET /version', 200, open('/version')),
  clob('GET /time', 200, open('/time')),
  ...['GET /markets', 'GET /simplified-markets', 'GET /sampling-markets', 'GET /sampling-simplified-markets'].flatMap(
    (operation) => [
      clob(operation, 200, open(operation.slice(4)), { holds: 'data' }),
      clob(operation, 400, open(`${operation.slice(4)}?next_cursor=%3F`)),
    ],
  ),
  clob('GET /markets/{condition_id}', 200, open(`/markets/${ALIENS.conditionId}`), { holds: 'tokens' }),
  clob('GET /markets/{condition_id}', 404, open('/markets/aliens')),
  ...aboutToken('GET /book'),
  ...aboutToken('GET /price', '&side=BUY'),
  ...aboutToken('GET /midpoint'),
  ...aboutToken('GET /spread'),
  ...aboutToken('GET /tick-size'),
  ...aboutToken('GET /tick-size/{token_id}'),
  ...aboutToken('GET /neg-risk'),
  ...aboutToken('GET /neg-risk/{token_id}'),
  ...aboutToken('GET /fee-rate'),
  ...aboutToken('GET /fee-rate/{token_id}'),
  ...aboutToken('GET /markets-by-token/{token_id}'),
  clob('GET /last-trade-price', 200, open(`/last-trade-price?token_id=${TOKEN}`)),
  clob('GET /last-trade-price', 400, open('/last-trade-price')),
  clob('POST /books', 200, (stand) => stand.clob('/books', posted([{ token_id: TOKEN }, { token_id: NO_TOKEN }])), {
    holds: '.',
  }),
  clob('POST /books', 400, (stand) => stand.clob('/books', posted({ token_id: TOKEN }))),
  clob('GET /prices-history', 200, open(`/prices-history?market=${TOKEN}&interval=1d&fidelity=60`), {
    holds: 'history',
  }),
  clob('GET /prices-history', 400, open('/prices-history')),
  clob('GET /clob-markets/{condition_id}', 200, open(`/clob-markets/${ALIENS.conditionId}`), { holds: 't' }),
  clob('GET /clob-markets/{condition_id}', 200, open(`/clob-markets/${V2_WIDE}`), { note: 'of V2', holds: 't' }),
  clob('GET /clob-markets/{condition_id}', 404, open(`/clob-markets/${V2_NARROW}`), { note: 'in the narrow form' }),
  clob('GET /book', 200, open(`/book?token_id=${V2_TOKEN}`), { note: 'of V2', holds: 'bids' }),
  clob('GET /prices-history', 400, open(`/prices-history?market=${V2_TOKEN}&interval=1d`), { note: 'of V2' }),
  clob('GET /clob-markets/{condition_id}', 400, open('/clob-markets/aliens')),
];

const ACCOUNT: readonly Call[] = [
  clob('POST /auth/api-key', 200, (stand) => stand.clob('/auth/api-key', newWallet(stand, 'POST'))),
  clob('POST /auth/api-key', 400, async (stand) => {
    const init = newWallet(stand, 'POST');
    await stand.clob('/auth/api-key', init);
    return stand.clob('/auth/api-key', init);
  }),
  unsigned('POST /auth/api-key'),
  clob('GET /auth/derive-api-key', 200, (stand) => stand.clob('/auth/derive-api-key', newWallet(stand, 'GET'))),
  unsigned('GET /auth/derive-api-key'),
  clob('GET /auth/api-keys', 200, signed('GET', '/auth/api-keys'), { holds: 'apiKeys' }),
  unsigned('GET /auth/api-keys'),
  clob('DELETE /auth/api-key', 200, (stand) => stand.another().call('DELETE', '/auth/api-key')),
  unsigned('DELETE /auth/api-key'),
  clob('GET /auth/ban-status/closed-only', 200, signed('GET', '/auth/ban-status/closed-only')),
  unsigned('GET /auth/ban-status/closed-only'),
  ...['/balance-allowance', '/balance-allowance/update'].flatMap((path) => [
    clob(`GET ${path}`, 200, signed('GET', `${path}?asset_type=COLLATERAL&signature_type=0`), { note: 'money' }),
    clob(`GET ${path}`, 200, signed('GET', `${path}?asset_type=CONDITIONAL&token_id=${TOKEN}`), { note: 'shares' }),
    clob(`GET ${path}`, 200, signed('GET', `${path}?asset_type=CONDITIONAL-V2&token_id=${V2_TOKEN}`), {
      note: 'shares of V2',
    }),
    clob(`GET ${path}`, 400, signed('GET', `${path}?asset_type=GOLD`)),
    unsigned(`GET ${path}`),
  ]),
  clob('GET /v1/user/session-signers', 200, listSessionSigners, { holds: 'signers' }),
  clob('GET /v1/user/session-signers', 400, signed('GET', '/v1/user/session-signers')),
  unsigned('GET /v1/user/session-signers'),
];

/** As the owner of a deposit wallet with one session key. */
function listSessionSigners(stand: Stand): Promise<Answer> {
  const owner = stand.another({ signatureType: 3 });
  const { address } = SandboxWallet.random();
  const validUntil = new Date(stand.clock().getTime() + 3_600_000);
  stand.sandbox.polymarket.authoriseSession(owner.account.wallet_address, { address, validUntil, scopes: ['CLOB'] });
  return owner.call('GET', '/v1/user/session-signers');
}

function newWallet({ clock }: Stand, method: string): RequestInit {
  return { method, headers: SandboxWallet.random().l1Headers(Math.floor(clock().getTime() / 1_000)) };
}

const TRADING: readonly Call[] = [
  clob(
    'POST /order',
    200,
    ({ holder }) => holder.post(holder.sign({ tokenId: TOKEN, side: 'BUY', price: '0.031', size: '10' })),
    {
      note: 'that rests',
    },
  ),
  clob(
    'POST /order',
    200,
    ({ holder }) => holder.post(holder.sign({ tokenId: TOKEN, side: 'BUY', price: '0.086', size: '10' })),
    {
      note: 'that fills',
      holds: 'tradeIDs',
    },
  ),
  clob(
    'POST /order',
    200,
    async (stand) => {
      const [tokenId = ''] = await tokensOf(stand.gamma('/markets/2310044'));
      return stand.holder.post(stand.holder.sign({ tokenId, side: 'BUY', price: '0.51', size: '10' }));
    },
    { note: 'that is held back' },
  ),
  clob(
    'POST /order',
    200,
    async (stand) => {
      const [tokenId = ''] = await tokensOf(stand.gamma('/markets/2999001'));
      return stand.holder.post(stand.holder.sign({ tokenId, side: 'BUY', price: '0.01', size: '10' }));
    },
    { note: 'rejected inside success' },
  ),
  clob(
    'POST /order',
    200,
    ({ holder }) => holder.post(holder.sign({ tokenId: V2_TOKEN, side: 'BUY', price: '0.54', size: '20' })),
    { note: 'of V2', holds: 'tradeIDs' },
  ),
  clob(
    'POST /order',
    400,
    ({ holder }) => {
      const terms = { tokenId: V2_TOKEN, side: 'BUY', price: '0.5', size: '10', protocol: 'v1' } as const;
      return holder.post(holder.sign(terms));
    },
    { note: 'under the domain of V1' },
  ),
  clob('POST /order', 400, signed('POST', '/order', {}), { note: 'no order' }),
  clob(
    'POST /order',
    400,
    ({ holder }) => holder.post(holder.sign({ tokenId: TOKEN, side: 'BUY', price: '0.5', size: '1000000' })),
    { note: 'more than the balance' },
  ),
  clob(
    'POST /order',
    400,
    ({ holder, maker }) => holder.post(maker.sign({ tokenId: TOKEN, side: 'BUY', price: '0.01', size: '10' })),
    { note: 'of another wallet' },
  ),
  unsigned('POST /order'),
  clob(
    'POST /orders',
    200,
    ({ holder }) => {
      const order = holder.sign({ tokenId: TOKEN, side: 'BUY', price: '0.032', size: '10' });
      const entry = { order, owner: holder.credentials.apiKey, orderType: 'GTC' };
      return holder.call('POST', '/orders', [entry, { ...entry, owner: 'another' }]);
    },
    { note: 'one of two', holds: '.' },
  ),
  clob('POST /orders', 400, signed('POST', '/orders', [])),
  unsigned('POST /orders'),
  clob(
    'DELETE /order',
    200,
    async (stand) => stand.holder.call('DELETE', '/order', { orderID: await stand.restPolymarket() }),
    {
      holds: 'canceled',
    },
  ),
  clob('DELETE /order', 200, signed('DELETE', '/order', { orderID: NO_SUCH_HASH }), { note: 'that is not there' }),
  clob('DELETE /order', 400, signed('DELETE', '/order', { orderID: 'first' })),
  unsigned('DELETE /order'),
  clob(
    'DELETE /orders',
    200,
    async (stand) => stand.holder.call('DELETE', '/orders', [await stand.restPolymarket(), NO_SUCH_HASH]),
    {
      note: 'one of two',
      holds: 'canceled',
    },
  ),
  clob('DELETE /orders', 400, signed('DELETE', '/orders', {})),
  unsigned('DELETE /orders'),
  clob(
    'DELETE /cancel-market-orders',
    200,
    async (stand) => {
      const trader = stand.another();
      await trader.post(trader.sign({ tokenId: TOKEN, side: 'BUY', price: '0.01', size: '10' }));
      return trader.call('DELETE', '/cancel-market-orders', { market: ALIENS.conditionId });
    },
    { holds: 'canceled' },
  ),
  clob('DELETE /cancel-market-orders', 400, signed('DELETE', '/cancel-market-orders', {})),
  unsigned('DELETE /cancel-market-orders'),
  clob(
    'DELETE /cancel-all',
    200,
    async (stand) => {
      const trader = stand.another();
      await trader.post(trader.sign({ tokenId: TOKEN, side: 'BUY', price: '0.01', size: '10' }));
      return trader.call('DELETE', '/cancel-all');
    },
    { holds: 'canceled' },
  ),
  unsigned('DELETE /cancel-all'),
  clob('GET /data/orders', 200, signed('GET', '/data/orders'), { holds: 'data' }),
  clob('GET /data/orders', 400, signed('GET', '/data/orders?next_cursor=%3F')),
  unsigned('GET /data/orders'),
  clob('GET /data/order/{orderID}', 200, (stand) => stand.holder.call('GET', `/data/order/${stand.restingHash}`)),
  clob('GET /data/order/{orderID}', 400, signed('GET', '/data/order/first')),
  clob('GET /data/order/{orderID}', 404, signed('GET', `/data/order/${NO_SUCH_HASH}`)),
  unsigned('GET /data/order/{orderID}'),
  clob('GET /data/trades', 200, signed('GET', '/data/trades'), { holds: 'data' }),
  clob('GET /data/trades', 400, signed('GET', '/data/trades?after=soon')),
  unsigned('GET /data/trades'),
];

async function tokensOf(market: Promise<Answer>): Promise<string[]> {
  const { body } = await market;
  const text: unknown = typeof body === 'object' && body !== null ? Reflect.get(body, 'clobTokenIds') : undefined;
  const tokens: unknown = JSON.parse(String(text));
  return Array.isArray(tokens) ? tokens.map(String) : [];
}

/** Every call of the CLOB. */
export const POLYMARKET_CALLS: readonly Call[] = [...PUBLIC, ...ACCOUNT, ...TRADING];
