import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import type published from '../../../test/vectors/vectors-polymarket-2026.json';
import { toHex } from './hex.js';
import { type SessionScope, SessionSigners } from './session-signers.js';
import { exchangeDomain, orderDigest, orderHash, type Side } from './typed-data.js';
import { flawOf, type Signers } from './verify.js';
import { SandboxWallet, type SignatureType, type WireOrder } from './wallet.js';

const file = new URL('../../../test/vectors/vectors-polymarket-2026.json', import.meta.url);
const vectors = JSON.parse(readFileSync(file, 'utf8')) as typeof published;
const { owner, session } = vectors.keys_TEST_ONLY;
const { deposit } = vectors.wallets;
const NOW = new Date('2026-11-21T12:00:00.000Z');
const KEYS = {
  owner: SandboxWallet.fromPrivateKey(owner.private_key),
  session: SandboxWallet.fromPrivateKey(session.private_key),
};
type DomainName = keyof typeof vectors.domains;
const DOMAINS = { v1_standard: 'v1', v1_neg_risk: 'v1_neg_risk', v2: 'v2' } as const;

function registry(
  scopes: readonly SessionScope[] = ['CLOB'],
  validUntil = new Date(NOW.getTime() + 1),
): SessionSigners {
  const sessions = new SessionSigners();
  sessions.authorise(deposit, { address: session.address, validUntil, scopes });
  return sessions;
}

function by(apiAddress: string, sessions = registry()): Signers {
  return { apiAddress, owner: owner.address, sessions, now: NOW };
}

function wire(order: object): WireOrder {
  return order as WireOrder;
}

const ORDERS = vectors.orders.map((vector) => ({ ...vector, domain: DOMAINS[vector.domain as DomainName] }));
const cases = ORDERS.map((vector) => [vector.name, vector] as const);

function named(name: string): WireOrder {
  return wire(ORDERS.find((vector) => vector.name === name)?.post_order_body.order ?? {});
}

describe('signatures of orders (polymarket.md 3, 11.2)', () => {
  it.each(Object.entries(DOMAINS))('separates the domain %s as published', (name, domain) => {
    expect(toHex(exchangeDomain(domain))).toBe(vectors.domains[name as DomainName].separator);
  });

  it.each(cases)(
    'verifies %s and gives its hash',
    (_name, { post_order_body, domain, order_hash, headers_address }) => {
      const order = wire(post_order_body.order);
      expect(flawOf(order, domain, by(headers_address))).toBeUndefined();
      expect(toHex(orderDigest(order, domain))).toBe(order_hash);
      expect(orderHash(order, domain === 'v1_neg_risk')).toBe(order_hash);
    },
  );

  it.each(cases)('signs %s byte for byte', (_name, { post_order_body: { order }, domain, signed_by }) => {
    const { tokenId, maker, signer, salt, timestamp, metadata, builder, makerAmount, takerAmount } = order;
    const terms = {
      ...{ tokenId, maker, signer, price: '0.52', size: '10', expiration: order.expiration },
      side: order.side as Side,
      signatureType: order.signatureType as SignatureType,
      negRisk: domain === 'v1_neg_risk',
      session: signed_by === 'session',
    };
    const extras = { salt, timestamp, metadata, builder, amounts: { makerAmount, takerAmount } };
    expect(KEYS[signed_by as keyof typeof KEYS].signOrder(terms, extras)).toEqual(order);
  });

  it.each(vectors.must_not_verify.map((vector) => [vector.name, vector] as const))('refuses %s', (name, vector) => {
    const sessions = name === 'session-key-revoked' ? new SessionSigners() : registry();
    for (const key of Object.values(vectors.keys_TEST_ONLY)) {
      const order = wire(vector.order);
      expect(flawOf(order, DOMAINS[vector.domain as DomainName], by(key.address, sessions))).toBeDefined();
    }
  });

  it.each([
    ['v2-market-signed-for-old-exchange', 'v2'],
    ['v1-market-signed-with-version-3', 'v1'],
  ] as const)('names the wrong version of %s', (name, domain) => {
    const vector = vectors.must_not_verify.find((one) => one.name === name);
    expect(flawOf(wire(vector?.order ?? {}), domain, by(owner.address))).toBe('version');
  });

  it('refuses a session key that is not known yet, ran out, has another scope, or comes with the API key of the owner', () => {
    const order = named('v2-deposit-session-buy');
    expect(flawOf(order, 'v2', by(session.address))).toBeUndefined();
    expect(flawOf(order, 'v2', by(session.address, registry(['ALL'])))).toBeUndefined();
    expect(flawOf(order, 'v2', by(session.address, registry(['CLOB'], NOW)))).toBe('signer');
    expect(flawOf(order, 'v2', by(session.address, registry(['COMBOSRFQ'])))).toBe('signer');
    expect(flawOf(order, 'v2', by(owner.address))).toBe('signer');
    const settling = new SessionSigners();
    const [validUntil, usableFrom] = [new Date(NOW.getTime() + 2), new Date(NOW.getTime() + 1)];
    settling.authorise(deposit, { address: session.address, scopes: ['CLOB'], validUntil, usableFrom });
    expect(flawOf(order, 'v2', by(session.address, settling))).toBe('signer');
    expect(flawOf(order, 'v2', { ...by(session.address, settling), now: usableFrom })).toBeUndefined();
    const revoked = registry();
    revoked.revoke(deposit.toLowerCase(), session.address);
    expect(flawOf(order, 'v2', by(session.address, revoked))).toBe('signer');
  });

  it('knows a session key without its layer also where nobody knows the owner', () => {
    const vector = vectors.must_not_verify.find((one) => one.name === 'session-signature-without-outer-layer');
    const unknown = { ...by(session.address), owner: session.address };
    expect(flawOf(wire(vector?.order ?? {}), 'v2', unknown)).toBe('signature');
  });

  it('gives an order another hash under each domain', () => {
    const { correct_v2, under_v1_standard, under_v1_neg_risk } = vectors.wrong_domain_gives_other_hash;
    const hashes = (['v2', 'v1', 'v1_neg_risk'] as const).map((one) => toHex(orderDigest(named('v2-eoa-buy'), one)));
    expect(hashes).toEqual([correct_v2, under_v1_standard, under_v1_neg_risk]);
  });

  it('refuses a session layer of any other bytes', () => {
    const order = named('v2-deposit-session-buy');
    const { signature } = order;
    const at = (place: number, digits: string): string =>
      signature.slice(0, place) + digits + signature.slice(place + digits.length);
    const others = [at(2, '01'), at(66, '01'), at(130 + 62, '61'), at(194 + 60, 'ffff'), at(902, '01')];
    for (const one of [...others, `0x${'6492'.repeat(16)}`, `${signature}00`]) {
      expect(flawOf({ ...order, signature: one }, 'v2', by(session.address))).toBeDefined();
    }
  });
});
