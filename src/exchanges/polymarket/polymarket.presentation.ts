import type { ExchangePresentation } from '../presentation.contract.js';
import type { PolymarketCredentialsDto } from './polymarket.credentials.dto.js';
import { CURRENCY } from './polymarket.ids.js';

/** What the dashboard says of Polymarket; the kinds of wallets stand in polymarket.md 3. */
export const POLYMARKET_PRESENTATION: ExchangePresentation<keyof PolymarketCredentialsDto> = {
  site: 'polymarket.com',
  currency: CURRENCY,
  trades_note: 'Polymarket tells of trades up to 5 minutes late.',
  purchases_alone: false,
  has_shards: false,
  credentials: {
    introduction:
      'Polymarket’s site does not show key, secret and passphrase. The official clients make them with your wallet’s key, on your ' +
      'own machine: `createOrDeriveApiKey()` of `@polymarket/clob-client-v2`. They read and cancel; each order you sign yourself, ' +
      'or let a session key sign (below on this page), which needs none of this.',
    if_refused:
      'Look whether key, secret and passphrase came together, and whether the address that created them is right.',
    fields: [
      { kind: 'text', name: 'api_key', label: 'API key', hint: 'The client names it apiKey or key.' },
      { kind: 'secret', name: 'secret', label: 'Secret', hint: 'Came with the key, as base64.' },
      { kind: 'secret', name: 'passphrase', label: 'Passphrase', hint: 'Came with the key too.' },
      {
        kind: 'text',
        name: 'wallet_address',
        label: 'Wallet address',
        hint: 'Where your funds are: the address that polymarket.com shows in your profile.',
      },
      {
        kind: 'choice',
        name: 'signature_type',
        label: 'Kind of wallet',
        hint: 'With the wrong one Polymarket refuses the credentials, or your positions look empty.',
        options: [
          { value: 3, label: 'Deposit wallet: accounts made since May 2026' },
          { value: 2, label: 'Safe: older accounts of a browser wallet' },
          { value: 1, label: 'Proxy: older accounts of an e-mail or Google sign-in' },
          { value: 0, label: 'Plain wallet: its own key holds the funds' },
        ],
      },
      {
        kind: 'text',
        name: 'signer_address',
        label: 'Signer address',
        hint: 'Of the wallet whose key made the API credentials: the one that you sign in with. It is not the wallet that holds the funds.',
        unless: { choice: 'signature_type', value: 0 },
      },
    ],
    warnings: {
      allowance_missing: {
        means: 'Your wallet has not approved all contracts of the exchange: orders may be refused.',
        todo: 'Approve them at polymarket.com, which asks for it at a first trade by hand, then verify here.',
      },
    },
  },
  session_keys: {
    introduction: [
      'With a session key the service signs your orders, so that an order has plain parameters. It can trade for your wallet ' +
        'for about 180 days and cannot move funds out of it. Your own key never comes here. Without one, your program signs each order.',
      'You need a deposit wallet, and a Builder API key (polymarket.com, Settings, Builder) for which Polymarket has turned on ' +
        'session keys: for that, write to builder@polymarket.com.',
    ],
    wallet: {
      label: 'Deposit wallet',
      hint: '0x and 40 hex digits: the address that polymarket.com shows in your profile, of an account made since May 2026. Plain wallets, proxies and safes have no session keys so far.',
    },
    command: 'npm run polymarket:session-key',
    authorization:
      'It asks for the private key of the wallet’s owner and for your Builder key, shows what you sign, and sends the signature ' +
      'alone. Neither key ever comes here.',
    lifetime: 'about 180 days',
  },
};
