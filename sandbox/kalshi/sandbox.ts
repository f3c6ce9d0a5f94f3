import { type FaultList } from '../wire/faults.js';
import { type RequestLog } from '../wire/request-log.js';
import { type WireRequest, type WireResponse, WireServer } from '../wire/server.js';
import { KeyRing } from './auth.js';
import { errorBody, KalshiRefusal } from './refusals.js';
import { addEventRoutes } from './markets/event.routes.js';
import { KalshiExchange } from './exchange.js';
import { addHistoricalRoutes, addTradeRoutes } from './history/history.routes.js';
import { addMarketRoutes } from './markets/market.routes.js';
import { openForBusiness } from './market-maker.js';
import { type KalshiAccount, type NewAccountOptions, openMember } from './members.js';
import { addOrderRoutes } from './portfolio/order.routes.js';
import { addPortfolioRoutes } from './portfolio/portfolio.routes.js';
import { Router } from './router.js';
import { seedHistory } from './seeds/history.js';

const BASE_PATH = '/trade-api/v2';

export interface KalshiSandboxOptions {
  faults: FaultList;
  log: RequestLog;
  clock: () => Date;
  /** Of the first account; RSA, as most traders have, when left out. */
  keyType?: NewAccountOptions['keyType'];
}

/** The Kalshi stand-in: REST API under `/trade-api/v2` on a loopback port, with a market maker and a funded account. */
export class KalshiSandbox {
  private constructor(
    /** For tests that move the exchange itself: pause, settle, stop trading. */
    readonly exchange: KalshiExchange,
    /** Its keys are made anew at each start. */
    readonly account: KalshiAccount,
    private readonly server: WireServer,
    private readonly open: (options: NewAccountOptions) => Promise<KalshiAccount>,
  ) {}

  static async start(options: KalshiSandboxOptions): Promise<KalshiSandbox> {
    const exchange = new KalshiExchange(options.clock().getTime());
    openForBusiness(exchange);
    const keys = new KeyRing();
    const handler = handlerOf(exchange, keys);
    const { keyType = 'rsa', ...wiring } = options;
    const server = new WireServer({ ...wiring, exchange: 'kalshi', handler, basePath: BASE_PATH, errorBody });
    const place = { exchange, keys, apiUrl: `${await server.listen()}${BASE_PATH}`, clock: options.clock };
    const { account, credentials } = await openMember(place, { keyType });
    seedHistory(exchange, account);
    return new KalshiSandbox(exchange, credentials, server, async (further) => {
      const member = await openMember(place, further);
      return member.credentials;
    });
  }

  /** Opens a further account with a key of its own and no past. */
  async addAccount(options: NewAccountOptions = {}): Promise<KalshiAccount> {
    return this.open(options);
  }

  async close(): Promise<void> {
    await this.server.close();
  }
}

function handlerOf(exchange: KalshiExchange, keys: KeyRing): (request: WireRequest) => WireResponse {
  const router = new Router(BASE_PATH, (request) => keys.authenticate(request));
  const groups = [addTradeRoutes, addMarketRoutes, addEventRoutes, addOrderRoutes, addPortfolioRoutes];
  for (const add of [...groups, addHistoricalRoutes]) add(router, exchange);
  return (request) => {
    exchange.advance(request.receivedAt.getTime());
    try {
      return router.dispatch(request);
    } catch (error) {
      if (error instanceof KalshiRefusal) return { status: error.status, body: error.body };
      throw error;
    }
  };
}
