import type { ExchangeDocs } from '../docs.contract.js';
import { PlainOrder } from '../plain-order.dto.js';
import { CHAIN_ID } from './ethereum.js';
import { POLYMARKET_ERRORS } from './polymarket.errors.js';
import { SCOPE } from './session-keys/registry.js';
import { SignedOrder } from './trading/order.dto.js';

/** What the OpenAPI document says of Polymarket. */
export const POLYMARKET_DOCS: ExchangeDocs = {
  name: POLYMARKET_ERRORS.name,
  marketRefs: {
    gamma_id: { type: String },
    slug: { type: String },
    condition_id: { type: String },
    neg_risk: { type: Boolean },
    protocol: { type: String, example: 'v2' },
  },
  eventRefs: { slug: { type: String } },
  orderForms: [
    {
      title: 'Polymarket, plain parameters',
      body: PlainOrder,
      example: {
        market_id: '0x747dc809fb79e1b05be09c42d6179459a58de2ef3e40f02484a4e1260f741f75',
        outcome: 'yes',
        side: 'buy',
        price: '0.42',
        size: '10',
      },
    },
    {
      title: 'Polymarket, an order that your wallet has signed',
      body: SignedOrder,
      example: {
        signed_order: {
          salt: 479249096354,
          maker: '0x8ba1f109551bD432803012645Ac136ddd64DBA72',
          signer: '0x8ba1f109551bD432803012645Ac136ddd64DBA72',
          tokenId: '71321045679252212594626385532706912750332728571942532289631379312455583992563',
          makerAmount: '5200000',
          takerAmount: '10000000',
          side: 'BUY',
          signatureType: 0,
          timestamp: '1792000000123',
          expiration: '0',
          metadata: `0x${'0'.repeat(64)}`,
          builder: `0x${'0'.repeat(64)}`,
          signature: `0x${'5f'.repeat(64)}1b`,
        },
        time_in_force: 'gtc',
      },
    },
  ],
  orderFields: {
    outcome: 'or its label at Polymarket',
    time_in_force:
      "at Polymarket it is the exchange's FAK, and a `fok` or `ioc` order to buy spends what its size costs by the book read just " +
      'before, cut to cents',
    post_only: 'At Polymarket only with `gtc` and `gtd`.',
    expires_at: 'at Polymarket at least three minutes ahead',
  },
  errorDetails: [],
  sessionKeys: { wallet: 'a Deposit Wallet', chainId: CHAIN_ID, scopes: [SCOPE] },
  notes: {
    listMarkets: "Polymarket's quotes may be up to 5 minutes behind the order book.",
    getMarket:
      'Polymarket takes the Gamma id (digits) and the slug too, and a condition id of 62 hex digits, which is padded to 64.',
    tradeId:
      'Polymarket has none: the first 32 hex digits of the SHA-256 of ' +
      '`transaction_hash|token_id|proxy_wallet|side|size|price`, decimals in canonical form and the wallet in ' +
      'small letters. Trades that agree in all of these share an id.',
    listTrades: 'Those of Polymarket may be up to 5 minutes old.',
    listCandlesticks: 'Those of Polymarket are made of `price_points`.',
    prepareOrder:
      'Polymarket takes plain parameters where you have an active session key, which signs the order: a key ' +
      'that can trade for your deposit wallet and move nothing out of it ' +
      '(`POST /account/credentials/polymarket/session-key`). Without one send an order that your own wallet has signed, as ' +
      '`signed_order`; orders of a market whose `refs.protocol` is `v2` are signed under domain version "3": tell ' +
      '`@polymarket/clob-client-v2` order version 3 for them, whose own default is 2.',
    listOrders: 'Polymarket: those of your session key, then those of the API key that you have stored.',
    listFills:
      'Polymarket: those of your session key and of the API key that you have stored, not all of the wallet: what others made of it ' +
      'shows in balance and positions alone.',
    listPositions:
      'Polymarket: those of the wallet of your session key, then those of the stored wallet, if it is another. They are the ' +
      "wallet's, whichever API key made them.",
    getBalance: 'At Polymarket it is that of the wallet, whichever API key trades for it.',
  },
};
