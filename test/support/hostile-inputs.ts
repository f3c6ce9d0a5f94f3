import { EXCHANGE, EXCHANGES } from './exchanges.js';
/** Who sends it. */
type Sender = 'key' | 'session' | 'nobody';

/** One request of somebody who wants to be expensive. */
export interface HostileInput {
  readonly name: string;
  readonly as: Sender;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The very text of the body. */
  readonly body?: string;
}

/** What only the machine at hand knows. */
export interface HostileMeans {
  /** RSA of 4096 bits, PEM. */
  readonly largeKey: string;
  /** RSA of 2048 bits whose public exponent is as large as such a key allows here. */
  readonly oddKey: string;
  /** Working credentials, which the last input stores again. */
  readonly kalshi: object;
  readonly polymarket: object;
}

/** Just below the limit of a body. */
const ROOM = 60_000;
const LONG = 'x'.repeat(ROOM);
const DIGITS = '9'.repeat(ROOM);
/** Each half of it can be matched in two ways by a careless expression. */
const AMBIGUOUS = `${'A_'.repeat(29)}-`;
const AMBIGUOUS_LONG = `${'A_'.repeat(1_990)}-`;
const AMBIGUOUS_ROOM = `${'A_'.repeat(ROOM / 2 - 1)}-`;
const OBJECTS = `[${'{},'.repeat(20_999)}{}]`;
const MEMBERS = `{${Array.from({ length: 7_000 }, (_, i) => `"${i}":1`).join(',')}}`;
const NESTED = `${'['.repeat(ROOM / 2)}${']'.repeat(ROOM / 2)}`;
const NESTED_OBJECTS = `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`;
/** Letters that fall apart into several when they are normalised. */
const MARKS = 'ﷺ'.repeat(ROOM / 3 - 10);
const PATH = 'A'.repeat(4_000);
const TOKENS = `${'eyJ'.repeat(1_300)}.`;

const TEXTS: readonly (readonly [name: string, text: string])[] = [
  ['60 kB', LONG],
  ['60 kB of A_', AMBIGUOUS_ROOM],
  ['60 kB of marks', MARKS],
  ['60 kB of punctuation', `${'!'.repeat(ROOM - 1)}x`],
];

const json = (value: object): string => JSON.stringify(value);

/** An order that nobody has, and that the exchange refuses to tell of in words that are expensive to clean. */
export const BABBLED_ORDER = EXCHANGE.kalshi.unknownOrder;
export const BABBLE = {
  error: { code: AMBIGUOUS, message: `${AMBIGUOUS} ${'eyJ'.repeat(2_000)} ${'A_'.repeat(1_000)}-` },
};

/** A body with each hostile text in one of its fields. */
function fields(input: Omit<HostileInput, 'body' | 'name'>, body: object, names: readonly string[]): HostileInput[] {
  const { method, path } = input;
  return names.flatMap((field) =>
    TEXTS.map(([text, value]) => ({
      ...input,
      name: `${method} ${path} ${field} of ${text}`,
      body: json({ ...body, [field]: value }),
    })),
  );
}

/** A query with each hostile text in one of its parameters. */
function queries(path: string, fixed: string, names: readonly string[]): HostileInput[] {
  const texts = [PATH, AMBIGUOUS_LONG, '1'.repeat(4_000), '%00'.repeat(1_300), ','.repeat(4_000), TOKENS];
  return names.flatMap((name) =>
    texts.map((text, i) => ({
      name: `GET ${path} ${name} of hostile text ${i}`,
      as: 'key' as const,
      method: 'GET' as const,
      path: `${path}?${fixed}${name}=${text}`,
    })),
  );
}

const PERSON = { email: 'hostile@example.com', password: 'plum carousel nine harbour', name: 'Hostile' };
const CODE = { code: 'x', code_verifier: 'y'.repeat(43), redirect_uri: 'http://127.0.0.1/' };
const KALSHI_ORDER = { market_id: 'KXHIGHNY-TODAY-B55.5', outcome: 'yes', side: 'buy', price: '0.02', size: '1' };
const SIGNED_ORDER = {
  salt: '1',
  maker: '0x8ba1f109551bD432803012645Ac136ddd64DBA72',
  signer: '0x8ba1f109551bD432803012645Ac136ddd64DBA72',
  tokenId: '1',
  makerAmount: '1',
  takerAmount: '1',
  side: 'BUY',
  expiration: '0',
  timestamp: '1',
  metadata: `0x${'0'.repeat(64)}`,
  builder: `0x${'0'.repeat(64)}`,
  signatureType: 0,
  signature: `0x${'0'.repeat(130)}`,
};

/** Odd bodies for every route that takes one. */
const BODIES: readonly (readonly [name: string, body: string])[] = [
  ['21,000 objects', OBJECTS],
  ['7,000 members', MEMBERS],
  ['30,000 arrays in each other', NESTED],
  ['10,000 objects in each other', NESTED_OBJECTS],
  ['60 kB of blanks', ' '.repeat(ROOM)],
];
const WRITES: readonly (readonly [HostileInput['method'], string, Sender])[] = [
  ['POST', '/auth/signup', 'nobody'],
  ['POST', '/auth/login', 'nobody'],
  ...EXCHANGES.map((id) => ['POST', `/${id}/orders`, 'key'] as const),
  ...EXCHANGES.map((id) => ['PUT', `/account/credentials/${id}`, 'session'] as const),
  ['POST', '/account/credentials/polymarket/session-key', 'session'],
  ['POST', '/account/credentials/polymarket/session-key/activate', 'session'],
  ['POST', '/account/api-keys', 'session'],
];

const UNSIGNED: readonly HostileInput[] = [
  ...fields({ as: 'nobody', method: 'POST', path: '/auth/signup' }, PERSON, ['email', 'password', 'name']),
  ...fields({ as: 'nobody', method: 'POST', path: '/auth/login' }, PERSON, ['email', 'password']),
  ...fields({ as: 'nobody', method: 'POST', path: '/auth/forgot-password' }, {}, ['email']),
  ...fields({ as: 'nobody', method: 'POST', path: '/auth/verify-email' }, {}, ['token']),
  ...fields(
    { as: 'nobody', method: 'POST', path: '/auth/reset-password' },
    { token: 'x'.repeat(43), new_password: PERSON.password },
    ['token', 'new_password'],
  ),
  ...['google', 'github'].flatMap((provider) =>
    fields({ as: 'nobody', method: 'POST', path: `/auth/${provider}/callback` }, CODE, Object.keys(CODE)),
  ),
  {
    name: 'a refresh cookie of 6 kB',
    as: 'nobody',
    method: 'POST',
    path: '/auth/refresh',
    headers: { cookie: `refresh_token=${'a'.repeat(6_000)}` },
  },
  {
    name: '1,000 cookies',
    as: 'nobody',
    method: 'POST',
    path: '/auth/refresh',
    headers: { cookie: 'a=1; '.repeat(1_000) },
  },
  {
    name: 'a key that nobody has',
    as: 'nobody',
    method: 'GET',
    path: '/me',
    headers: { authorization: 'Bearer svc_sk_live_4fGh0aBcDeFgHiJkLmNoPqRsTuVwXyZ01234567' },
  },
  {
    name: 'a key of 6 kB',
    as: 'nobody',
    method: 'GET',
    path: '/me',
    headers: { authorization: `Bearer svc_sk_live_${'a'.repeat(6_000)}` },
  },
  {
    name: 'a token of 6 kB',
    as: 'nobody',
    method: 'GET',
    path: '/account/profile',
    headers: { authorization: `Bearer ${'eyJ'.repeat(2_000)}.a.b` },
  },
];

const ACCOUNT: readonly HostileInput[] = [
  ...fields(
    { as: 'session', method: 'POST', path: '/account/password' },
    { current_password: 'wrong', new_password: 'another carousel nine harbour' },
    ['current_password', 'new_password'],
  ),
  ...fields({ as: 'session', method: 'PATCH', path: '/account/profile' }, {}, ['name']),
  ...fields({ as: 'session', method: 'POST', path: '/account/api-keys' }, { scopes: ['read'] }, ['name']),
  {
    name: '7,000 scopes',
    as: 'session',
    method: 'POST',
    path: '/account/api-keys',
    body: json({ scopes: Array(7_000).fill('trade') }),
  },
  ...fields(
    { as: 'session', method: 'PUT', path: '/account/credentials/kalshi' },
    { access_key: 'x', private_key: 'x' },
    ['access_key', 'private_key'],
  ),
  ...fields(
    { as: 'session', method: 'PUT', path: '/account/credentials/polymarket' },
    { api_key: 'x', secret: 'x', passphrase: 'x', wallet_address: 'x' },
    ['api_key', 'secret', 'passphrase', 'wallet_address'],
  ),
  { name: 'a session id of 4 kB', as: 'session', method: 'DELETE', path: `/account/sessions/${PATH}` },
  { name: 'a key prefix of 4 kB', as: 'session', method: 'DELETE', path: `/account/api-keys/${PATH}` },
];

const TRADING: readonly HostileInput[] = [
  ...fields({ as: 'key', method: 'POST', path: '/kalshi/orders' }, KALSHI_ORDER, [
    ...Object.keys(KALSHI_ORDER),
    'client_order_id',
    'expires_at',
  ]),
  {
    name: 'a price of 60,000 digits',
    as: 'key',
    method: 'POST',
    path: '/kalshi/orders',
    body: json({ ...KALSHI_ORDER, price: `0.${DIGITS}` }),
  },
  {
    name: 'a size of 60,000 digits',
    as: 'key',
    method: 'POST',
    path: '/kalshi/orders',
    body: json({ ...KALSHI_ORDER, size: DIGITS }),
  },
  ...['salt', 'tokenId', 'makerAmount', 'expiration', 'timestamp', 'maker', 'signature', 'metadata'].map((field) => ({
    name: `signed_order.${field} of 60,000 digits`,
    as: 'key' as const,
    method: 'POST' as const,
    path: '/polymarket/orders',
    body: json({ signed_order: { ...SIGNED_ORDER, [field]: DIGITS } }),
  })),
  {
    name: 'signed_order as 21,000 objects',
    as: 'key',
    method: 'POST',
    path: '/polymarket/orders',
    body: `{"signed_order":${OBJECTS.slice(0, 60_000)}{}]}`,
  },
  {
    name: 'an Idempotency-Key of 6 kB',
    as: 'key',
    method: 'POST',
    path: '/kalshi/orders',
    headers: { 'idempotency-key': 'x'.repeat(6_000) },
    body: json(KALSHI_ORDER),
  },
  ...EXCHANGES.flatMap((exchange): HostileInput[] => [
    { name: `${exchange}: cancel all`, as: 'key', method: 'DELETE', path: `/${exchange}/orders` },
    {
      name: `${exchange}: look up an order that nobody has`,
      as: 'key',
      method: 'GET',
      path: `/${exchange}/orders/${EXCHANGE[exchange].unknownOrder}`,
    },
    { name: `${exchange}: cancel an order of 4 kB`, as: 'key', method: 'DELETE', path: `/${exchange}/orders/${PATH}` },
    { name: `${exchange}: a market of 4 kB`, as: 'key', method: 'GET', path: `/${exchange}/markets/${PATH}` },
    {
      name: `${exchange}: a market of ambiguous text`,
      as: 'key',
      method: 'GET',
      path: `/${exchange}/markets/${AMBIGUOUS}`,
    },
    {
      name: `${exchange}: a path of 2,000 segments`,
      as: 'key',
      method: 'GET',
      path: `/${exchange}${'/a'.repeat(2_000)}`,
    },
    {
      name: `${exchange}: an event of percent codes`,
      as: 'key',
      method: 'GET',
      path: `/${exchange}/events/${'%41'.repeat(1_300)}`,
    },
    ...queries(`/${exchange}/markets`, '', ['search', 'ids', 'cursor', 'limit', 'event_id', 'sort']),
    ...queries(`/${exchange}/trades`, 'market_id=A&', ['cursor', 'start', 'end']),
    ...queries(`/${exchange}/orders`, '', ['cursor', 'market_id']),
    {
      name: `${exchange}: 2,000 parameters`,
      as: 'key',
      method: 'GET',
      path: `/${exchange}/markets?${'a=1&'.repeat(1_000)}`,
    },
    {
      name: `${exchange}: parameters in each other`,
      as: 'key',
      method: 'GET',
      path: `/${exchange}/markets?a${'[b]'.repeat(1_000)}=1`,
    },
  ]),
  {
    name: '5,000 candlesticks',
    as: 'key',
    method: 'GET',
    path: '/kalshi/candlesticks?market_id=KXHIGHNY-TODAY-B55.5&outcome=yes&interval=1m',
  },
  {
    name: 'header lines of 6 kB',
    as: 'key',
    method: 'GET',
    path: '/kalshi/markets?limit=1',
    headers: { 'user-agent': AMBIGUOUS_LONG, 'cache-control': ', '.repeat(1_500), 'x-request-id': 'x'.repeat(1_000) },
  },
];

/** The most expensive input that was found for every field of every route. */
export function hostileInputs({ largeKey, oddKey, kalshi, polymarket }: HostileMeans): HostileInput[] {
  const store = (name: string, exchange: string, body: object): HostileInput => ({
    name,
    as: 'session',
    method: 'PUT',
    path: `/account/credentials/${exchange}`,
    body: json(body),
  });
  const verify: HostileInput = {
    name: 'verify',
    as: 'session',
    method: 'POST',
    path: '/account/credentials/kalshi/verify',
  };
  const signed: HostileInput = { name: 'a signed read', as: 'key', method: 'GET', path: '/kalshi/balance' };
  return [
    ...UNSIGNED,
    ...ACCOUNT,
    ...TRADING,
    ...WRITES.flatMap(([method, path, as]) =>
      BODIES.map(([name, body]) => ({ name: `${method} ${path} of ${name}`, as, method, path, body })),
    ),
    store('RSA of 4096 bits', 'kalshi', { access_key: 'x', private_key: largeKey }),
    verify,
    { ...signed, name: 'a read signed with 4096 bits' },
    store('RSA with a large exponent', 'kalshi', { access_key: 'x', private_key: oddKey }),
    { ...verify, name: 'verify with a large exponent' },
    { ...signed, name: 'a read signed with a large exponent' },
    store('working Kalshi credentials', 'kalshi', kalshi),
    store('working Polymarket credentials', 'polymarket', polymarket),
  ];
}
