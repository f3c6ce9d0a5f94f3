import { readFileSync } from 'node:fs';
import { driftSettings } from '../../src/commands/drift/drift-settings.js';
import { type ExchangeReport, DriftService, type RouteReport } from '../../src/commands/drift/drift.service.js';
import { UpstreamClients } from '../../src/platform/upstream/upstream-clients.js';
import { type ArrivedRequest, type FakeAnswer, FakeServer } from './fake-server.js';

/** A recorded answer, such as `kalshi-market`; each call returns another copy. */
export function recorded(name: string): unknown {
  const folder = name.split('-', 1)[0] ?? '';
  return JSON.parse(readFileSync(`test/vectors/${folder}/${name}.json`, 'utf8'));
}

const PRICES = { open: '0.40', high: '0.44', low: '0.39', close: '0.43' };
const ARCHIVED_CANDLES = {
  ticker: 'KXHIGHNY-26NOV20-B55.5',
  candlesticks: [
    {
      end_period_ts: 1_763_600_000,
      price: { ...PRICES, mean: '0.41', previous: '0.40' },
      yes_bid: PRICES,
      yes_ask: PRICES,
      volume: '10.00',
      open_interest: '5.00',
    },
  ],
};

/** What a healthy exchange answers, by host and path. */
const ANSWERS: readonly (readonly [path: RegExp, answer: () => unknown])[] = [
  [/^\/kalshi\/exchange\/status$/, () => recorded('kalshi-exchange-status')],
  [/^\/kalshi\/historical\/cutoff$/, () => recorded('kalshi-historical-cutoff')],
  [/^\/kalshi\/(?:historical\/)?markets$/, () => recorded('kalshi-markets-list')],
  [/^\/kalshi\/(?:markets|historical)\/trades$/, () => recorded('kalshi-trades')],
  [/^\/kalshi\/markets\/candlesticks$/, () => recorded('kalshi-candlesticks-batch')],
  [/^\/kalshi\/historical\/markets\/[^/]+\/candlesticks$/, () => ARCHIVED_CANDLES],
  [/^\/kalshi\/markets\/orderbooks$/, () => recorded('kalshi-orderbooks')],
  [/^\/kalshi\/markets\/[^/]+\/orderbook$/, () => recorded('kalshi-orderbook')],
  [/^\/kalshi\/(?:historical\/)?markets\/[^/]+$/, () => recorded('kalshi-market')],
  [/^\/kalshi\/events$/, () => recorded('kalshi-events-list')],
  [/^\/kalshi\/events\/[^/]+$/, () => recorded('kalshi-event-nested')],
  [/^\/kalshi\/series\/[^/]+$/, () => recorded('kalshi-series')],
  [/^\/gamma\/markets\/keyset$/, () => recorded('polymarket-gamma-markets-keyset')],
  [/^\/gamma\/markets\/.+$/, () => recorded('polymarket-gamma-market')],
  [/^\/gamma\/events\/keyset$/, () => recorded('polymarket-gamma-events-keyset')],
  [/^\/gamma\/events\/.+$/, () => recorded('polymarket-gamma-event')],
  [/^\/gamma\/tags\/slug\/[^/]+$/, () => ({ id: '2', label: 'Politics', slug: 'politics', forceShow: false })],
  [/^\/gamma\/public-search$/, () => recorded('polymarket-gamma-public-search')],
  [/^\/clob\/time$/, () => 1_795_000_000],
  [/^\/clob\/clob-markets\/[^/]+$/, () => recorded('polymarket-clob-market-info')],
  [/^\/clob\/book$/, () => recorded('polymarket-clob-book')],
  [/^\/clob\/markets-by-token\/[^/]+$/, () => recorded('polymarket-clob-markets-by-token-v2')],
  [/^\/clob\/neg-risk$/, () => ({ neg_risk: false })],
  [/^\/clob\/prices-history$/, () => recorded('polymarket-clob-prices-history')],
  [/^\/data\/v2\/trades$/, () => recorded('polymarket-data-v2-trades-v2-market')],
  [/^\/data\/v2\/positions$/, () => recorded('polymarket-data-v2-positions')],
  [/^\/data\/v2\/value$/, () => recorded('polymarket-data-v2-value')],
  [/^\/data\/v2\/prices-history$/, () => recorded('polymarket-data-v2-prices-history')],
];

function healthy({ path }: ArrivedRequest): FakeAnswer {
  const [, answer] = ANSWERS.find(([pattern]) => pattern.test(path)) ?? [];
  return answer === undefined ? { status: 404, body: {} } : { body: answer() };
}

/** Both exchanges as they were recorded, with what a test plants. */
export class DriftStand {
  private constructor(readonly server: FakeServer) {}

  static async start(): Promise<DriftStand> {
    const server = await FakeServer.start();
    server.otherwise = healthy;
    return new DriftStand(server);
  }

  /** The addresses of all exchanges, here. */
  get #addresses(): Record<string, string> {
    const { url } = this.server;
    return {
      KALSHI_API_URL: `${url}/kalshi`,
      POLYMARKET_CLOB_URL: `${url}/clob`,
      POLYMARKET_GAMMA_URL: `${url}/gamma`,
      POLYMARKET_DATA_URL: `${url}/data`,
    };
  }

  /** Plants an answer at a path, such as `/kalshi/markets`, or all below one that ends in `*`. */
  plant(path: string, answer: FakeAnswer): void {
    this.server.otherwise = (request) => {
      const isMeant = path.endsWith('*') ? request.path.startsWith(path.slice(0, -1)) : request.path === path;
      return isMeant ? answer : healthy(request);
    };
  }

  /** `timeout` is that of a call. */
  async report(timeout = '30s'): Promise<ExchangeReport[]> {
    const settings = driftSettings({ ...this.#addresses, UPSTREAM_TIMEOUT: timeout });
    const clients = new UpstreamClients(settings);
    try {
      return await new DriftService(settings, clients).make();
    } finally {
      await clients.onApplicationShutdown();
    }
  }

  close(): Promise<void> {
    return this.server.close();
  }
}

/** The report of one route of an exchange. */
export function routeOf(reports: readonly ExchangeReport[], id: string, route: string): RouteReport {
  const found = reports.find((report) => report.id === id)?.routes.find((one) => one.route === route);
  if (found === undefined) throw new Error(`${id} has no route ${route}`);
  return found;
}
