import { StreamFaults } from '../streams/faults.js';
import { product, toUnits } from '../units.js';
import { Refusal } from '../wire/refusal.js';
import { Router, type Routes } from '../wire/router.js';
import { type WireRequest, type WireResponse, WireServer, type Wiring } from '../wire/server.js';
import { RateLimits } from './clob/rate-limits.js';
import { clobError, clobRoutes } from './clob/routes.js';
import { dataError, traced } from './data/errors.js';
import { dataRoutes } from './data/routes.js';
import { Exchange } from './exchange.js';
import { gammaError, gammaRoutes } from './gamma/routes.js';
import { keepHours } from './hours.js';
import { quoteMarkets } from './market-maker.js';
import { PolymarketMover } from './mover.js';
import { aBuilderKey, type BuilderKey } from './relayer/builder-auth.js';
import { Relayer, type RelayerSettings } from './relayer/relayer.js';
import { relayerError, relayerRoutes } from './relayer/routes.js';
import { sessionSignerFlaw } from './session-rules.js';
import { type SessionSigner } from './signing/session-signers.js';
import { SandboxWallet, type SignatureType } from './signing/wallet.js';
import { type Standing } from './standings.js';
import { PolymarketStreams } from './streams/streams.js';

interface PolymarketSandboxOptions extends Wiring {
  /** Entries on a page of the CLOB's private lists; 100 when left out, as there. */
  pageSize?: number;
  /** None can be armed where left out. */
  streamFaults?: StreamFaults;
  /** A thousand markets beside the few that tests know. */
  many?: boolean;
}

/** A funded trader: what a user of the exchange stores, and the key that signs orders. */
export interface PolymarketAccount {
  /** The account wallet: the `maker` of orders and the `user` of the Data API. */
  wallet_address: string;
  wallet_private_key: string;
  api_key: string;
  secret: string;
  passphrase: string;
}

export interface NewAccount {
  /** pUSD, by default 10,000. */
  balance?: string;
  /** Which wallet holds the money, by default the key's own (0). */
  signatureType?: SignatureType;
  /** Shares to begin with, by token id. */
  shares?: Readonly<Record<string, string>>;
  /** What is not ordinary about the account wallet: missing approval of ExchangeV3, closed only, banned, and so on. */
  standing?: Partial<Standing>;
}

/** A further account; `signer_address` and `signature_type` differ from the defaults for smart wallets. */
export interface AddedAccount extends PolymarketAccount {
  signer_address: string;
  signature_type: SignatureType;
}

/** Where the APIs are. */
interface Addresses {
  clob_url: string;
  gamma_url: string;
  data_url: string;
  relayer_url: string;
  /** Of the WebSocket API: `/market` and `/user` are below it. */
  ws_url: string;
}

/** What `sandbox.json` says of Polymarket (contract.md 7). */
interface Published extends PolymarketAccount, Addresses {
  /** The Builder API key that the relayer takes. */
  builder: BuilderKey;
  /** A second trader, with money: session keys trade for it. */
  deposit_wallet: { address: string; owner_private_key: string };
}

const DEFAULT_BALANCE = '10000';

/** What is added to every answer of an API. */
type Finish = (response: WireResponse, request: WireRequest) => WireResponse;
const unchanged: Finish = (response) => response;

/** The Polymarket stand-in: CLOB, Gamma, Data and relayer on loopback ports over one exchange (contract.md 7). */
export class PolymarketSandbox {
  readonly account: Published;
  /** Settings of the relayer, which may be changed. */
  readonly relayer: RelayerSettings;

  private constructor(
    /** For tests and controls that move the exchange itself: resolve, change a tick. */
    readonly exchange: Exchange,
    private readonly servers: readonly WireServer[],
    { relayer, ...addresses }: Addresses & { relayer: Relayer },
  ) {
    const { wallet_address, wallet_private_key, api_key, secret, passphrase } = this.addAccount();
    const deposit = this.addAccount({ signatureType: 3 });
    this.relayer = relayer.settings;
    this.account = {
      ...addresses,
      ...{ wallet_address, wallet_private_key, api_key, secret, passphrase },
      builder: relayer.builder,
      deposit_wallet: { address: deposit.wallet_address, owner_private_key: deposit.wallet_private_key },
    };
  }

  static async start(options: PolymarketSandboxOptions): Promise<PolymarketSandbox> {
    const exchange = new Exchange(options.clock, options.pageSize ?? 100, options.many);
    quoteMarkets(exchange);
    const serve = (routes: Routes, errorBody: (status: number) => unknown, finish: Finish = unchanged): WireServer => {
      const router = new Router(routes, { refuse: (status) => new Refusal(status, errorBody(status)) });
      const handler = (request: WireRequest): WireResponse => {
        exchange.advance();
        keepHours(exchange);
        return finish(router.handle(request), request);
      };
      return new WireServer({ ...options, exchange: 'polymarket', handler, errorBody });
    };
    const limits = new RateLimits();
    const counted: Finish = (response, request) => limits.counted(response, request);
    const clob = serve(clobRoutes(exchange), clobError, counted);
    const gamma = serve(gammaRoutes(exchange), gammaError);
    const data = serve(dataRoutes(exchange), dataError, traced);
    const relayer = new Relayer(exchange, aBuilderKey());
    const relaying = serve(relayerRoutes(relayer), relayerError);
    const streaming = new WireServer({
      ...options,
      exchange: 'polymarket',
      handler: () => ({ status: 426, body: { error: 'upgrade required' } }),
      errorBody: clobError,
      upgrades: new PolymarketStreams(exchange, options.streamFaults ?? new StreamFaults()),
    });
    const servers = [clob, gamma, data, relaying, streaming];
    const [clob_url = '', gamma_url = '', data_url = '', relayer_url = '', streams = ''] = await Promise.all(
      servers.map((server) => server.listen()),
    );
    const addresses = { clob_url, gamma_url, data_url, relayer_url, ws_url: `${streams.replace('http', 'ws')}/ws` };
    return new PolymarketSandbox(exchange, servers, { ...addresses, relayer });
  }

  /** Makes a trader with money. Throws `RangeError` for an amount that is no decimal of up to six places. */
  addAccount(account: NewAccount = {}): AddedAccount {
    const { accounts, ledger } = this.exchange;
    const type = account.signatureType ?? 0;
    const key = SandboxWallet.random();
    const wallet = key.accountWallet(type);
    ledger.deposit(key.address, 0n);
    ledger.deposit(wallet, toUnits(account.balance ?? DEFAULT_BALANCE));
    if (type !== 0) accounts.register(key.address, type, wallet);
    if (account.standing !== undefined) this.setStanding(wallet, account.standing);
    for (const [token, size] of Object.entries(account.shares ?? {})) this.#grant(wallet, token, toUnits(size));
    const { apiKey, secret, passphrase } = accounts.create(key.address, 0n, true);
    return {
      wallet_address: wallet,
      wallet_private_key: key.privateKey,
      api_key: apiKey,
      secret,
      passphrase,
      signer_address: key.address,
      signature_type: type,
    };
  }

  /** Changes how the exchange looks at an account wallet and returns it; what is not named stays. */
  setStanding(wallet: string, change: Partial<Standing>): Standing {
    return this.exchange.standings.set(wallet, change);
  }

  /**
   * Lets a session key trade for a deposit wallet, as if its owner had authorised it through the relayer; after `usableAfterMs`
   * where that is given. A wallet that nobody knows becomes a deposit wallet with play money. Throws `RangeError` where the
   * wallet is another kind of account, or the key cannot be a session key of it.
   */
  authoriseSession(
    wallet: string,
    signer: SessionSigner,
    { usableAfterMs = 0 }: { usableAfterMs?: number } = {},
  ): void {
    const { accounts, sessions, clock } = this.exchange;
    const flaw = accounts.openDepositWallet(wallet)
      ? sessionSignerFlaw(accounts, wallet, signer.address)
      : 'wallet_address is no deposit wallet.';
    if (flaw !== undefined) throw new RangeError(flaw);
    const usableFrom = new Date(clock().getTime() + usableAfterMs);
    sessions.authorise(wallet, usableAfterMs === 0 ? signer : { ...signer, usableFrom });
  }

  /** Ends a session key and cancels its open orders for that wallet. False where it was none. */
  revokeSession(wallet: string, address: string): boolean {
    return this.exchange.revokeSession(wallet, address);
  }

  /** What the exchange has of an account wallet, oldest first: ids, shares in millionths, and what became of them. */
  ordersOf(wallet: string): { readonly id: string; readonly size: bigint; readonly status: string }[] {
    return this.exchange.ordersOf(wallet);
  }

  /** A made-up trader, who moves a market each time that he is told to. */
  mover(): PolymarketMover {
    return new PolymarketMover(this.exchange);
  }

  async close(): Promise<void> {
    await Promise.all(this.servers.map((server) => server.close()));
  }

  /** Shares as if bought at what they are worth, with money that came from elsewhere. */
  #grant(wallet: string, tokenId: string, size: bigint): void {
    const token = this.exchange.catalogue.findToken(tokenId);
    if (token === undefined) throw new RangeError('There is no such token.');
    const money = product(token.market.worth(token.outcome), size);
    this.exchange.ledger.deposit(wallet, money);
    this.exchange.ledger.apply({ wallet, tokenId, side: 'BUY', size, money, at: this.exchange.clock() });
  }
}
