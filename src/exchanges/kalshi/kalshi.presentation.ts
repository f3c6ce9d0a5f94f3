import type { ExchangePresentation } from '../presentation.contract.js';
import type { KalshiCredentialsDto } from './kalshi.credentials.dto.js';
import { CURRENCY } from './kalshi.ids.js';

/** What the dashboard says of Kalshi; the credentials are the two values of an API key (kalshi.md 2.1). */
export const KALSHI_PRESENTATION: ExchangePresentation<keyof KalshiCredentialsDto> = {
  site: 'kalshi.com',
  currency: CURRENCY,
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
    warnings: {
      can_transfer: {
        means: 'This key can also move money between parts of your account.',
        todo: 'Unless your programs need that, make a key with the scopes read and write::trade alone, and replace this one.',
      },
      cannot_trade: {
        means: 'This key may not trade: the exchange will refuse your orders.',
        todo: 'Make a key that has the scope write::trade as well, and replace this one.',
      },
      cannot_read: {
        means: 'This key may not read: balance, positions and orders stay hidden.',
        todo: 'Make a key that has the scope read as well, and replace this one.',
      },
      attestation_missing: {
        means: 'Your location is not attested: no trading in Sports, Elections and Entertainment.',
        todo: 'Confirm your location in the app or on the site of the exchange, then verify here.',
      },
      attestation_expiring: {
        means:
          'The attestation of your location ends within 14 days; then no trading in Sports, Elections and Entertainment.',
        todo: 'Confirm your location again in the app or on the site of the exchange, then verify here.',
      },
    },
  },
  session_keys: null,
};
