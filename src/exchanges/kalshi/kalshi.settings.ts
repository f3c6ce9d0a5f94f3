import { baseUrl } from '../../platform/config/setting.js';

/** Settings of this adapter (contract.md 2). */
export const KALSHI_SETTINGS = {
  KALSHI_API_URL: baseUrl({
    description: 'Base address of the Kalshi API, with /trade-api/v2',
    fallback: 'https://external-api.kalshi.com/trade-api/v2',
  }),
} as const;
