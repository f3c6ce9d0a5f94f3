import { AppError } from '../../../platform/errors/app-error.js';
import type { FindableOrder, OrderNaming, PreparedOrder, SentOrder, SentTerms } from '../../orders.contract.js';
import type { OpenedSessionKey } from '../../session-keys.contract.js';
import type { SignedPolymarketClient } from '../connection/client.js';
import type { LevelDto } from '../../unified.market-data.dto.js';
import type { Verdict } from '../../verdicts.js';
import type { MarketDirectory, OrderTarget, TokenFacts } from '../market-data/directory/market-directory.js';
import { needOf, type PolymarketFunds } from './funds.js';
import { spendsSum } from './order-amounts.js';
import { checkExpiry, checkOwner, checkRules, checkTerms } from './order-check.js';
import { domainOf } from './order-domains.js';
import {
  isPlain,
  isSigned,
  type PlainRequest,
  type PolymarketOrderDto,
  type SignedOrderDto,
  type SignedRequest,
} from './order.dto.js';
import { OrderFinding } from './order-finding.js';
import { lifeOf, signedAmounts, signedTerms, toCreateBody } from './order.mapper.js';
import { checkDomain } from './order-signature.js';
import type { PolymarketOrders } from './orders.js';
import { type BuiltOrder, PlainOrder } from './plain-order.js';
import { PolymarketPreparedOrder, type ReadyOrder } from './prepared-order.js';
import { SessionSigner } from './session-signer.js';
import type { Wallet } from './wallet.js';

const DAY_MS = 86_400_000;
/** A signed time before this is none in milliseconds. */
const EARLIEST_SIGNING_MS = Date.UTC(2024, 0, 1);

/** Checks orders of one account wallet and makes them ready; sends none (contract.md 5.6, unified-schema.md 7). */
export class OrderPreparation {
  constructor(
    private readonly client: SignedPolymarketClient,
    private readonly wallet: Wallet,
    private readonly directory: MarketDirectory,
    private readonly orders: PolymarketOrders,
    private readonly funds: PolymarketFunds,
    /** Signs orders of plain parameters; null where there is none. */
    private readonly sessionKey: OpenedSessionKey | null,
  ) {}

  /** Throws `bad_request`, `not_found` and, for a plain order without a session key, `credentials_not_configured`. */
  async prepare(request: PolymarketOrderDto, naming: OrderNaming): Promise<PreparedOrder> {
    checkTerms(request);
    const ready = isPlain(request) ? await this.#plain(request, naming) : await this.#signed(signedOf(request));
    return new PolymarketPreparedOrder(ready, this.client, this.orders, this.funds);
  }

  /** By its record: its hash proves outcome and side. One that was signed here has kept what it was signed with. */
  async sent(asked: SentTerms, { sentAs }: OrderNaming): Promise<FindableOrder> {
    const { market_id: marketId, outcome_index: index, side, price, size, time_in_force: timeInForce, money } = asked;
    const token = index === null ? undefined : (await this.directory.getOutcomes(marketId))[index];
    const kept = keptIn(sentAs, timeInForce);
    if (token === undefined || kept === null) throw this.client.unusable();
    await this.client.synchronise();
    const { id, isOurs, expiresAt } = kept;
    const spends = isOurs && money !== null && timeInForce !== null && spendsSum({ side, timeInForce });
    const life = { timeInForce, postOnly: asked.post_only, expiresAt };
    const terms = { id, marketId, outcome: token.outcome, side, price, size, ...life, ...(spends && { money }) };
    const finding = new OrderFinding(this.client, this.orders, { terms, notBefore: null });
    return {
      reference: { details: { order_id: id }, isSafeToResend: !isOurs, isOurs },
      find: (search) => finding.find(search),
    };
  }

  async #signed(request: SignedRequest): Promise<ReadyOrder> {
    const { signed_order: order } = request;
    checkOwner(order, this.wallet);
    const token = await this.directory.getToken(order.tokenId);
    await checkDomain(order, domainOf(token));
    await this.client.synchronise();
    const life = lifeOf(request);
    const terms = signedTerms(order, life, token);
    return {
      ...this.#common(order, token),
      terms,
      // The hash does not say how long it lives.
      kept: terms.expiresAt && { expires_at: terms.expiresAt.toISOString() },
      session: null,
      body: () => toCreateBody(order, life, this.wallet.apiCredentials.apiKey),
    };
  }

  async #plain(request: PlainRequest, naming: OrderNaming): Promise<ReadyOrder> {
    if (this.sessionKey === null) throw noSessionKey();
    const { token, order, terms, kept } = await this.#built(request, naming);
    const session = new SessionSigner(this.sessionKey, this.client);
    const signed = (): SignedOrderDto => ({ ...order, signature: session.sign(order, domainOf(token)) });
    return {
      ...this.#common(order, token),
      terms,
      kept,
      session,
      body: () => toCreateBody(signed(), lifeOf(request), this.wallet.apiCredentials.apiKey),
    };
  }

  async #built(request: PlainRequest, naming: OrderNaming): Promise<BuiltOrder & { readonly token: TokenFacts }> {
    const plainOf = (token: TokenFacts): PlainOrder =>
      new PlainOrder(request, token, this.wallet.account.reveal(), naming);
    const sentAs = naming.sentAs?.order_id;
    if (sentAs !== undefined) return this.#rebuilt(request, plainOf, sentAs);
    const { token, rules } = await this.directory.getOrderTarget(request.market_id, String(request.outcome));
    await this.client.synchronise();
    return { token, ...(await this.#checked(request, plainOf(token), { token, rules })) };
  }

  /** Builds an order of which nothing was sent: only then does it matter what the market asks of it, and what time it is. */
  async #checked(request: PlainRequest, plain: PlainOrder, { token, rules }: OrderTarget): Promise<BuiltOrder> {
    checkRules(request, rules);
    if (plain.expirySeconds !== null) checkExpiry(plain.expirySeconds, this.client.now());
    const asks = plain.needsBook ? await this.#readAsks(token) : [];
    return plain.build({ at: this.client.now(), tick: rules.tick, asks }) ?? this.#refuse('not_filled');
  }

  async #readAsks(token: TokenFacts): Promise<readonly LevelDto[]> {
    return (await this.directory.readBook(token))?.asks ?? this.#refuse('market_closed');
  }

  /** The exchange would refuse the order so, for what it says of the market already: it is not sent. */
  #refuse(verdict: Verdict): never {
    throw this.client.refused(verdict, null, { code: null, text: null });
  }

  /**
   * Builds an order that was sent under a hash, which proves its outcome, whatever that is called by now. Throws `exchange_error`
   * where nothing that it can have been gives that hash.
   */
  async #rebuilt(
    { market_id: marketId }: PlainRequest,
    plainOf: (token: TokenFacts) => PlainOrder,
    orderId: string,
  ): Promise<BuiltOrder & { readonly token: TokenFacts }> {
    const tokens = await this.directory.getOutcomes(marketId);
    await this.client.synchronise();
    for (const token of tokens) {
      const built = plainOf(token).rebuild(orderId);
      if (built !== null) return { token, ...built };
    }
    throw new AppError('exchange_error', 'The order cannot be made as it was sent. Look it up by its id.');
  }

  #common(
    order: Omit<SignedOrderDto, 'signature'>,
    token: TokenFacts,
  ): Pick<ReadyOrder, 'need' | 'notBefore' | 'protocol' | 'signed'> {
    const { protocol } = token;
    return {
      need: needOf(order, token),
      protocol,
      signed: signedAmounts(order),
      notBefore: notBefore(order, this.client.now()),
    };
  }
}

/**
 * Reads from a record of the ledger the hash of the order, whether the service signed the order and, of one that the client
 * signed, when it expires. Returns null where the record lacks these, as records of an earlier version do.
 */
function keptIn(
  sentAs: SentOrder | null,
  timeInForce: SentTerms['time_in_force'],
): { readonly id: string; readonly isOurs: boolean; readonly expiresAt: Date | null } | null {
  if (sentAs?.order_id === undefined) return null;
  const { order_id: id, terms } = sentAs;
  const at = terms?.expires_at;
  if (terms === undefined && timeInForce === 'gtd') return null;
  return { id, isOurs: terms !== undefined && at === undefined, expiresAt: at === undefined ? null : new Date(at) };
}

/** A validated request has one of the two forms. */
function signedOf(request: PolymarketOrderDto): SignedRequest {
  if (isSigned(request)) return request;
  throw new TypeError('An order is plain or signed.');
}

function noSessionKey(): AppError {
  const message =
    'Orders of plain parameters need a session key: POST /account/credentials/polymarket/session-key. Or send a signed_order.';
  return new AppError('credentials_not_configured', message, { details: { reason: 'session_key_required' } });
}

/** When the wallet says that it signed, a day less for a wrong clock; null where it says something else. */
function notBefore({ timestamp }: Pick<SignedOrderDto, 'timestamp'>, now: Date): Date | null {
  const signedMs = Math.min(Number(timestamp), now.getTime());
  return signedMs < EARLIEST_SIGNING_MS ? null : new Date(signedMs - DAY_MS);
}
