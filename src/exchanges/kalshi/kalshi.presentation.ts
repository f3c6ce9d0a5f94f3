import type { ExchangePresentation } from '../presentation.contract.js';
import type { KalshiCredentialsDto } from './kalshi.credentials.dto.js';

/** What the dashboard says of Kalshi; the credentials are the two values of an API key (kalshi.md 2.1). */
export const KALSHI_PRESENTATION: ExchangePresentation<keyof KalshiCredentialsDto> = {
  site: 'kalshi.com',
  search: { words: false, series: 'ticker', event: 'ticker' },
  trades_note: null,
  purchases_alone: true,
  has_shards: true,
  credentials: {
    introduction:
      'At kalshi.com open your account settings, find **API Keys** and create one. The scopes `read` and `write::trade` are ' +
      'enough; take `write::transfer` only to move money between shards by program.',
    if_refused: 'Look whether key ID and private key belong together, and whether Kalshi still lists the key.',
    fields: [
      {
        kind: 'text',
        name: 'access_key',
        label: 'Key ID',
        hint: 'Stands beside the key in Kalshi’s list; it looks like a952bcbe-ec3b-4b5b-b8f9-11dae589608c.',
      },
      {
        kind: 'private_key',
        name: 'private_key',
        label: 'Private key',
        hint: 'Kalshi shows it once, as the key is made, and downloads it as a text file. Paste all of it, with its first and last line, or choose that file.',
      },
    ],
  },
  session_keys: null,
};
