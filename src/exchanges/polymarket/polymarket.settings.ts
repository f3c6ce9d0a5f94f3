import { baseUrl, socketUrl } from '../../platform/config/setting.js';

/** Where Polymarket's three APIs are (polymarket.md 1). */
export const POLYMARKET_SETTINGS = {
  POLYMARKET_CLOB_URL: baseUrl({
    description: 'Base address of the Polymarket CLOB API: books, orders, balance.',
    fallback: 'https://clob.polymarket.com',
  }),
  POLYMARKET_GAMMA_URL: baseUrl({
    description: 'Base address of the Polymarket Gamma API: markets, events, search.',
    fallback: 'https://gamma-api.polymarket.com',
  }),
  POLYMARKET_DATA_URL: baseUrl({
    description: 'Base address of the Polymarket Data API: public trades, positions, value.',
    fallback: 'https://data-api.polymarket.com',
  }),
  POLYMARKET_WS_URL: socketUrl({
    description: 'Base address of the Polymarket WebSocket, whose channels are /market and /user.',
    fallback: 'wss://ws-subscriptions-clob.polymarket.com/ws',
  }),
  POLYMARKET_GEOBLOCK_URL: baseUrl({
    description:
      'Where Polymarket says whether the address that asks may trade: npm run doctor asks it, the service never does.',
    fallback: 'https://polymarket.com/api/geoblock',
  }),
  POLYMARKET_RELAYER_URL: baseUrl({
    description:
      'Base address of the Polymarket relayer: npm run polymarket:session-key calls it, the service never does.',
    fallback: 'https://relayer-v2.polymarket.com',
  }),
} as const;
