import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { AppError } from '../../../platform/errors/app-error.js';
import { DOMAINS, KNOWN_DOMAINS, type OrderDomain } from './order-domains.js';
import type { HashedOrder } from './order-hash.js';
import { checkDomain } from './order-signature.js';

type SignedOrder = HashedOrder & { readonly signature: string };
type Name = 'v1_standard' | 'v1_neg_risk' | 'v2';

interface Published {
  readonly orders: readonly {
    readonly name: string;
    readonly domain: Name;
    readonly post_order_body: { readonly order: SignedOrder };
  }[];
  readonly must_not_verify: readonly { readonly name: string; readonly domain: Name; readonly order: SignedOrder }[];
}

const file = new URL('../../../../test/vectors/vectors-polymarket-2026.json', import.meta.url);
const { orders, must_not_verify: wrong } = JSON.parse(readFileSync(file, 'utf8')) as Published;
const OURS: Readonly<Record<Name, OrderDomain>> = {
  v1_standard: DOMAINS.v1Standard,
  v1_neg_risk: DOMAINS.v1NegRisk,
  v2: DOMAINS.v2,
};

/** What `checkDomain` throws; null where it passes the order on. */
async function refusal(order: SignedOrder, right: OrderDomain): Promise<unknown> {
  return checkDomain(order, right).then(
    () => null,
    (error: unknown) => error,
  );
}

const OTHER_DOMAIN = [
  'v2-market-signed-with-version-2',
  'v2-market-signed-for-old-exchange',
  'v2-market-signed-for-stale-document-domain',
  'v1-market-signed-with-version-3',
  'neg-risk-and-standard-swapped',
];

describe('checkDomain', () => {
  it.each(orders.map((vector) => [vector.name, vector] as const))(
    'contract.md 5.6 passes %s under its own domain and refuses it under the others',
    async (_name, { domain, post_order_body: { order } }) => {
      expect(await refusal(order, OURS[domain])).toBeNull();
      const others = Object.values(OURS).filter((right) => right !== OURS[domain]);
      for (const right of others) {
        expect(await refusal(order, right)).toMatchObject({ details: { reason: 'wrong_domain' } });
      }
    },
  );

  it.each(wrong.filter(({ name }) => OTHER_DOMAIN.includes(name)).map((one) => [one.name, one] as const))(
    'contract.md 5.6 refuses %s and names the right domain',
    async (_name, { domain, order }) => {
      const right = OURS[domain];
      const error = await refusal(order, right);
      expect(error).toBeInstanceOf(AppError);
      expect(error).toMatchObject({
        code: 'bad_request',
        message: expect.stringContaining(right.verifyingContract),
        details: { reason: 'wrong_domain', fields: [{ field: 'signed_order.signature' }] },
      });
      expect(String(error)).toContain(`version "${right.version}"`);
      expect(String(error)).not.toContain(order.signature.slice(2, 30));
    },
  );

  it.each(wrong.filter(({ name }) => !OTHER_DOMAIN.includes(name)).map((one) => [one.name, one] as const))(
    'contract.md 5.6 leaves %s to the exchange',
    async (_name, { domain, order }) => {
      expect(await refusal(order, OURS[domain])).toBeNull();
    },
  );

  it.each([
    ['no curve point', `0x${'f'.repeat(128)}1b`],
    ['zeros', `0x${'0'.repeat(128)}1c`],
    ['a recovery byte of its own', `0x${'1'.repeat(128)}00`],
    ['one byte', '0x1b'],
    ['a layer around nothing', `0x${'6492'.repeat(16)}`],
    ['a layer whose length word lies', `0x${'0'.repeat(190)}60${'f'.repeat(64)}${'a'.repeat(64)}${'6492'.repeat(16)}`],
    ['the longest', `0x${'6492'.repeat(4_000)}`],
  ])('contract.md 5.6 leaves a signature that is %s to the exchange', async (_name, signature) => {
    for (const { post_order_body } of orders) {
      expect(await refusal({ ...post_order_body.order, signature }, DOMAINS.v2)).toBeNull();
    }
  });

  it('S-53 lets other work in between where a signature fits no domain', async () => {
    const [plain] = orders;
    if (plain === undefined) throw new Error('There are no vectors.');
    const order = { ...plain.post_order_body.order, signer: `0x${'1'.repeat(40)}` };
    let turns = 0;
    const count = (): void => {
      turns += 1;
      timer = setImmediate(count);
    };
    let timer = setImmediate(count);
    expect(await refusal(order, DOMAINS.v2)).toBeNull();
    clearImmediate(timer);
    expect(turns).toBeGreaterThanOrEqual(KNOWN_DOMAINS.length - 1);
  });
});
