import { randomUUID } from 'node:crypto';
import { type Fill, type PlaceResult, type TimeInForce } from '../matching-engine.js';
import { Tape } from '../streams/tape.js';
import { ONE, product, productUp, smaller } from '../units.js';
import { Refusal } from '../wire/refusal.js';
import { Accounts } from './accounts.js';
import { Catalogue } from './catalogue.js';
import { type PolymarketEvent } from './events.js';
import { Ledger } from './ledger.js';
import { takerFee } from './fees.js';
import { inBookTerms, type Market, ofOutcome, type OutcomeIndex } from './market.js';
import { type CheckedOrder, type OrderRecord, type OrderType, remaining, tokenOf, type Trade } from './order.js';
import { refusal, TEXTS } from './refusals.js';
import { sameAddress } from './signing/address.js';
import { keccakText, toHex } from './signing/hex.js';
import { SessionSigners } from './signing/session-signers.js';
import { Standings } from './standings.js';
import { TradeFailures } from './trade-failures.js';

/** What became of a new order: `making` is what was given, `taking` what was got, in millionths. */
export interface Placement {
  status: 'live' | 'matched' | 'delayed';
  making: bigint;
  taking: bigint;
  trades: Trade[];
}

const TIME_IN_FORCE: Record<OrderType, TimeInForce> = { GTC: 'GTC', GTD: 'GTC', FOK: 'FOK', FAK: 'IOC' };
/** How long a marketable order is held back where the market says so. */
const HOLD_MS = 250;
/** GTD orders leave the book that long before their expiration. */
const EARLY_MS = 60_000;
/** Closed orders can be looked up that long. */
const KEPT_MS = 3_600_000;

/** The exchange itself: markets, wallets, orders and their trades. It knows no HTTP; refusals are `Refusal`. */
export class Exchange {
  readonly catalogue: Catalogue;
  readonly ledger = new Ledger();
  /** Empty until somebody authorises a key. */
  readonly sessions = new SessionSigners();
  readonly accounts = new Accounts(this.ledger, this.sessions);
  readonly standings = new Standings();
  readonly failures = new TradeFailures(this.ledger);
  /** Accounts of the stand-in itself, which make markets and move them. */
  readonly invented = new Set<string>();
  readonly tape = new Tape<PolymarketEvent>();
  readonly #orders = new Map<string, OrderRecord>();
  readonly #seen = new Set<string>();
  /** Oldest first. */
  readonly trades: Trade[] = [];

  constructor(
    readonly clock: () => Date,
    /** Entries on a page of the CLOB's private lists. */
    readonly pageSize: number,
    many = false,
  ) {
    this.catalogue = new Catalogue(clock(), many);
    for (const market of this.catalogue.markets) {
      market.book.watch((change) => {
        market.changedAt = this.clock();
        this.tape.note({ kind: 'level', market, change });
      });
    }
  }

  /** True for an order that the exchange took on before, whatever became of it. */
  isKnown(id: string): boolean {
    return this.#seen.has(id);
  }

  /** Takes an order on or throws a refusal; nothing has changed then. */
  place(order: CheckedOrder): Placement {
    const book = inBookTerms(order.outcome, order.side, order.price);
    const crosses = order.market.book.crosses(book.side, book.price);
    if (order.postOnly && crosses) throw refusal(TEXTS.crosses);
    this.#checkFunds(order, crosses);
    const record: OrderRecord = { ...order, status: 'LIVE', matched: 0n, createdAt: this.clock(), tradeIds: [] };
    if (crosses && order.market.seed.behaviour === 'delay') {
      record.heldUntil = new Date(this.clock().getTime() + HOLD_MS);
      this.#keep(record);
      this.tape.note({ kind: 'order', order: record, type: 'PLACEMENT', status: 'DELAYED' });
      return { status: 'delayed', making: 0n, taking: 0n, trades: [] };
    }
    return this.#match(record);
  }

  /** Brings the exchange up to its clock: held orders are matched, expired ones cancelled, old ones forgotten. */
  advance(): void {
    const now = this.clock().getTime();
    this.failures.advance(this.clock());
    for (const order of this.#orders.values()) {
      if (order.status !== 'LIVE') {
        if (now - (order.closedAt?.getTime() ?? now) > KEPT_MS) this.#orders.delete(order.id);
      } else if (order.expiration > 0 && now >= order.expiration * 1000 - EARLY_MS) this.#close(order, 'CANCELED');
      else if (order.heldUntil !== undefined && now >= order.heldUntil.getTime()) this.#release(order);
    }
  }

  find(id: string): OrderRecord | undefined {
    return this.#orders.get(id.toLowerCase());
  }

  /** The open orders of an account, oldest first. */
  openOrders(account: string): OrderRecord[] {
    return [...this.#orders.values()].filter((order) => order.account === account && order.status === 'LIVE');
  }

  /** All orders of an account wallet, whichever account placed them, oldest first; those closed over an hour ago are forgotten. */
  ordersOf(wallet: string): OrderRecord[] {
    return [...this.#orders.values()].filter((order) => sameAddress(order.maker, wallet));
  }

  /** Takes an order of the account out; says why not where that is impossible. */
  cancel(account: string, id: string): string | undefined {
    const order = this.find(id);
    if (order?.account !== account || order.status !== 'LIVE') {
      return "order can't be found - already canceled or matched";
    }
    if (order.heldUntil !== undefined) return 'the order is being processed and can not be canceled';
    this.#close(order, 'CANCELED');
    return undefined;
  }

  /** Ends a session key: its open orders for that wallet are cancelled, nobody else's. False where it was none. */
  revokeSession(wallet: string, address: string): boolean {
    if (!this.sessions.revoke(wallet, address)) return false;
    for (const order of this.#orders.values()) {
      const isOfKey = sameAddress(order.account, address) && sameAddress(order.maker, wallet);
      if (isOfKey && order.status === 'LIVE') this.#close(order, 'CANCELED');
    }
    return true;
  }

  /** Ends a market: its orders are cancelled, and a share of the winning outcome is worth a dollar from now on. */
  resolve(market: Market, winner: OutcomeIndex): void {
    for (const order of this.#orders.values())
      if (order.market === market && order.status === 'LIVE') this.#close(order, 'CANCELED');
    market.change({ state: 'resolved', payout: winner === 0 ? '1' : '0' }, this.clock());
    this.tape.note({ kind: 'resolved', market, winner });
  }

  /** Changes the tick of a market; orders stay where they are. */
  changeTick(market: Market, tick: string): void {
    const from = market.seed.tick;
    if (from === tick) return;
    market.change({ tick }, this.clock());
    this.tape.note({ kind: 'tick', market, from });
  }

  /** Forgets closed orders of invented accounts, and of the trades that they made among themselves all but the last `kept`. */
  forgetInvented(kept: number): void {
    for (const { id, status, account } of this.#orders.values()) {
      if (status === 'LIVE' || !this.invented.has(account)) continue;
      this.#orders.delete(id);
      this.#seen.delete(id);
    }
    const isInvented = ({ taker, makers }: Trade): boolean =>
      this.invented.has(taker.account) && makers.every(({ order }) => this.invented.has(order.account));
    let surplus = this.trades.filter(isInvented).length - kept;
    const left = this.trades.filter((trade) => {
      if (surplus <= 0 || !isInvented(trade)) return true;
      surplus -= 1;
      return false;
    });
    this.trades.splice(0, this.trades.length, ...left);
  }

  /** What open orders hold back in a wallet: pUSD, or shares of a token. */
  reserved(wallet: string, tokenId?: string): bigint {
    return [...this.#orders.values()]
      .filter((order) => order.status === 'LIVE' && order.maker.toLowerCase() === wallet.toLowerCase())
      .filter((order) =>
        tokenId === undefined ? order.side === 'BUY' : order.side === 'SELL' && tokenOf(order) === tokenId,
      )
      .reduce(
        (sum, order) => sum + (tokenId === undefined ? productUp(order.price, remaining(order)) : remaining(order)),
        0n,
      );
  }

  #checkFunds(order: CheckedOrder, takes: boolean): void {
    const { exchangeV3 } = this.standings.of(order.maker);
    if (order.market.domain === 'v2' && !exchangeV3) throw refusal(TEXTS.balance);
    if (order.side === 'SELL') {
      const token = tokenOf(order);
      const free = this.ledger.shares(order.maker, token) - this.reserved(order.maker, token);
      if (free < order.size) throw refusal(TEXTS.balance);
      return;
    }
    const fee = takes ? takerFee(order.market.seed.fee, order) : 0n;
    const free = this.ledger.collateral(order.maker) - this.reserved(order.maker);
    if (free < (order.budget ?? productUp(order.price, order.size)) + fee) throw refusal(TEXTS.balance);
  }

  #match(record: OrderRecord): Placement {
    const { market } = record;
    const result = market.book.place({
      id: record.id,
      owner: record.maker,
      ...inBookTerms(record.outcome, record.side, record.price),
      size: record.budget === undefined ? record.size : affordable(record, record.budget),
      timeInForce: TIME_IN_FORCE[record.orderType],
      selfTrade: 'allow',
    });
    this.#refuseUnfilled(record, result);
    if (!this.isKnown(record.id)) this.tape.note({ kind: 'order', order: record, type: 'PLACEMENT', status: 'LIVE' });
    this.#keep(record);
    const moved = this.#execute(record, result.fills);
    // Whether a market BUY is done depends on what it spent, not on the shares it was signed for.
    const isDone = record.budget === undefined ? remaining(record) === 0n : result.cancelled === 0n;
    if (isDone) this.#end(record, 'MATCHED');
    else if (result.resting === 0n) this.#end(record, 'CANCELED');
    market.recordMark(this.clock());
    return { status: result.filled > 0n ? 'matched' : 'live', ...moved };
  }

  #refuseUnfilled(record: OrderRecord, { outcome, filled }: PlaceResult): void {
    if (outcome === 'not_filled') {
      this.tape.note({ kind: 'killed', order: record });
      throw refusal(TEXTS.fok);
    }
    if (record.orderType === 'FAK' && filled === 0n) throw refusal(TEXTS.fak);
  }

  #keep(record: OrderRecord): void {
    this.#orders.set(record.id, record);
    this.#seen.add(record.id);
  }

  /** Fills at one price are one trade. */
  #execute(taker: OrderRecord, fills: Fill[]): Omit<Placement, 'status'> {
    const moved: Omit<Placement, 'status'> = { making: 0n, taking: 0n, trades: [] };
    for (const fill of fills) {
      const money = this.#fill(taker, fill);
      moved.making += taker.side === 'BUY' ? money : fill.size;
      moved.taking += taker.side === 'BUY' ? fill.size : money;
      const maker = this.#orderInBook(fill.makerId);
      const trade = this.#tradeAt(moved.trades, taker, ofOutcome(taker.outcome, fill.price));
      trade.size += fill.size;
      trade.makers.push({ order: maker, size: fill.size, price: ofOutcome(maker.outcome, fill.price) });
      maker.tradeIds.push(trade.id);
    }
    for (const trade of moved.trades) this.#charge(trade);
    taker.tradeIds.push(...moved.trades.map((trade) => trade.id));
    this.trades.push(...moved.trades);
    for (const trade of moved.trades) this.tape.note({ kind: 'trade', trade });
    if (moved.trades.length > 0) this.tape.note({ kind: 'order', order: taker, type: 'UPDATE' });
    return moved;
  }

  /** One fee a trade, however many makers it has. */
  #charge(trade: Trade): void {
    const { taker } = trade;
    trade.fee = takerFee(taker.market.seed.fee, trade);
    this.ledger.charge({ wallet: taker.maker, tokenId: tokenOf(taker), side: taker.side, fee: trade.fee });
  }

  /** Moves money and shares of one fill and returns what the taker paid or got, without the fee. */
  #fill(taker: OrderRecord, { makerId, price, size }: Fill): bigint {
    const { market } = taker;
    const maker = this.#orderInBook(makerId);
    let flow = 0n;
    for (const order of [maker, taker]) {
      const own = ofOutcome(order.outcome, price);
      const { maker: wallet, side } = order;
      const money = product(own, size);
      this.ledger.apply({ wallet, tokenId: tokenOf(order), side, size, money, at: this.clock() });
      order.matched += size;
      flow += side === 'BUY' ? money : -money;
    }
    const minted = maker.outcome === taker.outcome ? 0n : taker.side === 'BUY' ? size : -size;
    this.ledger.collected += flow - minted;
    if (remaining(maker) === 0n) this.#end(maker, 'MATCHED');
    this.tape.note({ kind: 'order', order: maker, type: 'UPDATE' });
    const money = product(ofOutcome(taker.outcome, price), size);
    market.last = price;
    market.turnover += money;
    return money;
  }

  #tradeAt(trades: Trade[], taker: OrderRecord, price: bigint): Trade {
    const known = trades.find((trade) => trade.price === price);
    if (known !== undefined) return known;
    const id = randomUUID();
    const at = this.clock();
    const fresh: Trade = {
      id,
      taker,
      price,
      size: 0n,
      fee: 0n,
      makers: [],
      at,
      transactionHash: toHex(keccakText(`transaction ${id}`)),
      fails: this.failures.isOn,
    };
    if (fresh.fails) this.failures.add(fresh);
    trades.push(fresh);
    return fresh;
  }

  #orderInBook(id: string): OrderRecord {
    const order = this.#orders.get(id);
    if (order === undefined) throw new Error('The book holds an order that the exchange does not know.');
    return order;
  }

  /** Matches a held order; what cannot be done any more ends it. */
  #release(order: OrderRecord): void {
    delete order.heldUntil;
    try {
      this.#match(order);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.#end(order, 'CANCELED');
    }
  }

  #close(order: OrderRecord, status: OrderRecord['status']): void {
    order.market.book.cancel(order.id);
    this.#end(order, status);
    order.market.recordMark(this.clock());
  }

  #end(order: OrderRecord, status: OrderRecord['status']): void {
    order.status = status;
    order.closedAt = this.clock();
    delete order.heldUntil;
    if (status !== 'MATCHED') this.tape.note({ kind: 'order', order, type: 'CANCELLATION' });
  }
}

/**
 * The shares that a budget buys from the book as it is, and at the order's own price for what the book does not hold:
 * so a better price gives more shares than were signed for (polymarket.md 7.3). At least one millionth.
 */
function affordable({ market, outcome, side, price }: OrderRecord, budget: bigint): bigint {
  const own = inBookTerms(outcome, side, price);
  const levels = market.book.levels(own.side === 'bid' ? 'ask' : 'bid');
  let [left, shares] = [budget, 0n];
  for (const level of levels) {
    if (own.side === 'bid' ? level.price > own.price : level.price < own.price) break;
    const paid = ofOutcome(outcome, level.price);
    const size = smaller(level.size, (left * ONE) / paid);
    shares += size;
    left -= product(paid, size);
    if (size < level.size) return larger(shares, 1n);
  }
  return larger(shares + (left * ONE) / price, 1n);
}

function larger(one: bigint, other: bigint): bigint {
  return one > other ? one : other;
}
