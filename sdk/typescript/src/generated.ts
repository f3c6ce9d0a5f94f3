// Made by `npm run sdk:types` from the OpenAPI document. Do not change it by hand.
import type { Decimal } from './decimal.js';

export interface paths {
  '/{exchange}/balance': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Your balance
     * @description Money at the exchange, read with your stored credentials. At Kalshi each part is a shard. At Polymarket it is that of the wallet, whichever API key trades for it.
     */
    get: operations['getBalance'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/{exchange}/candlesticks': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Candlesticks of one outcome
     * @description At most 5,000. `source` says what they are made of: `trades`, or `price_points`, whose highs and lows are those of sampled prices; what happened between two samples is not in them. Those of Kalshi are made of `trades`. Those of Polymarket are made of `price_points`.
     */
    get: operations['listCandlesticks'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/{exchange}/events': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List events
     * @description An event is a group of markets that belong together.
     */
    get: operations['listEvents'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/{exchange}/events/{event_id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * One event
     * @description With its markets.
     */
    get: operations['getEvent'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/{exchange}/fills': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Your fills
     * @description Executions of your own orders, newest first. Polymarket: those of your session key and of the API key that you have stored, not all of the wallet: what others made of it shows in balance and positions alone.
     */
    get: operations['listFills'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/{exchange}/fills.csv': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Your fills as a CSV file
     * @description RFC 4180, newest first, at most 100,000 rows; a file that ends early was broken off. One file of a user at a time.
     */
    get: operations['getFillsCsv'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/{exchange}/fills/stream': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Your fills as they happen
     * @description A fill comes again when its status changes. `Last-Event-ID` goes on where a stream ended.
     */
    get: operations['streamFills'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/{exchange}/markets': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List markets
     * @description One page of markets in one shape for all exchanges; a filter that the exchange lacks is `not_supported`. Polymarket's quotes may be up to 5 minutes behind the order book.
     */
    get: operations['listMarkets'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/{exchange}/markets/{market_id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * One market
     * @description By its id. Polymarket takes the Gamma id (digits) and the slug too, and a condition id of 62 hex digits, which is padded to 64.
     */
    get: operations['getMarket'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/{exchange}/markets/stream': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Quotes as they change
     * @description Best prices, volume and status of markets: the first at once, then each that differs.
     */
    get: operations['streamMarkets'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/{exchange}/orderbooks': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * The order book of one outcome
     * @description Both sides best first. At Kalshi the asks of an outcome are the bids of the other at `1 - price`.
     */
    get: operations['getOrderbook'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/{exchange}/orderbooks/batch': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * The order books of up to 50 markets
     * @description Each as the call for it alone, in the order asked, by one call of the exchange for all; a market without one has its error. At Kalshi the asks of an outcome are the bids of the other at `1 - price`.
     */
    get: operations['getOrderbooks'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/{exchange}/orderbooks/stream': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Order books as they change
     * @description Each book whole, then what changes of it, and whether it can be trusted.
     */
    get: operations['streamOrderbooks'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/{exchange}/orders': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List your orders
     * @description Open ones, or closed ones where the exchange keeps them. Kalshi cannot tell "buy NO" from "sell YES": reads return *buy of the outcome exposed*, while the answer to a create repeats the request's outcome, side and price. Polymarket: those of your session key, then those of the API key that you have stored.
     */
    get: operations['listOrders'];
    put?: never;
    /**
     * Create an order
     * @description Any of buy and sell × outcome 0 and 1 reaches the exchange as exactly that. The service never sends an order twice; one whose fate is unknown is `order_outcome_unknown`. Kalshi takes plain parameters. There each shard has its own money: a refusal with reason `insufficient_funds` says in `details.shard` which one the market needs and where money is. Polymarket takes plain parameters where you have an active session key, which signs the order: a key that can trade for your deposit wallet and move nothing out of it (`POST /account/credentials/polymarket/session-key`). Without one send an order that your own wallet has signed, as `signed_order`; orders of a market whose `refs.protocol` is `v2` are signed under domain version "3": tell `@polymarket/clob-client-v2` order version 3 for them, whose own default is 2.
     */
    post: operations['createOrder'];
    /**
     * Cancel your open orders
     * @description All that are open when it is asked, or those on one market: one without orders is an empty report, one that there is not `not_found`. Safe to repeat, but the report names what this call cancelled, never what an earlier one did: where the exchange's answer was lost, the error has `details.may_have_been_cancelled` and all orders that it concerns in `details.not_cancelled`; the cancel of one order says how that one ended. Where not all could be seen, the error has what was cancelled in `details.cancelled` and `details.not_cancelled`.
     */
    delete: operations['cancelOrders'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/{exchange}/orders/{order_id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * One of your orders
     * @description By the id that the exchange gave it.
     */
    get: operations['getOrder'];
    put?: never;
    post?: never;
    /**
     * Cancel an order
     * @description What is left of it; what has filled stays filled. Safe to repeat: of an order that is over it answers how it ended. Where the exchange's answer was lost, the error has `details.may_have_been_cancelled`: repeat the call. At Kalshi an order that was not placed here is looked for in the lists first, to know its market.
     */
    delete: operations['cancelOrder'];
    options?: never;
    head?: never;
    /**
     * Change an order
     * @description Of an order that rests: its price, its size, when it ends, or several of these; the id stays. `price` is that of the `outcome` and `side` that a read of the order shows, and `size` the whole, what has filled included. What is not named stays as a read just before shows it. The service sends a change once. Where the answer was lost it is `order_outcome_unknown` with `details.order_id`: read the order, or repeat the call. An order that does not rest any more is `exchange_rejected`, reason `not_amendable`. At Kalshi a smaller size or another end keeps the place in the queue; another price or a larger size may trade at once. A sale is read there as a purchase of the other outcome, and its price is that.
     */
    patch: operations['amendOrder'];
    trace?: never;
  };
  '/{exchange}/orders/batch': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Create up to 15 orders
     * @description Each is an order of its own, checked, limited and answered alone, in the order of the list; they leave by the exchange’s own call for several orders. Under an `Idempotency-Key` the order at `index` has the key `<key>#<index>`, and a repeat sends the same list.
     */
    post: operations['createOrders'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/{exchange}/orders/batch-cancel': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Cancel up to 100 of your orders
     * @description By their ids. The report has each of them; one that is not open, or not yours, is `not_found`. Safe to repeat.
     */
    post: operations['cancelNamedOrders'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/{exchange}/orders/by-key/{idempotency_key}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * What became of a key
     * @description What our record says of the order under an `Idempotency-Key`, for 24 h after the last attempt. It asks the exchange nothing, sends nothing, and keeps no key alive. The repeat of the create decides what is unknown.
     */
    get: operations['getOrderByKey'];
    put?: never;
    post?: never;
    /**
     * Abandon a key
     * @description From the answer on, an error too, no call sends an order under this `Idempotency-Key`, for 24 h: a create is `idempotency_key_abandoned`. What was made under it is looked up and cancelled. While that cannot be known, the answer is `order_outcome_unknown` with `details.refusal_holds_at`: repeat the call. At most 1,000 keys of a user are abandoned without an order.
     */
    delete: operations['abandonOrderKey'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/{exchange}/orders/preview': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * What an order would come to
     * @description The body of a create. The order is checked, prepared and held against the limits of its bot as one that is to be sent; then nothing is sent, signed, recorded, reserved or counted. What is wrong with the body is the error of the create; what a limit or the exchange would refuse is `would_be_refused`, the first that the create would meet. All by what is known now: the exchange decides when it gets the order. Kalshi takes plain parameters. There each shard has its own money: a refusal with reason `insufficient_funds` says in `details.shard` which one the market needs and where money is. Polymarket takes plain parameters where you have an active session key, which signs the order: a key that can trade for your deposit wallet and move nothing out of it (`POST /account/credentials/polymarket/session-key`). Without one send an order that your own wallet has signed, as `signed_order`; orders of a market whose `refs.protocol` is `v2` are signed under domain version "3": tell `@polymarket/clob-client-v2` order version 3 for them, whose own default is 2.
     */
    post: operations['previewOrder'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/{exchange}/orders/stream': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Your orders as they change
     * @description Open ones first, then each that changes; of a bot its own.
     */
    get: operations['streamOrders'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/{exchange}/positions': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Your positions
     * @description What you hold of each outcome. Polymarket: those of the wallet of your session key, then those of the stored wallet, if it is another. They are the wallet's, whichever API key made them.
     */
    get: operations['listPositions'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/{exchange}/settlements': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * What became of your positions
     * @description Positions that were paid out when their market had ended, newest first: what was held, what it had cost and what it paid.
     */
    get: operations['listSettlements'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/{exchange}/settlements.csv': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * What became of your positions, as a CSV file
     * @description RFC 4180, newest first, at most 100,000 rows; a file that ends early was broken off. One file of a user at a time.
     */
    get: operations['getSettlementsCsv'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/{exchange}/trades': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Public trades of a market
     * @description Newest first. Nobody is named. Those of Polymarket may be up to 5 minutes old.
     */
    get: operations['listTrades'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/{exchange}/trades/stream': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Public trades as they happen
     * @description From now on; those before are at `GET /{exchange}/trades`.
     */
    get: operations['streamTrades'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/{exchange}/transfers': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List your transfers
     * @description Between shards, newest first.
     */
    get: operations['listTransfers'];
    put?: never;
    /**
     * Move money between shards
     * @description Of one account at one exchange. The service never makes a transfer twice; one whose fate is unknown is `transfer_outcome_unknown`.
     */
    post: operations['createTransfer'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/{exchange}/transfers/{transfer_id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * One of your transfers
     * @description By the id that the exchange gave it.
     */
    get: operations['getTransfer'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/account': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post?: never;
    /**
     * Delete your account
     * @description Needs the password. Removes the account with its sessions, API key and stored credentials, for good.
     */
    delete: operations['deleteAccount'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/account/activity': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Your activity
     * @description What happened to your account, newest first. It cannot be changed.
     */
    get: operations['listActivity'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/account/api-keys': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List your API key
     * @description At most one; the key itself is never shown again.
     */
    get: operations['listApiKeys'];
    put?: never;
    /**
     * Create your API key
     * @description The answer is the only one that ever holds the whole key. A user has one key: delete it before the next. With `trade` or `admin` a session that signed in more than 30 minutes ago first confirms: `POST /account/confirm`.
     */
    post: operations['createApiKey'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/account/api-keys/{key_prefix}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post?: never;
    /**
     * Revoke your API key
     * @description At once and for good: when this answers, no instance of the service accepts the key any more.
     */
    delete: operations['revokeApiKey'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/account/bots': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List your bots
     * @description Newest first, removed ones of the last 90 days too.
     */
    get: operations['listBots'];
    put?: never;
    /**
     * Make a bot
     * @description A program of yours with a key of its own, limits, and a switch. The answer is the only one that ever holds the key. With `trade` a session that signed in more than 30 minutes ago first confirms: `POST /account/confirm`.
     */
    post: operations['createBot'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/account/bots/{bot_id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * One of your bots
     * @description With what it has taken of its limits.
     */
    get: operations['getBot'];
    put?: never;
    post?: never;
    /**
     * Remove a bot
     * @description Halts it, and ends its keys for good: when this answers, no instance of the service accepts one of them.
     */
    delete: operations['removeBot'];
    options?: never;
    head?: never;
    /**
     * Change what a bot may do
     * @description What is left out stays, null is none. What is narrowed holds everywhere once this answers. To widen anything a session that signed in more than 30 minutes ago first confirms: `POST /account/confirm`.
     */
    patch: operations['changeBot'];
    trace?: never;
  };
  '/account/bots/{bot_id}/halt': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Halt a bot
     * @description From the answer on no order of it begins. Safe to repeat. It still reads and cancels.
     */
    post: operations['haltBot'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/account/bots/{bot_id}/resume': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Let a halted bot go on
     * @description Arms its heartbeat anew. Beforehand a session that signed in more than 30 minutes ago first confirms: `POST /account/confirm`.
     */
    post: operations['resumeBot'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/account/bots/{bot_id}/rotate': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Give a bot a new key
     * @description The answer is the only one that ever holds the key. The key before works on as long as you say; one before that ends at once. Beforehand a session that signed in more than 30 minutes ago first confirms: `POST /account/confirm`.
     */
    post: operations['rotateBotKey'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/account/bots/halt': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Halt all your bots
     * @description From the answer on no order of theirs begins. Only you resume them, one by one.
     */
    post: operations['haltBots'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/account/confirm': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Confirm that it is you
     * @description Good for 5 minutes, for this session alone. A session that signed in more than 30 minutes ago needs it before a new API key with `trade` or `admin`, and before exchange credentials are stored or a session key is made or taken into use. Either the password, or a code of a provider that signs in to this account.
     */
    post: operations['confirmSession'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/account/credentials': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Which exchanges are configured
     * @description Stored values are never shown.
     */
    get: operations['listCredentials'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/account/credentials/{exchange}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    /**
     * Store credentials for an exchange
     * @description Checked, sealed with AES-256-GCM and never shown again. Overwrites what was stored before; a session key stays, unless the body has one. A session that signed in more than 30 minutes ago first confirms: `POST /account/confirm`.
     */
    put: operations['replaceCredentials'];
    post?: never;
    /**
     * Remove the credentials for an exchange
     * @description Session keys too. Trading there fails from then on.
     */
    delete: operations['removeCredentials'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/account/credentials/{exchange}/session-key': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Make a session key
     * @description A key that can trade for an account and move nothing out of it. Nobody ever sees its private half. It waits until the owner of the account has authorised it and it is activated; a new one takes its place. A session that signed in more than 30 minutes ago first confirms: `POST /account/confirm`.
     */
    post: operations['createSessionKey'];
    /**
     * Forget the session keys for an exchange
     * @description Both the one in use and the one that waits, with the API credentials that the exchange issued to them; other stored credentials stay. The exchange goes on accepting the key until the owner of the account revokes it there: `npm run polymarket:session-key -- revoke`.
     */
    delete: operations['removeSessionKeys'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/account/credentials/{exchange}/session-key/activate': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Take the session key that waits into use
     * @description Asks the exchange for the API credentials of the key and tries them, for up to 65 seconds: so long an exchange may need to learn of a key. In the place of the key that was active before. A session that signed in more than 30 minutes ago first confirms: `POST /account/confirm`.
     */
    post: operations['activateSessionKey'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/account/credentials/{exchange}/verify': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Try the stored credentials
     * @description A signed read at the exchange with all that is stored; changes nothing.
     */
    post: operations['verifyCredentials'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/account/equity': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * What you had over time
     * @description A point of each reading of `GET /portfolio` by you or your main key, at most one in 15 minutes; kept for 400 days.
     */
    get: operations['getEquity'];
    /**
     * Record it each hour
     * @description Off at first. While it is on, the service reads your accounts each hour with the stored credentials.
     */
    put: operations['setHourlyEquity'];
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/account/exchange-hosts': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Where orders go
     * @description One host an exchange, as this installation is set up.
     */
    get: operations['listExchangeHosts'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/account/orders': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * What you asked for
     * @description Orders and transfers that were asked of this service, newest first, refused ones with the reason. It is what the service knows; how an order stands now, its exchange says.
     */
    get: operations['listAccountOrders'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/account/password': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Change your password
     * @description Needs the current one, and ends every other session. A password is set for the first time by a reset.
     */
    post: operations['changePassword'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/account/profile': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Your profile
     * @description Who you are signed in as, and what signs you in.
     */
    get: operations['getProfile'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    /**
     * Change your profile
     * @description Changes only the fields that are sent and answers the whole profile. `avatar_url: null` clears it.
     */
    patch: operations['changeProfile'];
    trace?: never;
  };
  '/account/sessions': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Your sessions
     * @description One for each device that is signed in and may go on, newest first; at most 50.
     */
    get: operations['listSessions'];
    put?: never;
    post?: never;
    /**
     * End all other sessions
     * @description Ends every session but the one that asks.
     */
    delete: operations['revokeOtherSessions'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/account/sessions/{id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post?: never;
    /**
     * End one session
     * @description Ends the session at once, with its access and refresh tokens. It may be your own.
     */
    delete: operations['revokeSession'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/account/verification': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Have the verification mail sent again
     * @description To your own address, while it is not verified; 3 an hour and 10 a day. Follow its link where you are signed in: from anywhere else it empties the account. Where the address is verified already, the answer says so and nothing is sent.
     */
    post: operations['requestVerificationMail'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/auth/forgot-password': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Ask for a password reset
     * @description Answers alike for every address. If an account or a pending sign-up has it, a link is mailed.
     */
    post: operations['requestPasswordReset'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/auth/github/callback': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Sign in with GitHub
     * @description Takes the authorization code with its PKCE verifier. The redirect address must be on the list of the service. Sets the refresh cookie.
     */
    post: operations['signInWithGithub'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/auth/google/callback': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Sign in with Google
     * @description Takes the authorization code with its PKCE verifier. The redirect address must be on the list of the service. Sets the refresh cookie.
     */
    post: operations['signInWithGoogle'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/auth/login': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Log in
     * @description With e-mail address and password. Answers an access token and sets the refresh cookie.
     */
    post: operations['logIn'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/auth/logout': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Log out
     * @description Ends the session of the access token at once and clears the cookie, whether or not it was sent.
     */
    post: operations['logOut'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/auth/providers': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Sign-in providers
     * @description Those that are switched on, with what a client needs to send its user there.
     */
    get: operations['listProviders'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/auth/refresh': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Refresh the access token
     * @description Reads the `refresh_token` cookie, replaces it and answers a new access token. Calls that race within 10 seconds get the same new cookie; a cookie used later than that ends the session. A session is refreshed at most 20 times a minute.
     */
    post: operations['refreshSession'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/auth/reset-password': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Set a new password
     * @description Takes the token of the mail, once and within 30 minutes, and ends every session. The API key goes on working unless `revoke_api_keys` is true: then no instance accepts it once this has answered. It does not sign in. A refused password leaves the token usable.
     */
    post: operations['resetPassword'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/auth/signup': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Sign up
     * @description Open mode: answers alike for every address and sends a mail with a link to verify it. Whitelist mode: signs in at once if the address is pre-approved, and sets the refresh cookie.
     */
    post: operations['signUp'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/auth/verify-email': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Verify an e-mail address
     * @description Takes the token of the mail, once and within 24 hours, and signs in: the refresh cookie is set. Where several sign-ups are pending for the address, the account begins without any of their passwords and names: set a password by a reset. So it does, emptied, where an account of whitelist mode is verified without a living session of that account (access token or refresh cookie). Where somebody else is signed in, by cookie or access token, 403 `another_account` unless `replace_session` is true.
     */
    post: operations['verifyEmail'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/bot': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * The bot of this key
     * @description With its limits and what it has taken of them.
     */
    get: operations['getOwnBot'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/bot/halt': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Halt this bot
     * @description A bot may stop itself. Only its owner starts it again.
     */
    post: operations['haltOwnBot'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/bot/heartbeat': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    /**
     * Beat
     * @description Arms the switch for `ttl_seconds`: without another beat by then the orders of this bot are cancelled.
     */
    put: operations['beat'];
    post?: never;
    /**
     * Take the switch off
     * @description Nothing cancels the orders of this bot where it dies.
     */
    delete: operations['stopHeartbeat'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/bots/halt': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Halt all bots by the main key
     * @description The switch that needs no log-in. Only the owner resumes bots.
     */
    post: operations['haltBotsByKey'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/events': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Find events of all exchanges
     * @description As the markets, with the ids of their open markets.
     */
    get: operations['findEvents'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/health/live': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Is the process alive
     * @description Looks at nothing else.
     */
    get: operations['getLiveness'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/health/ready': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Should it get traffic
     * @description Database reachable, not shutting down.
     */
    get: operations['getReadiness'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/markets': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Find markets of all exchanges
     * @description Open markets by words, in any order, with filters and sorts. They are as the last walk of each exchange found them (`as_of`); quotes are of the last seconds, or null. The same question at two exchanges is two markets: nothing says that they end alike.
     */
    get: operations['findMarkets'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/me': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Who am I
     * @description Checks an API key: whose it is, what it may do, whether for real money, and how often.
     */
    get: operations['getMe'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/portfolio': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * What you have at all exchanges
     * @description Money, what your positions are worth, and what you gained, of each exchange and summed by currency. An exchange that cannot be read leaves the others as they are. A position is worth the exchange’s own mark, else the best bid; what is unknown is null, in a total too.
     */
    get: operations['getPortfolio'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/stream': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Several streams in one
     * @description Messages of each subscription as on its own path; `orders` and `fills` need the scope `trade`. An error of one ends all.
     */
    get: operations['stream'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
}
export type webhooks = Record<string, never>;
export interface components {
  schemas: {
    AbandonedKeyDto: {
      /** @description The order, as it is over. */
      order: components['schemas']['ReadOrderDto'] | null;
      /**
       * @description `none`: no order is under this key, and none will be. `cancelled`: what was left of its order is cancelled. `closed`: its order was over before.
       * @example cancelled
       * @enum {string}
       */
      state: 'none' | 'cancelled' | 'closed';
    };
    AccountOrderDto: {
      /**
       * @description The bot that asked; null for the main key.
       * @example bot_01KAMXB3T6Y7W2S4Q8Z0C1V5N9
       */
      bot_id: string | null;
      /** @description The id that it was sent under. */
      client_order_id: string | null;
      /**
       * Format: decimal
       * @description What it can cost at most; the amount of a transfer.
       */
      cost: Decimal | null;
      /**
       * Format: date-time
       * @example 2026-11-20T15:00:00.164Z
       */
      created_at: string;
      /** @example USD */
      currency: string | null;
      /** @enum {string} */
      exchange: 'kalshi' | 'polymarket';
      /**
       * Format: decimal
       * @description As the service saw it last.
       * @example 0
       */
      filled_size: Decimal | null;
      /**
       * Format: date-time
       * @description Null where nothing was sent.
       */
      first_sent_at: string | null;
      /** @example plc_01KAMXB3T6Y7W2S4Q8Z0C1V5N9 */
      id: string;
      /**
       * @description The `Idempotency-Key` that is bound to it, by which an order can be given up (`DELETE /{exchange}/orders/by-key/{idempotency_key}`): null where none was given, where it is free again, and for what a bot sent.
       * @example null
       */
      idempotency_key: string | null;
      /** @example svc_sk_live_a1B2 */
      key_prefix: string | null;
      /** @enum {string} */
      kind: 'order' | 'transfer';
      /** @example KXHIGHNY-26NOV20-B55.5 */
      market_id: string | null;
      /**
       * @description The exchange's id, also of a transfer.
       * @example 97ec18b7-10d3-4557-9de0-8598aad625f0
       */
      order_id: string | null;
      /** @example 0 */
      outcome_index: number | null;
      /** @example false */
      post_only: boolean | null;
      /**
       * Format: decimal
       * @example 0.42
       */
      price: Decimal | null;
      /**
       * @description Why it was refused, or `settled_by_operator` where the operator has written its end; else null.
       * @example null
       */
      reason: string | null;
      /**
       * Format: date-time
       * @description Of what is on its way or of unknown fate: from when on it is certain that nothing of it shows any more. Null where no time says so.
       * @example null
       */
      refusal_holds_at: string | null;
      /**
       * @description The newest requests that worked on it, at most 20.
       * @example [
       *       "req_01KAMXB3T6Y7W2S4Q8Z0C1V5N9"
       *     ]
       */
      request_ids: string[];
      /** @example buy */
      side: string | null;
      /**
       * Format: decimal
       * @example 10
       */
      size: Decimal | null;
      /**
       * @description `made` may be open still; `closed` is over.
       * @enum {string}
       */
      state: 'begun' | 'sending' | 'unknown' | 'made' | 'refused' | 'abandoned' | 'closed';
      /** @example gtc */
      time_in_force: string | null;
      /**
       * Format: date-time
       * @example 2026-11-20T15:00:00.164Z
       */
      updated_at: string;
      /**
       * @description The exchange's words, or the service's.
       * @example null
       */
      words: string | null;
    };
    AccountOrderListDto: {
      data: components['schemas']['AccountOrderDto'][];
      /** @description Send it as `cursor` for the next page, null at the end. A page with one may be short, even empty. */
      next_cursor: string | null;
    };
    ActivityDto: {
      /**
       * @description The bot that did it, or that is meant.
       * @example null
       */
      bot_id: string | null;
      /**
       * Format: date-time
       * @example 2026-01-31T12:00:00.000Z
       */
      created_at: string;
      /**
       * @description More, by type.
       * @example {
       *       "provider": "email"
       *     }
       */
      details: {
        [key: string]: unknown;
      };
      /**
       * @description The exchange, where one is meant.
       * @example kalshi
       */
      exchange: string | null;
      /** @example evt_01KAMXB3T6Y7W2S4Q8Z0C1V5N9 */
      id: string;
      /**
       * @description Where the request came from.
       * @example 203.0.113.7
       */
      ip: string | null;
      /**
       * @description The API key, where one is meant.
       * @example svc_sk_live_a1B2
       */
      key_prefix: string | null;
      /**
       * @description The request that did it.
       * @example req_01KAMXB3T6Y7W2S4Q8Z0C1V5N9
       */
      request_id: string | null;
      /**
       * @description The session that did it in place of an API key.
       * @example null
       */
      session_id: string | null;
      /**
       * @example login
       * @enum {string}
       */
      type:
        | 'signup'
        | 'email_verified'
        | 'login'
        | 'login_failed'
        | 'logout'
        | 'refresh_reuse'
        | 'password_reset_requested'
        | 'password_changed'
        | 'oauth_linked'
        | 'account_taken_over'
        | 'api_key_created'
        | 'api_key_revoked'
        | 'credentials_stored'
        | 'credentials_removed'
        | 'session_key_created'
        | 'session_key_activated'
        | 'session_key_removed'
        | 'scope_refused'
        | 'order_previewed'
        | 'order_created'
        | 'order_amended'
        | 'order_cancelled'
        | 'order_settled'
        | 'transfer_created'
        | 'bot_created'
        | 'bot_changed'
        | 'bot_key_rotated'
        | 'bot_halted'
        | 'bot_resumed'
        | 'bot_removed'
        | 'limit_refused';
      /**
       * @description What sent it.
       * @example curl/8.14
       */
      user_agent: string | null;
    };
    ActivityListDto: {
      data: components['schemas']['ActivityDto'][];
      /**
       * @description For the next page; null at the end.
       * @example null
       */
      next_cursor: string | null;
    };
    AmendOrderDto: {
      /**
       * Format: date-time
       * @description When what rests ends by itself; a time ahead. Fractions of a second are cut.
       * @example 2027-01-31T12:00:00.000Z
       */
      expires_at?: string;
      /**
       * Format: decimal
       * @description Of the `outcome` and `side` that a read of the order shows: above 0, below 1, a multiple of the tick of the market.
       * @example 0.43
       */
      price?: Decimal;
      /**
       * Format: decimal
       * @description The whole, what has filled included; more than that.
       * @example 8
       */
      size?: Decimal;
    };
    ApiKeyDto: {
      /**
       * Format: date-time
       * @example 2026-11-20T15:00:00.164Z
       */
      created_at: string;
      /**
       * Format: date-time
       * @description Exact to a minute; null if never used.
       * @example 2026-11-20T15:00:00.164Z
       */
      last_used_at: string | null;
      /** @example my bot */
      name: string;
      /**
       * @description Names the key: its first 16 characters.
       * @example svc_sk_live_4fGh
       */
      prefix: string;
      /**
       * @example [
       *       "trade"
       *     ]
       */
      scopes: ('read' | 'trade' | 'admin')[];
    };
    ApiKeyListDto: {
      keys: components['schemas']['ApiKeyDto'][];
    };
    ArmedDto: {
      /**
       * Format: date-time
       * @description When it fires, unless the next beat comes before.
       * @example 2026-11-20T15:00:30.000Z
       */
      expires_at: string;
      /**
       * @example halt
       * @enum {string}
       */
      on_miss: 'halt' | 'cancel';
      /** @example 30 */
      ttl_seconds: number;
    };
    BalanceDto: {
      /**
       * Format: decimal
       * @example 98.0186
       */
      available: Decimal;
      breakdown: components['schemas']['BalancePartDto'][];
      /** @example USD */
      currency: string;
      /**
       * @description The exchange that the data is from.
       * @example kalshi
       */
      exchange: string;
      /**
       * Format: decimal
       * @example 2.84
       */
      portfolio_value: Decimal | null;
      /**
       * Format: decimal
       * @example 0
       */
      reserved: Decimal | null;
      /**
       * Format: decimal
       * @example 100.8586
       */
      total: Decimal | null;
      /**
       * Format: date-time
       * @example 2026-11-20T15:00:00.164Z
       */
      updated_at: string | null;
    };
    BalancePartDto: {
      /**
       * Format: decimal
       * @example 78.0186
       */
      available: Decimal;
      /** @example 0 */
      key: string;
      /**
       * @description The exchange's own name of the part where it has one.
       * @example Shard 0
       */
      label: string;
      /** Format: decimal */
      reserved: Decimal | null;
    };
    BatchErrorDto: {
      /**
       * @description As the create of it alone answers.
       * @example {
       *       "code": "exchange_rejected",
       *       "message": "A post-only order would trade at once.",
       *       "request_id": "req_01KAMXB3T6Y7W2S4Q8Z0C1V5N9",
       *       "retryable": false,
       *       "details": {
       *         "reason": "would_cross"
       *       }
       *     }
       */
      error: components['schemas']['ErrorMemberDto'];
      /**
       * @description Which order of the list, from 0.
       * @example 1
       */
      index: number;
    };
    BatchOrderDto: {
      /**
       * @description Which order of the list, from 0.
       * @example 0
       */
      index: number;
      /** @description As the create of it alone answers. */
      order: components['schemas']['CreatedOrderDto'];
    };
    BatchResultsDto: {
      /** @description As many as orders were asked for, in their order. */
      results: (components['schemas']['BatchOrderDto'] | components['schemas']['BatchErrorDto'])[];
    };
    BeatDto: {
      /**
       * @description `halt`: only the owner resumes it. `cancel`: its orders are cancelled, and it goes on with its next beat.
       * @default halt
       * @enum {string}
       */
      on_miss?: 'halt' | 'cancel';
      /**
       * @description In how many seconds the next beat must come.
       * @example 30
       */
      ttl_seconds: number;
    };
    BookChanges: {
      /** @description Changed levels by their new size; 0 removes one. */
      asks: components['schemas']['LevelDto'][];
      /** @description Changed levels by their new size; 0 removes one. */
      bids: components['schemas']['LevelDto'][];
      hash: string | null;
      /**
       * Format: decimal
       * @description Of this outcome.
       * @example 0.43
       */
      last_price: Decimal | null;
      /**
       * Format: date-time
       * @example 2026-11-20T15:00:00.164Z
       */
      timestamp: string;
      /**
       * @description Whose clock says so.
       * @enum {string}
       */
      timestamp_source: 'exchange' | 'received';
    };
    BotDto: {
      /**
       * @description Null is everywhere.
       * @example [
       *       "203.0.113.0/24"
       *     ]
       */
      allowed_networks: string[] | null;
      /**
       * Format: date-time
       * @example 2026-11-20T15:00:00.164Z
       */
      created_at: string;
      /**
       * @description Null is all.
       * @example [
       *       "kalshi"
       *     ]
       */
      exchanges: ('kalshi' | 'polymarket')[] | null;
      /**
       * Format: date-time
       * @example 2026-11-20T15:00:00.164Z
       */
      expires_at: string | null;
      halted: components['schemas']['BotHaltDto'] | null;
      /** @description Null where none is set. */
      heartbeat: components['schemas']['HeartbeatDto'] | null;
      /** @example bot_01KAMXB3T6Y7W2S4Q8Z0C1V5N9 */
      id: string;
      /** @description Those that live, newest first. */
      keys: components['schemas']['BotKeyDto'][];
      /** @description All of them; null is none. */
      limits: components['schemas']['ShownBotLimitsDto'];
      /**
       * @description Null is everything.
       * @example [
       *       {
       *         "exchange": "kalshi",
       *         "series_id": "KXHIGHNY"
       *       }
       *     ]
       */
      markets: components['schemas']['BotMarketDto'][] | null;
      /** @example maker */
      name: string;
      /**
       * @example [
       *       "trade"
       *     ]
       */
      scopes: ('read' | 'trade')[];
      /**
       * @example active
       * @enum {string}
       */
      state: 'active' | 'halted' | 'expired' | 'removed';
      usage: components['schemas']['BotUsageDto'];
    };
    BotHaltDto: {
      /**
       * Format: date-time
       * @example 2026-11-20T15:00:00.164Z
       */
      at: string;
      /**
       * @description The id of a session, the prefix of a key, `operator` or `service`.
       * @example ses_01KAMXB3T6Y7W2S4Q8Z0C1V5N9
       */
      by: string;
      /**
       * @description Whether its orders are seen to: false while the service goes on cancelling, as the report of a halt says.
       * @example true
       */
      complete: boolean;
      /**
       * @example owner
       * @enum {string}
       */
      reason: 'owner' | 'operator' | 'bot' | 'heartbeat_missed' | 'all_bots' | 'expired' | 'restored';
    };
    BotKeyDto: {
      /**
       * Format: date-time
       * @example 2026-11-20T15:00:00.164Z
       */
      created_at: string;
      /**
       * Format: date-time
       * @description Exact to a minute; null if never used.
       * @example 2026-11-20T15:00:00.164Z
       */
      last_used_at: string | null;
      /**
       * @description Names the key: its first 16 characters.
       * @example svc_sk_live_4fGh
       */
      prefix: string;
      /**
       * Format: date-time
       * @description When it ends, where it was rotated.
       * @example 2026-11-20T15:00:00.164Z
       */
      valid_until: string | null;
    };
    BotLimitsDto: {
      /**
       * Format: decimal
       * @description The most that orders of one UTC day may lose.
       * @example 200
       */
      max_daily_risk?: Decimal | null;
      /**
       * @description How many orders may be open, on their way or unknown.
       * @example 20
       */
      max_open_orders?: number | null;
      /**
       * Format: decimal
       * @description The most that all its orders together could still lose.
       * @example 100
       */
      max_open_risk?: Decimal | null;
      /**
       * Format: decimal
       * @description The most that one order may lose.
       * @example 25
       */
      max_order_risk?: Decimal | null;
      /**
       * @description After how many seconds its resting orders end by themselves.
       * @example 3600
       */
      max_order_seconds?: number | null;
      /**
       * @description How many orders it may try in any 60 s.
       * @example 60
       */
      max_orders_per_minute?: number | null;
      /**
       * Format: decimal
       * @description The most contracts or shares of one market, long or short.
       * @example 500
       */
      max_position?: Decimal | null;
      /**
       * Format: decimal
       * @description How far a price may be worse than the best opposite quote; below 1.
       * @example 0.05
       */
      max_price_distance?: Decimal | null;
      /**
       * @description How many requests of its user's limit it may take in 60 s; null is half of that limit.
       * @example 300
       */
      max_requests_per_minute?: number | null;
      /**
       * Format: decimal
       * @description The same without a reset: a budget that only the owner raises.
       * @example 1000
       */
      max_total_risk?: Decimal | null;
    };
    BotListDto: {
      /** @description Newest first, with those that were removed in the last 90 days. */
      bots: components['schemas']['BotDto'][];
    };
    BotMarketDto: {
      /**
       * @description All markets of this event.
       * @example KXHIGHNY-26NOV20
       */
      event_id?: string;
      /**
       * @example kalshi
       * @enum {string}
       */
      exchange: 'kalshi' | 'polymarket';
      /**
       * @description One market.
       * @example KXHIGHNY-26NOV20-B55.5
       */
      market_id?: string;
      /**
       * @description All markets of this series.
       * @example KXHIGHNY
       */
      series_id?: string;
    };
    BotUsageDto: {
      /**
       * Format: date-time
       * @example 2026-11-20T15:00:00.164Z
       */
      as_of: string;
      /**
       * @description By currency.
       * @example {
       *       "USD": "12.5"
       *     }
       */
      daily_risk: {
        [key: string]: Decimal;
      };
      /** @example 3 */
      open_orders: number;
      /**
       * @description By currency.
       * @example {
       *       "USD": "12.5"
       *     }
       */
      open_risk: {
        [key: string]: Decimal;
      };
      /** @example 12 */
      orders_last_minute: number;
      /**
       * @description By currency.
       * @example {
       *       "USD": "12.5"
       *     }
       */
      total_risk: {
        [key: string]: Decimal;
      };
      /**
       * @description Orders of which something is not proved yet: those on their way or of unknown fate, those that ended and nobody has said how much had filled, and those with trades that may still fail. One may count in `open_orders` too.
       * @example 0
       */
      unsettled_orders: number;
    };
    CancelledOrderDto: {
      /**
       * Format: decimal
       * @description Null where nobody tells it.
       * @example 10
       */
      cancelled_size: Decimal | null;
      /**
       * @description The exchange that the data is from.
       * @example kalshi
       */
      exchange: string;
      /**
       * Format: decimal
       * @description What has filled. Null where nobody tells it, as in the answer to the cancel that did it: repeat the call.
       * @example null
       */
      filled_size: Decimal | null;
      /** @example 97ec18b7-10d3-4557-9de0-8598aad625f0 */
      id: string;
      /**
       * @description How the order is over: by this cancel, or before it.
       * @enum {string}
       */
      status: 'cancelled' | 'filled' | 'expired' | 'rejected';
      /**
       * Format: date-time
       * @description When it ended, where the exchange says so, else of this answer.
       * @example 2026-11-20T15:00:00.164Z
       */
      timestamp: string;
    };
    CancelledOrdersDto: {
      /**
       * @description Ids of the orders that are cancelled.
       * @example [
       *       "97ec18b7-10d3-4557-9de0-8598aad625f0"
       *     ]
       */
      cancelled: string[];
      /** @example [] */
      not_cancelled: components['schemas']['NotCancelledDto'][];
    };
    CancelNamedDto: {
      /**
       * @description Ids of orders; one that is named twice counts once.
       * @example [
       *       "97ec18b7-10d3-4557-9de0-8598aad625f0"
       *     ]
       */
      order_ids: string[];
    };
    CandlestickDto: {
      ask: components['schemas']['OhlcDto'] | null;
      bid: components['schemas']['OhlcDto'] | null;
      /**
       * Format: decimal
       * @example 0.43
       */
      close: Decimal | null;
      /**
       * Format: date-time
       * @example 2026-11-20T15:00:00.164Z
       */
      end: string;
      /**
       * @description The exchange that the data is from.
       * @example kalshi
       */
      exchange: string;
      /**
       * Format: decimal
       * @example 0.45
       */
      high: Decimal | null;
      /** @enum {string} */
      interval: '1m' | '1h' | '1d';
      /**
       * Format: decimal
       * @example 0.41
       */
      low: Decimal | null;
      /** @example KXHIGHNY-26NOV20-B55.5 */
      market_id: string;
      /**
       * Format: decimal
       * @example 0.43
       */
      mean: Decimal | null;
      /**
       * Format: decimal
       * @example 0.42
       */
      open: Decimal | null;
      /**
       * Format: decimal
       * @example 23190.5
       */
      open_interest: Decimal | null;
      outcome: components['schemas']['OutcomeRefDto'];
      /**
       * Format: decimal
       * @example 0.42
       */
      previous_close: Decimal | null;
      /** @description How many price points the candle was made of. */
      samples: number | null;
      /**
       * @description `trades`: prices are those of trades. `price_points`: made of prices that the exchange samples from time to time, so highs and lows between two samples are lost; a candle of one sample has `close` alone, as most of `1m` do, and volume, open interest, quotes and mean are null.
       * @enum {string}
       */
      source: 'trades' | 'price_points';
      /**
       * Format: date-time
       * @example 2026-11-20T15:00:00.164Z
       */
      start: string;
      /** @example 7 */
      trade_count: number | null;
      /**
       * Format: decimal
       * @example 120
       */
      volume: Decimal | null;
    };
    CandlestickListDto: {
      data: components['schemas']['CandlestickDto'][];
      /** @description Send it as `cursor` for the next page, null at the end. A page with one may be short, even empty. */
      next_cursor: string | null;
      /**
       * Format: date-time
       * @example 2026-11-20T15:00:00.164Z
       */
      timestamp: string;
      /**
       * @description Whose clock says so.
       * @enum {string}
       */
      timestamp_source: 'exchange' | 'received';
    };
    ChangeBotDto: {
      /**
       * @description Addresses and CIDR blocks that its keys may be used from; null is everywhere.
       * @example [
       *       "203.0.113.0/24"
       *     ]
       */
      allowed_networks?: string[] | null;
      /**
       * @description Null is all.
       * @example [
       *       "kalshi"
       *     ]
       */
      exchanges?: ('kalshi' | 'polymarket')[] | null;
      /**
       * Format: date-time
       * @description When it ends; a time ahead. Null is never.
       * @example 2027-01-31T12:00:00.000Z
       */
      expires_at?: string | null;
      /** @description Null is none. */
      limits?: components['schemas']['BotLimitsDto'] | null;
      /** @description What its orders may be of; null is everything. Reading is not restricted. */
      markets?: components['schemas']['BotMarketDto'][] | null;
      /**
       * @description Unique among your bots, without case.
       * @example maker
       */
      name?: string;
      /**
       * @description A new bot without them has `read` alone.
       * @example [
       *       "trade"
       *     ]
       */
      scopes?: ('read' | 'trade')[];
    };
    ChangePasswordDto: {
      /**
       * @description The password until now.
       * @example plum carousel nine harbour
       */
      current_password: string;
      /**
       * @description 12 to 128 characters of any script; common passwords and the address itself are refused.
       * @example seven lanterns over a quiet river
       */
      new_password: string;
    };
    CreateApiKeyDto: {
      /**
       * @description A label.
       * @default default
       * @example my bot
       */
      name?: string;
      /**
       * @description `read` is market data, `trade` adds orders, positions and balance, `admin` is every API-key endpoint.
       * @default [
       *       "read"
       *     ]
       * @example [
       *       "trade"
       *     ]
       */
      scopes?: ('read' | 'trade' | 'admin')[];
    };
    CreateBotDto: {
      /**
       * @description Addresses and CIDR blocks that its keys may be used from; null is everywhere.
       * @example [
       *       "203.0.113.0/24"
       *     ]
       */
      allowed_networks?: string[] | null;
      /**
       * @description Null is all.
       * @example [
       *       "kalshi"
       *     ]
       */
      exchanges?: ('kalshi' | 'polymarket')[] | null;
      /**
       * Format: date-time
       * @description When it ends; a time ahead. Null is never.
       * @example 2027-01-31T12:00:00.000Z
       */
      expires_at?: string | null;
      /** @description Null is none. */
      limits?: components['schemas']['BotLimitsDto'] | null;
      /** @description What its orders may be of; null is everything. Reading is not restricted. */
      markets?: components['schemas']['BotMarketDto'][] | null;
      /**
       * @description Unique among your bots, without case.
       * @example maker
       */
      name: string;
      /**
       * @description A new bot without them has `read` alone.
       * @example [
       *       "trade"
       *     ]
       */
      scopes?: ('read' | 'trade')[];
    };
    CreatedApiKeyDto: {
      /**
       * Format: password
       * @description The whole key. Shown this once: keep it now.
       * @example svc_sk_live_4fGh0aBcDeFgHiJkLmNoPqRsTuVwXyZ01234567
       */
      key: string;
      /** @example my bot */
      name: string;
      /**
       * @description Names the key: its first 16 characters.
       * @example svc_sk_live_4fGh
       */
      prefix: string;
      /**
       * @example [
       *       "trade"
       *     ]
       */
      scopes: ('read' | 'trade' | 'admin')[];
    };
    CreatedBotDto: {
      bot: components['schemas']['BotDto'];
      /**
       * Format: password
       * @description The whole key. Shown this once: keep it now.
       * @example svc_sk_live_4fGh0aBcDeFgHiJkLmNoPqRsTuVwXyZ01234567
       */
      key: string;
    };
    CreatedOrderDto: {
      /** Format: decimal */
      average_fill_price: Decimal | null;
      /**
       * @description The bot that sent it; null where none did, and where that is not known.
       * @example bot_01KAMXB3T6Y7W2S4Q8Z0C1V5N9
       */
      bot_id: string | null;
      /** @example 2b8394e0-515e-4b89-b624-f34067756855 */
      client_order_id: string | null;
      /**
       * Format: date-time
       * @example 2026-11-20T15:00:00.164Z
       */
      created_at: string | null;
      /** @example USD */
      currency: string;
      /**
       * @description The exchange that the data is from.
       * @example kalshi
       */
      exchange: string;
      /**
       * Format: date-time
       * @example null
       */
      expires_at: string | null;
      /**
       * Format: decimal
       * @example 0
       */
      fees: Decimal | null;
      /**
       * Format: decimal
       * @example 0
       */
      filled_size: Decimal;
      /** @example 97ec18b7-10d3-4557-9de0-8598aad625f0 */
      id: string;
      /** @example KXHIGHNY-26NOV20-B55.5 */
      market_id: string;
      outcome: components['schemas']['TradedOutcomeDto'];
      /** @example false */
      post_only: boolean | null;
      /**
       * Format: decimal
       * @description Of the outcome named here, 0 to 1.
       * @example 0.42
       */
      price: Decimal;
      /**
       * Format: decimal
       * @example 10
       */
      remaining_size: Decimal;
      /**
       * @description Whether this is the kept answer of an earlier call with the same `Idempotency-Key`: the order as it was then. Read it for how it stands now.
       * @example false
       */
      replayed: boolean;
      /** @description What was asked for, in the words of the request; null where the order was not made here. */
      requested: components['schemas']['RequestedDto'] | null;
      /** @enum {string} */
      side: 'buy' | 'sell';
      /**
       * Format: decimal
       * @example 10
       */
      size: Decimal;
      /** @enum {string} */
      status: 'open' | 'partially_filled' | 'filled' | 'cancelled' | 'expired' | 'rejected' | 'pending';
      status_reason: string | null;
      /**
       * @example gtc
       * @enum {string|null}
       */
      time_in_force: 'gtc' | 'gtd' | 'ioc' | 'fok' | null;
      /**
       * @description Ids of its fills, as `GET /{exchange}/fills` has them; null where not all of them show yet.
       * @example []
       */
      trade_ids: string[] | null;
      /** @enum {string} */
      type: 'limit' | 'market';
      /**
       * Format: date-time
       * @example 2026-11-20T15:00:00.164Z
       */
      updated_at: string | null;
    };
    CreatedSessionKeyDto: {
      /** @description What lets the key trade. */
      authorization: components['schemas']['SessionKeyAuthorizationDto'];
      /**
       * @example polymarket
       * @enum {string}
       */
      exchange: 'kalshi' | 'polymarket';
      session_key: components['schemas']['SessionKeyDto'];
    };
    CredentialKeyDto: {
      /**
       * Format: date-time
       * @description Until when the location of the account counts as attested.
       */
      attestation_expires_at: string | null;
      /** @description Null where the exchange did not say. */
      scopes: string[] | null;
      /**
       * @description The one subaccount that the key may use.
       * @example null
       */
      subaccount: string | null;
    };
    CredentialListDto: {
      /**
       * @example {
       *       "kalshi": {
       *         "configured": false,
       *         "key": null,
       *         "session_key": null,
       *         "warnings": []
       *       },
       *       "polymarket": {
       *         "configured": false,
       *         "key": null,
       *         "session_key": null,
       *         "warnings": []
       *       }
       *     }
       */
      exchanges: {
        [key: string]: components['schemas']['CredentialStatusDto'];
      };
    };
    CredentialStatusDto: {
      /** @example true */
      configured: boolean;
      /** @description Null where the exchange has no such keys, or has not said. */
      key: components['schemas']['CredentialKeyDto'] | null;
      /** @description Only where one waits beside the one in use. */
      pending_session_key?: components['schemas']['SessionKeyStatusDto'];
      /** @description The session key in use, else the one that waits; null where there is none. */
      session_key: components['schemas']['SessionKeyStatusDto'] | null;
      /**
       * @description Only where the exchange has one and credentials are stored.
       * @example 0x8ba1f109551bD432803012645Ac136ddd64DBA72
       */
      wallet_address?: string;
      /**
       * @description What their owner should know, by what the exchange said last.
       * @example []
       */
      warnings: (
        | 'can_transfer'
        | 'cannot_trade'
        | 'cannot_read'
        | 'attestation_missing'
        | 'attestation_expiring'
        | 'allowance_missing'
        | 'session_key_expiring'
      )[];
    };
    DeleteAccountDto: {
      /**
       * @description Your password; set one by a reset first if you have none.
       * @example plum carousel nine harbour
       */
      password: string;
    };
    DisarmedDto: {
      /**
       * Format: date-time
       * @example null
       */
      expires_at: string | null;
    };
    EndedSessionDto: {
      /** @example ses_01KAMXB3T6Y7W2S4Q8Z0C1V5N9 */
      id: string;
      /**
       * @description For people.
       * @example The session has ended.
       */
      message: string;
    };
    EquityDto: {
      /** @description Oldest first. Of more than 1,000 the last of each of 1,000 groups of like size. */
      data: components['schemas']['EquityPointDto'][];
      /**
       * @description Whether a point is recorded each hour.
       * @example false
       */
      hourly: boolean;
    };
    EquityPointDto: {
      /**
       * Format: date-time
       * @example 2026-11-20T15:00:00.164Z
       */
      at: string;
      /**
       * @description Whether the way from the point before is not known: for more than 2 hours of it nothing was recorded, or the accounts became others.
       * @example false
       */
      gap: boolean;
      /**
       * @description Currencies whose total is known to be of other accounts than those whose credentials are stored now: it says nothing of what these gained.
       * @example []
       */
      other_accounts: string[];
      /** @description As `GET /portfolio` had them then. */
      totals: components['schemas']['PortfolioTotalDto'][];
    };
    ErrorDto: {
      error: components['schemas']['ErrorMemberDto'];
    };
    ErrorMemberDto: {
      /**
       * @description Stable; branch on this.
       * @example forbidden
       * @enum {string}
       */
      code:
        | 'bad_request'
        | 'invalid_token'
        | 'oauth_failed'
        | 'redirect_uri_not_allowed'
        | 'unauthorized'
        | 'invalid_credentials'
        | 'forbidden'
        | 'bot_halted'
        | 'limit_exceeded'
        | 'email_not_verified'
        | 'signup_not_allowed'
        | 'not_found'
        | 'provider_not_configured'
        | 'method_not_allowed'
        | 'api_key_exists'
        | 'bot_expired'
        | 'bot_limit_reached'
        | 'bot_name_taken'
        | 'credentials_not_configured'
        | 'credentials_rejected'
        | 'idempotency_in_progress'
        | 'idempotency_key_abandoned'
        | 'orders_unsettled'
        | 'order_of_another_bot'
        | 'preview_expired'
        | 'payload_too_large'
        | 'unsupported_media_type'
        | 'exchange_rejected'
        | 'idempotency_key_reused'
        | 'not_supported'
        | 'weak_password'
        | 'exchange_rate_limited'
        | 'rate_limited'
        | 'internal_error'
        | 'exchange_error'
        | 'oauth_provider_error'
        | 'exchange_unavailable'
        | 'service_unavailable'
        | 'slow_consumer'
        | 'exchange_timeout'
        | 'oauth_provider_timeout'
        | 'order_outcome_unknown'
        | 'transfer_outcome_unknown';
      /**
       * @description What a program needs beside the code; a member is there only where it holds something.
       * @example {
       *       "required_scope": "trade"
       *     }
       */
      details?: {
        /** @description Of `limit_exceeded`: as much as that limit allows, an integer of counts and seconds. */
        allowed?: Decimal | number;
        /** @description Of `limit_exceeded`: what the order would add; null where it has no measure. */
        asked?: (Decimal | number) | null;
        /** @description Of a cancel of several orders that ended early: ids of those that it cancelled. */
        cancelled?: string[];
        /** @description Kalshi’s name of an order that may exist, or that was refused: look for it by this. */
        client_order_id?: string;
        /** @description The name under which a transfer was sent that may exist. */
        client_transfer_id?: string;
        /** @description What the exchange answered. */
        exchange?: {
          /** @description Its own code of the error; null where it named none. */
          code?: string | null;
          /** @description Which exchange it is. */
          id?: string;
          /** @description Its own words, scrubbed and cut to 200 characters: of `exchange_rejected` alone. */
          message?: string;
          /** @description HTTP status of its answer; null where it gave none. */
          status?: number | null;
        };
        /** @description Of `bad_request`: the fields that are not valid, at most 20. */
        fields?: {
          /** @description Path of the field, such as `order.price`. */
          field?: string;
          /** @description What is expected there. */
          message?: string;
        }[];
        /** @description Of `limit_exceeded`: the limit of the bot that the order would pass. */
        limit?: string;
        /**
         * @description There where a cancel may have been taken although its answer was lost: repeat it, or read the order.
         * @enum {boolean}
         */
        may_have_been_cancelled?: true;
        /** @description Of a cancel of several orders that ended early: those that it named and did not cancel, or may not have. */
        not_cancelled?: {
          /** @description Id of the order. */
          id?: string;
          /** @description Why it is not cancelled, as in the answer of a cancel of several orders; `unknown` where nobody said. */
          reason?: string;
        }[];
        /** @description The exchange’s name of an order that may exist, or that filled nothing: read it by this. */
        order_id?: string;
        /**
         * @description Stable; why, where a code has more than one way out.
         * @enum {string}
         */
        reason?:
          | 'abandoned_keys'
          | 'account_disabled'
          | 'address_not_allowed'
          | 'all_bots'
          | 'allowance_missing'
          | 'another_account'
          | 'api_key_required'
          | 'attestation_expired'
          | 'bot'
          | 'bot_key_required'
          | 'clock_skew'
          | 'closed_only'
          | 'code_rejected'
          | 'confirmation_required'
          | 'credentials_changed'
          | 'draining'
          | 'duplicate_order'
          | 'duplicate_transfer'
          | 'email_unverified'
          | 'exchange_not_allowed'
          | 'expired'
          | 'expiry_too_late'
          | 'heartbeat_missed'
          | 'identity_taken'
          | 'insufficient_funds'
          | 'invalid'
          | 'invalid_order'
          | 'key_expired'
          | 'key_revoked'
          | 'market_closed'
          | 'market_not_allowed'
          | 'market_version'
          | 'missing'
          | 'no_reference_price'
          | 'not_amendable'
          | 'not_cancellable'
          | 'not_filled'
          | 'operator'
          | 'orders_per_day'
          | 'other_account'
          | 'owner'
          | 'permission_denied'
          | 'previews'
          | 'restored'
          | 'search_incomplete'
          | 'session_key_expired'
          | 'session_key_not_authorized'
          | 'session_key_required'
          | 'session_key_settling'
          | 'size_not_bounded'
          | 'streams'
          | 'token_expired'
          | 'would_cross'
          | 'wrong_domain'
          | 'wrong_token_type';
        /** @description Of `weak_password`: all that speaks against it: `too_short`, `too_long`, `common`, `personal`. */
        reasons?: string[];
        /**
         * Format: date-time
         * @description Of an order of unknown fate under a key that was given up: when it is certain at the latest; null where no time says so.
         */
        refusal_holds_at?: string | null;
        /** @description Of `forbidden`: the scope that the API key lacks. */
        required_scope?: string;
        /**
         * Format: date-time
         * @description Of `limit_exceeded`: when the limit starts anew; null where it does not.
         */
        resets_at?: string | null;
        /** @description Of `insufficient_funds` at Kalshi: where money is missing, and where there is some. */
        shard?: {
          /** @description The shards of the account that hold money. */
          available?: {
            /**
             * Format: decimal
             * @description What is there, in dollars.
             */
            available?: Decimal;
            /** @description A shard. */
            shard?: string;
          }[];
          /** @description The shard that the market is on. */
          needed?: string;
        };
        /**
         * Format: date-time
         * @description Of `bot_halted`: since when the bot is halted.
         */
        since?: string;
        /** @description Of `allowance_missing`: the contract that the account has to approve. */
        spender?: string;
        /** @description Of `limit_exceeded`: what is used of it. */
        used?: Decimal | number;
      } & {
        [key: string]: unknown;
      };
      /**
       * @description For people; names the way out.
       * @example This API key lacks the trade scope.
       */
      message: string;
      /**
       * @description Also the X-Request-Id header.
       * @example req_01KAMXB3T6Y7W2S4Q8Z0C1V5N9
       */
      request_id: string;
      /**
       * @description Whether repeating the same call can help.
       * @example false
       */
      retryable: boolean;
    };
    EventAnswerDto: {
      /** @example Climate and Weather */
      category: string | null;
      description: string | null;
      /**
       * Format: date-time
       * @example 2026-11-20T15:00:00.164Z
       */
      end_time: string | null;
      /**
       * @description The exchange that the data is from.
       * @example kalshi
       */
      exchange: string;
      /** @example KXHIGHNY-26NOV20 */
      id: string;
      /** Format: decimal */
      liquidity: Decimal | null;
      /** @description Null where the exchange does not list them here. */
      markets: components['schemas']['MarketDto'][] | null;
      /** @example true */
      mutually_exclusive: boolean | null;
      /** Format: decimal */
      open_interest: Decimal | null;
      /**
       * @example {
       *       "ticker": "KXHIGHNY-26NOV20"
       *     }
       */
      refs: components['schemas']['EventRefsDto'];
      resolution_sources: components['schemas']['ResolutionSourceDto'][];
      /** @example KXHIGHNY */
      series_id: string | null;
      /**
       * Format: date-time
       * @example 2026-11-20T15:00:00.164Z
       */
      start_time: string | null;
      /**
       * @example open
       * @enum {string}
       */
      status: 'unopened' | 'open' | 'paused' | 'closed' | 'settled';
      subtitle: string | null;
      /**
       * @example [
       *       "weather"
       *     ]
       */
      tags: string[];
      /**
       * Format: date-time
       * @example 2026-11-20T15:00:00.164Z
       */
      timestamp: string;
      /**
       * @description Whose clock says so.
       * @enum {string}
       */
      timestamp_source: 'exchange' | 'received';
      /** @example Highest temperature in NYC on Nov 20, 2026? */
      title: string;
      /**
       * Format: date-time
       * @example 2026-11-20T15:00:00.164Z
       */
      updated_at: string | null;
      url: string | null;
      /** Format: decimal */
      volume: Decimal | null;
      /** Format: decimal */
      volume_24h: Decimal | null;
      /** @enum {string} */
      volume_unit: 'contracts' | 'currency';
    };
    EventDto: {
      /** @example Climate and Weather */
      category: string | null;
      description: string | null;
      /**
       * Format: date-time
       * @example 2026-11-20T15:00:00.164Z
       */
      end_time: string | null;
      /**
       * @description The exchange that the data is from.
       * @example kalshi
       */
      exchange: string;
      /** @example KXHIGHNY-26NOV20 */
      id: string;
      /** Format: decimal */
      liquidity: Decimal | null;
      /** @description Null where the exchange does not list them here. */
      markets: components['schemas']['MarketDto'][] | null;
      /** @example true */
      mutually_exclusive: boolean | null;
      /** Format: decimal */
      open_interest: Decimal | null;
      /**
       * @example {
       *       "ticker": "KXHIGHNY-26NOV20"
       *     }
       */
      refs: components['schemas']['EventRefsDto'];
      resolution_sources: components['schemas']['ResolutionSourceDto'][];
      /** @example KXHIGHNY */
      series_id: string | null;
      /**
       * Format: date-time
       * @example 2026-11-20T15:00:00.164Z
       */
      start_time: string | null;
      /**
       * @example open
       * @enum {string}
       */
      status: 'unopened' | 'open' | 'paused' | 'closed' | 'settled';
      subtitle: string | null;
      /**
       * @example [
       *       "weather"
       *     ]
       */
      tags: string[];
      /** @example Highest temperature in NYC on Nov 20, 2026? */
      title: string;
      /**
       * Format: date-time
       * @example 2026-11-20T15:00:00.164Z
       */
      updated_at: string | null;
      url: string | null;
      /** Format: decimal */
      volume: Decimal | null;
      /** Format: decimal */
      volume_24h: Decimal | null;
      /** @enum {string} */
      volume_unit: 'contracts' | 'currency';
    };
    EventListDto: {
      data: components['schemas']['EventDto'][];
      /** @description Send it as `cursor` for the next page, null at the end. A page with one may be short, even empty. */
      next_cursor: string | null;
      /**
       * Format: date-time
       * @example 2026-11-20T15:00:00.164Z
       */
      timestamp: string;
      /**
       * @description Whose clock says so.
       * @enum {string}
       */
      timestamp_source: 'exchange' | 'received';
    };
    EventRefsDto: {
      slug?: string;
      ticker?: string;
    };
    ExchangeHaltDto: {
      /**
       * @description Ids of orders that it cancelled.
       * @example [
       *       "97ec18b7-10d3-4557-9de0-8598aad625f0"
       *     ]
       */
      cancelled: string[];
      error: components['schemas']['HaltErrorDto'] | null;
      /**
       * @example kalshi
       * @enum {string}
       */
      exchange: 'kalshi' | 'polymarket';
      not_cancelled: components['schemas']['NotCancelledDto'][];
      /** @description Orders of which it is not known whether they are there. */
      unsettled: components['schemas']['UnsettledOrderDto'][];
    };
    ExchangeHostDto: {
      /**
       * @example kalshi
       * @enum {string}
       */
      exchange: 'kalshi' | 'polymarket';
      /**
       * @description Where its orders go; null where that is an address of the machine of the service.
       * @example external-api.kalshi.com
       */
      host: string | null;
    };
    ExchangeHostListDto: {
      exchanges: components['schemas']['ExchangeHostDto'][];
    };
    ExchangePortfolioDto: {
      /** @description As `GET /{exchange}/balance` has it. */
      balance: components['schemas']['BalanceDto'] | null;
      /**
       * @description Why something is null, as the call for that alone answers; `credentials_not_configured` where nothing is stored.
       * @example null
       */
      error: components['schemas']['ErrorMemberDto'] | null;
      /**
       * @description The exchange that the data is from.
       * @example kalshi
       */
      exchange: string;
      /**
       * Format: decimal
       * @description Over the whole history.
       * @example 0.52
       */
      fees: Decimal | null;
      /**
       * @description How many; of a bot its own.
       * @example 2
       */
      open_orders: number | null;
      /**
       * Format: decimal
       * @description What is held, `redeemable_value` included.
       * @example 12.9
       */
      positions_value: Decimal | null;
      /**
       * Format: decimal
       * @description Over the whole history, settlements included; fees are not in it.
       * @example 5.8
       */
      realized_pnl: Decimal | null;
      /**
       * Format: decimal
       * @description What positions that have won will pay.
       * @example 0
       */
      redeemable_value: Decimal | null;
      /**
       * Format: decimal
       * @example 0.3
       */
      unrealized_pnl: Decimal | null;
    };
    FillListDto: {
      data: components['schemas']['ReadFillDto'][];
      /** @description Send it as `cursor` for the next page, null at the end. A page with one may be short, even empty. */
      next_cursor: string | null;
    };
    ForgotPasswordDto: {
      /**
       * Format: email
       * @description One plain e-mail address; its case does not matter.
       * @example ada@example.com
       */
      email: string;
    };
    FoundEventDto: {
      /** @example Climate and Weather */
      category: string | null;
      description: string | null;
      /**
       * Format: date-time
       * @example 2026-11-20T15:00:00.164Z
       */
      end_time: string | null;
      /**
       * @description The exchange that the data is from.
       * @example kalshi
       */
      exchange: string;
      /** @example KXHIGHNY-26NOV20 */
      id: string;
      /** Format: decimal */
      liquidity: Decimal | null;
      /**
       * @description Ids of its open markets.
       * @example [
       *       "KXHIGHNY-26NOV20-B55.5"
       *     ]
       */
      market_ids: string[];
      /**
       * @description Always null here.
       * @example null
       */
      markets: components['schemas']['MarketDto'][] | null;
      /** @example true */
      mutually_exclusive: boolean | null;
      /** Format: decimal */
      open_interest: Decimal | null;
      /**
       * @example {
       *       "ticker": "KXHIGHNY-26NOV20"
       *     }
       */
      refs: components['schemas']['EventRefsDto'];
      resolution_sources: components['schemas']['ResolutionSourceDto'][];
      /** @example KXHIGHNY */
      series_id: string | null;
      /**
       * Format: date-time
       * @example 2026-11-20T15:00:00.164Z
       */
      start_time: string | null;
      /**
       * @example open
       * @enum {string}
       */
      status: 'unopened' | 'open' | 'paused' | 'closed' | 'settled';
      subtitle: string | null;
      /**
       * @example [
       *       "weather"
       *     ]
       */
      tags: string[];
      /** @example Highest temperature in NYC on Nov 20, 2026? */
      title: string;
      /**
       * Format: date-time
       * @example 2026-11-20T15:00:00.164Z
       */
      updated_at: string | null;
      url: string | null;
      /** Format: decimal */
      volume: Decimal | null;
      /** Format: decimal */
      volume_24h: Decimal | null;
      /** @enum {string} */
      volume_unit: 'contracts' | 'currency';
    };
    FoundEventListDto: {
      /**
       * @description By exchange: when the last complete walk of its markets began; null before the first.
       * @example {
       *       "kalshi": "2026-11-20T15:00:00.164Z",
       *       "polymarket": "2026-11-20T15:00:00.164Z"
       *     }
       */
      as_of: {
        [key: string]: string | null;
      };
      data: components['schemas']['FoundEventDto'][];
      /** @description Send it as `cursor` for the next page, null at the end. A page with one may be short, even empty. */
      next_cursor: string | null;
    };
    FoundMarketListDto: {
      /**
       * @description By exchange: when the last complete walk of its markets began; null before the first.
       * @example {
       *       "kalshi": "2026-11-20T15:00:00.164Z",
       *       "polymarket": "2026-11-20T15:00:00.164Z"
       *     }
       */
      as_of: {
        [key: string]: string | null;
      };
      data: components['schemas']['MarketDto'][];
      /** @description Send it as `cursor` for the next page, null at the end. A page with one may be short, even empty. */
      next_cursor: string | null;
    };
    HaltErrorDto: {
      /** @example exchange_timeout */
      code: string;
      /** @example The exchange did not answer in time. Try again. */
      message: string;
    };
    HaltReportDto: {
      /** @example bot_01KAMXB3T6Y7W2S4Q8Z0C1V5N9 */
      bot_id: string;
      /**
       * @description Whether nothing of the bot rests but what is named.
       * @example true
       */
      complete: boolean;
      exchanges: components['schemas']['ExchangeHaltDto'][];
      /**
       * Format: date-time
       * @example 2026-11-20T15:00:00.164Z
       */
      halted_at: string;
      /**
       * @example owner
       * @enum {string}
       */
      reason: 'owner' | 'operator' | 'bot' | 'heartbeat_missed' | 'all_bots' | 'expired' | 'restored';
      /**
       * @description Whether the bot is removed.
       * @example false
       */
      removed: boolean;
    };
    HaltReportListDto: {
      bots: components['schemas']['HaltReportDto'][];
    };
    HealthDto: {
      /** @enum {string} */
      status: 'ok' | 'unavailable' | 'draining';
    };
    HeartbeatDto: {
      /**
       * Format: date-time
       * @description When it fires; null where it is not armed, as while the bot is halted.
       * @example 2026-11-20T15:00:00.164Z
       */
      expires_at: string | null;
      /**
       * Format: date-time
       * @description When it was last beaten.
       * @example 2026-11-20T15:00:00.164Z
       */
      last_beat_at: string | null;
      /**
       * Format: date-time
       * @description Since when it is missed, with `on_miss: "cancel"`.
       * @example 2026-11-20T15:00:00.164Z
       */
      missed_since: string | null;
      /**
       * @example halt
       * @enum {string}
       */
      on_miss: 'halt' | 'cancel';
      /**
       * @description How long it may stay away.
       * @example 30
       */
      ttl_seconds: number;
    };
    HourlyEquityDto: {
      /**
       * @description Whether a point is recorded each hour, with the stored credentials.
       * @example false
       */
      hourly: boolean;
    };
    KalshiCredentialsDto: {
      /**
       * @description The id of the Kalshi API key.
       * @example a952bcbe-ec3b-4b5b-b8f9-11dae589608c
       */
      access_key: string;
      /**
       * Format: password
       * @description Its private key as Kalshi hands it out: PEM, not encrypted, Ed25519 (`BEGIN PRIVATE KEY`, the default there since October 2026) or RSA of 2048 to 4096 bits (`BEGIN RSA PRIVATE KEY` or `BEGIN PRIVATE KEY`). Line breaks may be written as `\n`.
       * @example -----BEGIN PRIVATE KEY-----
       *     …
       *     -----END PRIVATE KEY-----
       */
      private_key: string;
    };
    KeyFateDto: {
      /**
       * @description Why there is none.
       * @example null
       */
      error: components['schemas']['KeyRefusalDto'] | null;
      /** @description The order as the create answered it. Read it for how it stands now. */
      order: components['schemas']['ReadOrderDto'] | null;
      /**
       * Format: date-time
       * @description From when on a refusal is final: until then an order may still show that was sent before. Null where no time says so.
       * @example null
       */
      refusal_holds_at: string | null;
      /**
       * @description `none`: no order is under this key, or the last attempt is over 24 h ago. `sending`: a call works on it, or was cut off at it. `unknown`: the order may exist. `done`: `order` or `error` says how it ended. `abandoned`: nothing is sent under it any more; `order` is what it had made, and while `refusal_holds_at` lies ahead one may show yet.
       * @example done
       * @enum {string}
       */
      state: 'none' | 'sending' | 'unknown' | 'done' | 'abandoned';
    };
    KeyRefusalDto: {
      /**
       * @description A code of errors.md.
       * @example exchange_rejected
       */
      code: string;
      /**
       * @description The `details` of that error; empty where it had none.
       * @example {
       *       "reason": "would_cross"
       *     }
       */
      details: {
        [key: string]: unknown;
      };
      /**
       * @description For people.
       * @example A post-only order would trade at once.
       */
      message: string;
    };
    LevelDto: {
      /**
       * Format: decimal
       * @example 0.42
       */
      price: Decimal;
      /**
       * Format: decimal
       * @example 13
       */
      size: Decimal;
    };
    LimitDto: {
      /** @example 1200 */
      requests: number;
      /** @example 60 */
      seconds: number;
    };
    LimitsDto: {
      /** @description All calls but cancels. */
      api: components['schemas']['LimitDto'];
      /** @description Cancels, which count in nothing else. */
      cancel: components['schemas']['LimitDto'];
    };
    LogInDto: {
      /**
       * Format: email
       * @description One plain e-mail address; its case does not matter.
       * @example ada@example.com
       */
      email: string;
      /**
       * @description The password, every byte of it.
       * @example plum carousel nine harbour
       */
      password: string;
    };
    MarketAnswerDto: {
      /** @example Climate and Weather */
      category: string | null;
      /**
       * Format: date-time
       * @example 2026-11-20T15:00:00.164Z
       */
      close_time: string | null;
      /**
       * Format: date-time
       * @example 2026-11-20T15:00:00.164Z
       */
      created_at: string | null;
      /** @example USD */
      currency: string;
      /** @description The rules of resolution. */
      description: string | null;
      /** @example KXHIGHNY-26NOV20 */
      event_id: string | null;
      /**
       * @description The exchange that the data is from.
       * @example kalshi
       */
      exchange: string;
      /**
       * Format: date-time
       * @example 2026-11-20T15:00:00.164Z
       */
      expected_resolution_time: string | null;
      fees: components['schemas']['MarketFeesDto'] | null;
      /** @example KXHIGHNY-26NOV20-B55.5 */
      id: string;
      /** Format: decimal */
      liquidity: Decimal | null;
      /**
       * Format: decimal
       * @example 0.01
       */
      min_order_size: Decimal | null;
      /** @description Markets with the same value exclude each other. */
      mutually_exclusive_group_id: string | null;
      /**
       * Format: decimal
       * @example 23190.5
       */
      open_interest: Decimal | null;
      /**
       * Format: date-time
       * @example 2026-11-20T15:00:00.164Z
       */
      open_time: string | null;
      /**
       * @example [
       *       {
       *         "id": "KXHIGHNY-26NOV20-B55.5:yes",
       *         "index": 0,
       *         "label": "Yes",
       *         "bid": "0.42",
       *         "ask": "0.44",
       *         "last_price": "0.43",
       *         "bid_size": "13",
       *         "ask_size": "17"
       *       },
       *       {
       *         "id": "KXHIGHNY-26NOV20-B55.5:no",
       *         "index": 1,
       *         "label": "No",
       *         "bid": "0.56",
       *         "ask": "0.58",
       *         "last_price": "0.57",
       *         "bid_size": "13",
       *         "ask_size": "17"
       *       }
       *     ]
       */
      outcomes: components['schemas']['OutcomeDto'][];
      price_ranges: components['schemas']['PriceRangeDto'][];
      /**
       * @example {
       *       "ticker": "KXHIGHNY-26NOV20-B55.5",
       *       "series_ticker": "KXHIGHNY",
       *       "exchange_index": 0
       *     }
       */
      refs: components['schemas']['MarketRefsDto'];
      /** @example null */
      result: components['schemas']['MarketResultDto'] | null;
      /** @example KXHIGHNY */
      series_id: string | null;
      /**
       * Format: decimal
       * @example 0.01
       */
      size_step: Decimal;
      /**
       * @example open
       * @enum {string}
       */
      status: 'unopened' | 'open' | 'paused' | 'closed' | 'settled';
      /** @example 55° to 56° */
      subtitle: string | null;
      /**
       * @example [
       *       "weather"
       *     ]
       */
      tags: string[];
      /**
       * Format: date-time
       * @example 2026-11-20T15:00:00.164Z
       */
      timestamp: string;
      /**
       * @description Whose clock says so.
       * @enum {string}
       */
      timestamp_source: 'exchange' | 'received';
      /** @example Will the high temp in NYC be 55-56° on Nov 20, 2026? */
      title: string;
      /**
       * @description Whether orders are accepted now.
       * @example true
       */
      tradable: boolean;
      /**
       * Format: date-time
       * @example 2026-11-20T15:00:00.164Z
       */
      updated_at: string | null;
      url: string | null;
      /**
       * Format: decimal
       * @example 51873.25
       */
      volume: Decimal | null;
      /**
       * Format: decimal
       * @example 44120
       */
      volume_24h: Decimal | null;
      /**
       * @description Unit of both volumes.
       * @enum {string}
       */
      volume_unit: 'contracts' | 'currency';
    };
    MarketDto: {
      /** @example Climate and Weather */
      category: string | null;
      /**
       * Format: date-time
       * @example 2026-11-20T15:00:00.164Z
       */
      close_time: string | null;
      /**
       * Format: date-time
       * @example 2026-11-20T15:00:00.164Z
       */
      created_at: string | null;
      /** @example USD */
      currency: string;
      /** @description The rules of resolution. */
      description: string | null;
      /** @example KXHIGHNY-26NOV20 */
      event_id: string | null;
      /**
       * @description The exchange that the data is from.
       * @example kalshi
       */
      exchange: string;
      /**
       * Format: date-time
       * @example 2026-11-20T15:00:00.164Z
       */
      expected_resolution_time: string | null;
      fees: components['schemas']['MarketFeesDto'] | null;
      /** @example KXHIGHNY-26NOV20-B55.5 */
      id: string;
      /** Format: decimal */
      liquidity: Decimal | null;
      /**
       * Format: decimal
       * @example 0.01
       */
      min_order_size: Decimal | null;
      /** @description Markets with the same value exclude each other. */
      mutually_exclusive_group_id: string | null;
      /**
       * Format: decimal
       * @example 23190.5
       */
      open_interest: Decimal | null;
      /**
       * Format: date-time
       * @example 2026-11-20T15:00:00.164Z
       */
      open_time: string | null;
      /**
       * @example [
       *       {
       *         "id": "KXHIGHNY-26NOV20-B55.5:yes",
       *         "index": 0,
       *         "label": "Yes",
       *         "bid": "0.42",
       *         "ask": "0.44",
       *         "last_price": "0.43",
       *         "bid_size": "13",
       *         "ask_size": "17"
       *       },
       *       {
       *         "id": "KXHIGHNY-26NOV20-B55.5:no",
       *         "index": 1,
       *         "label": "No",
       *         "bid": "0.56",
       *         "ask": "0.58",
       *         "last_price": "0.57",
       *         "bid_size": "13",
       *         "ask_size": "17"
       *       }
       *     ]
       */
      outcomes: components['schemas']['OutcomeDto'][];
      price_ranges: components['schemas']['PriceRangeDto'][];
      /**
       * @example {
       *       "ticker": "KXHIGHNY-26NOV20-B55.5",
       *       "series_ticker": "KXHIGHNY",
       *       "exchange_index": 0
       *     }
       */
      refs: components['schemas']['MarketRefsDto'];
      /** @example null */
      result: components['schemas']['MarketResultDto'] | null;
      /** @example KXHIGHNY */
      series_id: string | null;
      /**
       * Format: decimal
       * @example 0.01
       */
      size_step: Decimal;
      /**
       * @example open
       * @enum {string}
       */
      status: 'unopened' | 'open' | 'paused' | 'closed' | 'settled';
      /** @example 55° to 56° */
      subtitle: string | null;
      /**
       * @example [
       *       "weather"
       *     ]
       */
      tags: string[];
      /** @example Will the high temp in NYC be 55-56° on Nov 20, 2026? */
      title: string;
      /**
       * @description Whether orders are accepted now.
       * @example true
       */
      tradable: boolean;
      /**
       * Format: date-time
       * @example 2026-11-20T15:00:00.164Z
       */
      updated_at: string | null;
      url: string | null;
      /**
       * Format: decimal
       * @example 51873.25
       */
      volume: Decimal | null;
      /**
       * Format: decimal
       * @example 44120
       */
      volume_24h: Decimal | null;
      /**
       * @description Unit of both volumes.
       * @enum {string}
       */
      volume_unit: 'contracts' | 'currency';
    };
    MarketFeesDto: {
      /**
       * Format: decimal
       * @example 1
       */
      exponent: Decimal | null;
      taker_only: boolean | null;
      /**
       * Format: decimal
       * @example 0.05
       */
      taker_rate: Decimal | null;
      /** @example quadratic */
      type: string;
    };
    MarketListDto: {
      data: components['schemas']['MarketDto'][];
      /** @description Send it as `cursor` for the next page, null at the end. A page with one may be short, even empty. */
      next_cursor: string | null;
      /**
       * Format: date-time
       * @example 2026-11-20T15:00:00.164Z
       */
      timestamp: string;
      /**
       * @description Whose clock says so.
       * @enum {string}
       */
      timestamp_source: 'exchange' | 'received';
    };
    MarketQuote: {
      /** @example KXHIGHNY-26NOV20-B55.5 */
      market_id: string;
      /**
       * Format: decimal
       * @example 23190.5
       */
      open_interest: Decimal | null;
      /**
       * @example [
       *       {
       *         "id": "KXHIGHNY-26NOV20-B55.5:yes",
       *         "index": 0,
       *         "label": "Yes",
       *         "bid": "0.42",
       *         "ask": "0.44",
       *         "last_price": "0.43",
       *         "bid_size": "13",
       *         "ask_size": "17"
       *       },
       *       {
       *         "id": "KXHIGHNY-26NOV20-B55.5:no",
       *         "index": 1,
       *         "label": "No",
       *         "bid": "0.56",
       *         "ask": "0.58",
       *         "last_price": "0.57",
       *         "bid_size": "13",
       *         "ask_size": "17"
       *       }
       *     ]
       */
      outcomes: components['schemas']['OutcomeDto'][];
      /** @example null */
      result: components['schemas']['MarketResultDto'] | null;
      /**
       * @example open
       * @enum {string}
       */
      status: 'unopened' | 'open' | 'paused' | 'closed' | 'settled';
      /**
       * Format: date-time
       * @example 2026-11-20T15:00:00.164Z
       */
      timestamp: string;
      /**
       * @description Whose clock says so.
       * @enum {string}
       */
      timestamp_source: 'exchange' | 'received';
      /**
       * @description Whether orders are accepted now.
       * @example true
       */
      tradable: boolean;
      /**
       * Format: decimal
       * @example 51873.25
       */
      volume: Decimal | null;
      /**
       * Format: decimal
       * @example 44120
       */
      volume_24h: Decimal | null;
    };
    MarketRefsDto: {
      condition_id?: string;
      exchange_index?: number;
      gamma_id?: string;
      neg_risk?: boolean;
      /** @example v2 */
      protocol?: string;
      series_ticker?: string;
      slug?: string;
      ticker?: string;
    };
    MarketResultDto: {
      /**
       * @description The winner; null for a split or scalar.
       * @enum {integer|null}
       */
      outcome_index: 0 | 1 | null;
      /**
       * Format: date-time
       * @example 2026-11-20T15:00:00.164Z
       */
      settled_at: string | null;
      /**
       * Format: decimal
       * @description What outcome 0 pays.
       * @example 1
       */
      settlement_price: Decimal | null;
    };
    MeDto: {
      /** @description Null for the main key. */
      bot: components['schemas']['MyBotDto'] | null;
      /** @description All exchanges, of a bot its own. May be `API_KEY_CACHE_TTL` old. */
      exchanges: components['schemas']['MyExchangeDto'][];
      /**
       * @description Names the key: its first 16 characters.
       * @example svc_sk_live_4fGh
       */
      key_prefix: string;
      /** @description Null where limits are off. */
      limits: components['schemas']['LimitsDto'] | null;
      /**
       * @description Whether orders are of real money: `live`.
       * @example sandbox
       * @enum {string}
       */
      mode: 'sandbox' | 'live';
      /**
       * @example [
       *       "trade"
       *     ]
       */
      scopes: ('read' | 'trade' | 'admin')[];
      /** @example usr_01KAMXB3T6Y7W2S4Q8Z0C1V5N9 */
      user_id: string;
    };
    MessageDto: {
      /**
       * @description For people.
       * @example Done.
       */
      message: string;
    };
    MissingBookDto: {
      /**
       * @description As a call for this book alone answers.
       * @example {
       *       "code": "not_found",
       *       "message": "There is no such market.",
       *       "request_id": "req_01KAMXB3T6Y7W2S4Q8Z0C1V5N9",
       *       "retryable": false
       *     }
       */
      error: components['schemas']['ErrorMemberDto'];
      /**
       * @description As it was asked for.
       * @example KXHIGHNY-26NOV20-B99.5
       */
      market_id: string;
    };
    MyBotDto: {
      /** @description Null where none is set. */
      heartbeat: components['schemas']['HeartbeatDto'] | null;
      /** @example bot_01KAMXB3T6Y7W2S4Q8Z0C1V5N9 */
      id: string;
      /** @example maker */
      name: string;
      /**
       * @example active
       * @enum {string}
       */
      state: 'active' | 'halted' | 'expired' | 'removed';
    };
    MyExchangeDto: {
      /**
       * @description Whether credentials are stored that can sign.
       * @example true
       */
      configured: boolean;
      /**
       * @example kalshi
       * @enum {string}
       */
      id: 'kalshi' | 'polymarket';
      /**
       * Format: date-time
       * @description When the session key that signs ends; null where none does.
       * @example 2026-11-20T15:00:00.164Z
       */
      session_key_valid_until: string | null;
    };
    NewSessionKeyDto: {
      /**
       * @description The account that the key is to trade for: a Deposit Wallet.
       * @example 0x8ba1f109551bD432803012645Ac136ddd64DBA72
       */
      wallet_address: string;
    };
    NotCancelledDto: {
      /** @example 97ec18b7-10d3-4557-9de0-8598aad625f0 */
      id: string;
      /**
       * @description Why it may still rest; `unknown_owner` after a restore: nothing here knows who has sent it, and nothing here cancels it.
       * @example unknown
       */
      reason: string;
    };
    OAuthCallbackDto: {
      /**
       * @description The authorization code.
       * @example 4/0AbUR2VMeHxU
       */
      code: string;
      /**
       * @description The PKCE verifier (RFC 7636): 43 to 128 characters.
       * @example dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk
       */
      code_verifier: string;
      /**
       * @description The redirect address that was used.
       * @example http://localhost:3000/dashboard/oauth/callback
       */
      redirect_uri: string;
    };
    OhlcDto: {
      /**
       * Format: decimal
       * @example 0.43
       */
      close: Decimal | null;
      /**
       * Format: decimal
       * @example 0.45
       */
      high: Decimal | null;
      /**
       * Format: decimal
       * @example 0.41
       */
      low: Decimal | null;
      /**
       * Format: decimal
       * @example 0.42
       */
      open: Decimal | null;
    };
    OrderBookAnswerDto: {
      /**
       * @description Best (lowest) first.
       * @example [
       *       {
       *         "price": "0.44",
       *         "size": "17"
       *       }
       *     ]
       */
      asks: components['schemas']['LevelDto'][];
      /** @description Best (highest) first. */
      bids: components['schemas']['LevelDto'][];
      /**
       * @description The exchange that the data is from.
       * @example kalshi
       */
      exchange: string;
      hash: string | null;
      /**
       * Format: decimal
       * @description Of this outcome.
       * @example 0.43
       */
      last_price: Decimal | null;
      /** @example KXHIGHNY-26NOV20-B55.5 */
      market_id: string;
      /**
       * Format: decimal
       * @example 5
       */
      min_order_size: Decimal | null;
      outcome: components['schemas']['OutcomeRefDto'];
      /**
       * Format: decimal
       * @example 0.01
       */
      tick_size: Decimal | null;
      /**
       * Format: date-time
       * @example 2026-11-20T15:00:00.164Z
       */
      timestamp: string;
      /**
       * @description Whose clock says so.
       * @enum {string}
       */
      timestamp_source: 'exchange' | 'received';
    };
    OrderBooksDto: {
      /** @description As many as were asked for, in their order. */
      data: (components['schemas']['OrderBookAnswerDto'] | components['schemas']['MissingBookDto'])[];
    };
    OrderListDto: {
      data: components['schemas']['ReadOrderDto'][];
      /** @description Send it as `cursor` for the next page, null at the end. A page with one may be short, even empty. */
      next_cursor: string | null;
    };
    OrderPreviewDto: {
      /** @description Null where it could not be read. */
      book: components['schemas']['PreviewedBookDto'] | null;
      /**
       * Format: decimal
       * @description The most that it can cost, without fees.
       * @example 4.2
       */
      cost: Decimal | null;
      /**
       * Format: decimal
       * @description The fee by the formula that the exchange publishes, of what would trade at once and of what rests, once that has traded whole. Null where it cannot be known.
       * @example 0.1706
       */
      fee_estimate: Decimal | null;
      /**
       * @description The rule of the fee, and where the exchange says it; null where it could not be read.
       * @example Fee of the series KXHIGHNY: quadratic, multiplier 1
       */
      fee_source: string | null;
      /** @description By that book; null where it could not be read. */
      fills_now: components['schemas']['PreviewedFillsDto'] | null;
      /** @description The limits of the bot that asks, those that it has; empty for all others. */
      limits: components['schemas']['PreviewedLimitDto'][];
      /** @description Null where there is no such order, as `would_be_refused` says. */
      order: components['schemas']['PreviewedOrderDto'] | null;
      /**
       * Format: decimal
       * @description The most that it can lose; what a bot takes back is none. Without fees.
       * @example 4.2
       */
      risk: Decimal | null;
      /**
       * @description The first refusal that a create would meet now, by what is known; null where none is.
       * @example null
       */
      would_be_refused: components['schemas']['PreviewedRefusalDto'] | null;
    };
    OutcomeDto: {
      /**
       * Format: decimal
       * @example 0.44
       */
      ask: Decimal | null;
      /**
       * Format: decimal
       * @example 17
       */
      ask_size: Decimal | null;
      /**
       * Format: decimal
       * @example 0.42
       */
      bid: Decimal | null;
      /**
       * Format: decimal
       * @example 13
       */
      bid_size: Decimal | null;
      /**
       * @description Outcome id.
       * @example KXHIGHNY-26NOV20-B55.5:yes
       */
      id: string;
      /**
       * @example 0
       * @enum {integer}
       */
      index: 0 | 1;
      /** @example Yes */
      label: string;
      /**
       * Format: decimal
       * @example 0.43
       */
      last_price: Decimal | null;
    };
    OutcomeRefDto: {
      /**
       * @description Outcome id.
       * @example KXHIGHNY-26NOV20-B55.5:yes
       */
      id: string;
      /**
       * @example 0
       * @enum {integer}
       */
      index: 0 | 1;
      /** @example Yes */
      label: string;
    };
    PasswordConfirmationDto: {
      /**
       * @description Your password.
       * @example plum carousel nine harbour
       */
      password: string;
    };
    PlainOrder: {
      /**
       * @description At Kalshi alone: names the order there, which takes it once; never use one again. Left out, it is derived from the Idempotency-Key or random.
       * @example 2b8394e0-515e-4b89-b624-f34067756855
       */
      client_order_id?: string;
      /**
       * Format: date-time
       * @description With `gtd` alone; at Polymarket at least three minutes ahead. Fractions of a second are cut.
       * @example 2026-11-21T15:00:00.000Z
       */
      expires_at?: string;
      /**
       * @description The id of the market, in any form that paths take.
       * @example KXHIGHNY-26NOV20-B55.5
       */
      market_id: string;
      /**
       * @description `0` or `yes`, `1` or `no`, the id of the outcome, or its label at Polymarket.
       * @example yes
       */
      outcome: string | (0 | 1);
      /**
       * @description Refuse the order if it would trade at once. At Polymarket only with `gtc` and `gtd`.
       * @example false
       */
      post_only?: boolean;
      /**
       * Format: decimal
       * @description Of the outcome named, per contract or share that pays 1: above 0, below 1, a multiple of the tick of the market.
       * @example 0.42
       */
      price: Decimal;
      /**
       * @description At Kalshi alone: never more than closes the position; with `ioc` alone.
       * @example false
       */
      reduce_only?: boolean;
      /**
       * @example buy
       * @enum {string}
       */
      side: 'buy' | 'sell';
      /**
       * Format: decimal
       * @description Contracts or shares, in steps of 0.01, at least the smallest size of the market.
       * @example 10
       */
      size: Decimal;
      /**
       * @description `gtc` where left out. `gtd` needs `expires_at`. `ioc` with a limit price stands in for a market order; at Polymarket it is the exchange's FAK, and a `fok` or `ioc` order to buy spends what its size costs by the book read just before, cut to cents.
       * @example gtc
       * @enum {string}
       */
      time_in_force?: 'gtc' | 'gtd' | 'ioc' | 'fok';
    };
    PolymarketCredentialsDto: {
      /**
       * @description The API key of the CLOB. Key, secret and passphrase may only be left out together, beside session_key.
       * @example 7b1e2d60-6f9a-4dd7-8f3e-21b8f94c77a2
       */
      api_key?: string;
      /** @description The passphrase that came with the key. */
      passphrase?: string;
      /** @description The secret that came with the key: base64 of either alphabet, padding optional. */
      secret?: string;
      /** @description The private key of a session key that may trade for the wallet. It replaces whatever was stored; the signer is its address then, and the kind of the wallet is 3. */
      session_key?: string;
      /**
       * @description Kind of the account wallet: 0 plain wallet, 1 proxy, 2 safe, 3 deposit wallet. Default 0; required where the two addresses differ.
       * @enum {integer}
       */
      signature_type?: 0 | 1 | 2 | 3;
      /** @description The wallet that created the API key, where it is another one. */
      signer_address?: string;
      /**
       * @description The account wallet that holds the funds: the maker of every order.
       * @example 0x8ba1f109551bD432803012645Ac136ddd64DBA72
       */
      wallet_address: string;
    };
    PortfolioDto: {
      /**
       * Format: date-time
       * @description From when on it was read.
       * @example 2026-11-20T15:00:00.164Z
       */
      as_of: string;
      exchanges: components['schemas']['ExchangePortfolioDto'][];
      /** @description One a currency of the exchanges whose credentials are stored. */
      totals: components['schemas']['PortfolioTotalDto'][];
    };
    PortfolioTotalDto: {
      /**
       * Format: decimal
       * @description Without what open orders hold back.
       * @example 98.0186
       */
      cash: Decimal | null;
      /** @example USD */
      currency: string;
      /**
       * Format: decimal
       * @description `cash` + `reserved` + `positions_value`.
       * @example 110.9186
       */
      equity: Decimal | null;
      /**
       * @description Whether something of it is unknown.
       * @example false
       */
      partial: boolean;
      /**
       * Format: decimal
       * @example 12.9
       */
      positions_value: Decimal | null;
      /**
       * Format: decimal
       * @example 5.8
       */
      realized_pnl: Decimal | null;
      /**
       * Format: decimal
       * @example 0
       */
      reserved: Decimal | null;
      /**
       * Format: decimal
       * @example 0.3
       */
      unrealized_pnl: Decimal | null;
    };
    PositionDto: {
      /**
       * Format: decimal
       * @example 0.42
       */
      average_price: Decimal | null;
      /**
       * Format: decimal
       * @example 4.2
       */
      cost_basis: Decimal | null;
      /** @example USD */
      currency: string;
      /**
       * Format: decimal
       * @example 0.43
       */
      current_price: Decimal | null;
      /** @example KXHIGHNY-26NOV20 */
      event_id: string | null;
      /**
       * @description The exchange that the data is from.
       * @example kalshi
       */
      exchange: string;
      /**
       * Format: decimal
       * @example 0.17
       */
      fees_paid: Decimal | null;
      /** @example KXHIGHNY-26NOV20-B55.5 */
      market_id: string;
      /**
       * Format: decimal
       * @example 4.3
       */
      market_value: Decimal | null;
      outcome: components['schemas']['TradedOutcomeDto'];
      /**
       * Format: decimal
       * @example 0
       */
      realized_pnl: Decimal | null;
      /**
       * Format: decimal
       * @example 10
       */
      size: Decimal;
      /** @enum {string} */
      status: 'open' | 'redeemable' | 'settled';
      title: string | null;
      /**
       * Format: decimal
       * @example 0.1
       */
      unrealized_pnl: Decimal | null;
      /**
       * Format: date-time
       * @example 2026-11-20T15:00:00.164Z
       */
      updated_at: string | null;
    };
    PositionListDto: {
      data: components['schemas']['PositionDto'][];
      /** @description Send it as `cursor` for the next page, null at the end. A page with one may be short, even empty. */
      next_cursor: string | null;
    };
    PreviewedBookDto: {
      /**
       * @example {
       *       "price": "0.44",
       *       "size": "17"
       *     }
       */
      ask: components['schemas']['LevelDto'] | null;
      /**
       * @example {
       *       "price": "0.42",
       *       "size": "13"
       *     }
       */
      bid: components['schemas']['LevelDto'] | null;
    };
    PreviewedFillsDto: {
      /**
       * Format: decimal
       * @description Cut after ten places; null where nothing would trade.
       * @example null
       */
      average_price: Decimal | null;
      /**
       * Format: decimal
       * @example 0
       */
      size: Decimal;
    };
    PreviewedLimitDto: {
      /** @example 100 */
      allowed: Decimal | number;
      /**
       * @description What the order would take; null where that is not known.
       * @example 4.2
       */
      asked: (Decimal | number) | null;
      /** @example max_open_risk */
      limit: string;
      /**
       * @description Without this order.
       * @example 37.5
       */
      used: Decimal | number;
    };
    PreviewedOrderDto: {
      /** @example USD */
      currency: string;
      /**
       * Format: date-time
       * @description When what rests ends by itself, a limit of the bot included.
       * @example null
       */
      expires_at: string | null;
      /** @example KXHIGHNY-26NOV20-B55.5 */
      market_id: string;
      /**
       * Format: decimal
       * @description The money that would be signed; null where none is.
       * @example null
       */
      money: Decimal | null;
      /**
       * @example 0
       * @enum {integer|null}
       */
      outcome_index: 0 | 1 | null;
      /** @example false */
      post_only: boolean | null;
      /**
       * Format: decimal
       * @description Of that outcome.
       * @example 0.42
       */
      price: Decimal;
      /**
       * Format: decimal
       * @description The shares that would be signed; null where none are.
       * @example null
       */
      shares: Decimal | null;
      /**
       * @example buy
       * @enum {string}
       */
      side: 'buy' | 'sell';
      /**
       * Format: decimal
       * @example 10
       */
      size: Decimal;
      /**
       * @example gtc
       * @enum {string|null}
       */
      time_in_force: 'gtc' | 'gtd' | 'ioc' | 'fok' | null;
    };
    PreviewedRefusalDto: {
      /**
       * @description A code of errors.md.
       * @example exchange_rejected
       */
      code: string;
      /**
       * @description For people.
       * @example A post-only order would trade at once.
       */
      message: string;
      /**
       * @description `details.reason` of that error; null where it has none.
       * @example would_cross
       */
      reason: string | null;
    };
    PriceRangeDto: {
      /**
       * Format: decimal
       * @example 1
       */
      end: Decimal;
      /**
       * Format: decimal
       * @example 0
       */
      start: Decimal;
      /**
       * Format: decimal
       * @example 0.01
       */
      step: Decimal;
    };
    ProfileChangesDto: {
      /**
       * @description An https: address; null clears it. The service never fetches it.
       * @example https://example.com/ada.png
       */
      avatar_url?: string | null;
      /**
       * @description Display name, 1 to 100 characters.
       * @example Ada Lovelace
       */
      display_name?: string;
    };
    ProfileDto: {
      /**
       * @description Address of the profile image.
       * @example https://example.com/ada.png
       */
      avatar_url: string | null;
      /**
       * Format: date-time
       * @description When the account was made.
       * @example 2026-01-31T12:00:00.000Z
       */
      created_at: string;
      /**
       * @description E-mail address, lower-cased.
       * @example ada@example.com
       */
      email: string;
      /**
       * @description Whether the e-mail address has been verified.
       * @example true
       */
      email_verified: boolean;
      /**
       * @description User id.
       * @example usr_01KAMXB3T6Y7W2S4Q8Z0C1V5N9
       */
      id: string;
      /**
       * @description Display name.
       * @example Ada Lovelace
       */
      name: string;
      /**
       * @description What signs this user in: `email` is a password.
       * @example [
       *       "email"
       *     ]
       */
      providers: ('email' | 'google' | 'github')[];
    };
    ProviderConfirmationDto: {
      /**
       * @description The authorization code.
       * @example 4/0AbUR2VMeHxU
       */
      code: string;
      /**
       * @description The PKCE verifier (RFC 7636): 43 to 128 characters.
       * @example dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk
       */
      code_verifier: string;
      /**
       * @example google
       * @enum {string}
       */
      provider: 'google' | 'github';
      /**
       * @description The redirect address that was used.
       * @example http://localhost:3000/dashboard/oauth/callback
       */
      redirect_uri: string;
    };
    ProviderDto: {
      /**
       * @description Send the user here.
       * @example https://accounts.google.com/o/oauth2/v2/auth
       */
      authorization_url: string;
      /** @example 1234.apps.googleusercontent.com */
      client_id: string;
      /**
       * @example google
       * @enum {string}
       */
      id: 'google' | 'github';
      /** @example openid email profile */
      scope: string;
    };
    ProviderListDto: {
      providers: components['schemas']['ProviderDto'][];
    };
    ReadFillDto: {
      /**
       * @description The bot that sent the order; null where none did, and where that is not known.
       * @example bot_01KAMXB3T6Y7W2S4Q8Z0C1V5N9
       */
      bot_id: string | null;
      /**
       * @description The exchange that the data is from.
       * @example kalshi
       */
      exchange: string;
      /**
       * Format: decimal
       * @example 0.17
       */
      fee: Decimal | null;
      /** @example 5b3f9c1e-7a42-4f0d-9c55-0d8e2b6a1f34 */
      id: string;
      /** @example KXHIGHNY-26NOV20-B55.5 */
      market_id: string;
      /** @example 97ec18b7-10d3-4557-9de0-8598aad625f0 */
      order_id: string;
      outcome: components['schemas']['TradedOutcomeDto'];
      /**
       * Format: decimal
       * @example 0.42
       */
      price: Decimal;
      /** @enum {string} */
      role: 'maker' | 'taker';
      /** @enum {string} */
      side: 'buy' | 'sell';
      /**
       * Format: decimal
       * @example 10
       */
      size: Decimal;
      /** @enum {string} */
      status: 'pending' | 'confirmed' | 'failed';
      /**
       * Format: date-time
       * @example 2026-11-20T15:00:00.164Z
       */
      timestamp: string;
      transaction_hash: string | null;
    };
    ReadOrderDto: {
      /** Format: decimal */
      average_fill_price: Decimal | null;
      /**
       * @description The bot that sent it; null where none did, and where that is not known.
       * @example bot_01KAMXB3T6Y7W2S4Q8Z0C1V5N9
       */
      bot_id: string | null;
      /** @example 2b8394e0-515e-4b89-b624-f34067756855 */
      client_order_id: string | null;
      /**
       * Format: date-time
       * @example 2026-11-20T15:00:00.164Z
       */
      created_at: string | null;
      /** @example USD */
      currency: string;
      /**
       * @description The exchange that the data is from.
       * @example kalshi
       */
      exchange: string;
      /**
       * Format: date-time
       * @example null
       */
      expires_at: string | null;
      /**
       * Format: decimal
       * @example 0
       */
      fees: Decimal | null;
      /**
       * Format: decimal
       * @example 0
       */
      filled_size: Decimal;
      /** @example 97ec18b7-10d3-4557-9de0-8598aad625f0 */
      id: string;
      /** @example KXHIGHNY-26NOV20-B55.5 */
      market_id: string;
      outcome: components['schemas']['TradedOutcomeDto'];
      /** @example false */
      post_only: boolean | null;
      /**
       * Format: decimal
       * @description Of the outcome named here, 0 to 1.
       * @example 0.42
       */
      price: Decimal;
      /**
       * Format: decimal
       * @example 10
       */
      remaining_size: Decimal;
      /** @description What was asked for, in the words of the request; null where the order was not made here. */
      requested: components['schemas']['RequestedDto'] | null;
      /** @enum {string} */
      side: 'buy' | 'sell';
      /**
       * Format: decimal
       * @example 10
       */
      size: Decimal;
      /** @enum {string} */
      status: 'open' | 'partially_filled' | 'filled' | 'cancelled' | 'expired' | 'rejected' | 'pending';
      status_reason: string | null;
      /**
       * @example gtc
       * @enum {string|null}
       */
      time_in_force: 'gtc' | 'gtd' | 'ioc' | 'fok' | null;
      /**
       * @description Ids of its fills, as `GET /{exchange}/fills` has them; null where not all of them show yet.
       * @example []
       */
      trade_ids: string[] | null;
      /** @enum {string} */
      type: 'limit' | 'market';
      /**
       * Format: date-time
       * @example 2026-11-20T15:00:00.164Z
       */
      updated_at: string | null;
    };
    RemovedCredentialDto: {
      /** @example false */
      configured: boolean;
      /** @enum {string} */
      exchange: 'kalshi' | 'polymarket';
    };
    RemovedSessionKeyDto: {
      /**
       * @example polymarket
       * @enum {string}
       */
      exchange: 'kalshi' | 'polymarket';
      /** @description False where there was none. */
      removed: boolean;
    };
    RequestedDto: {
      /**
       * @example 0
       * @enum {integer}
       */
      outcome_index: 0 | 1;
      /**
       * Format: decimal
       * @description Of that outcome.
       * @example 0.42
       */
      price: Decimal;
      /**
       * @example buy
       * @enum {string}
       */
      side: 'buy' | 'sell';
    };
    ResetPasswordDto: {
      /**
       * @description 12 to 128 characters of any script; common passwords and the address itself are refused.
       * @example seven lanterns over a quiet river
       */
      new_password: string;
      /**
       * @description Whether the API key ends too. Send true where somebody else may know the password, or have made a key.
       * @default false
       * @example true
       */
      revoke_api_keys?: boolean;
      /**
       * @description The token from the mail: what stands behind `#token=` in its link.
       * @example 3q2-7wAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA
       */
      token: string;
    };
    ResolutionSourceDto: {
      /** @example National Weather Service */
      name: string | null;
      url: string | null;
    };
    RevokedApiKeyDto: {
      /** @example The API key is revoked. */
      message: string;
      /**
       * @description Names the key: its first 16 characters.
       * @example svc_sk_live_4fGh
       */
      prefix: string;
      /**
       * Format: date-time
       * @example 2026-11-20T15:00:00.164Z
       */
      revoked_at: string;
    };
    RotateBotKeyDto: {
      /**
       * @description How long the key before the new one works on.
       * @default 0
       * @example 300
       */
      overlap_seconds?: number;
    };
    RotatedBotKeyDto: {
      /**
       * Format: password
       * @description The whole new key. Shown this once: keep it now.
       * @example svc_sk_live_4fGh0aBcDeFgHiJkLmNoPqRsTuVwXyZ01234567
       */
      key: string;
      /**
       * @description Names the new key: its first 16 characters.
       * @example svc_sk_live_4fGh
       */
      prefix: string;
      /**
       * Format: date-time
       * @description When the key before it ends; null where there was none.
       * @example 2026-11-20T15:00:00.164Z
       */
      previous_valid_until: string | null;
    };
    SessionDto: {
      /**
       * Format: date-time
       * @description When it signed in.
       * @example 2026-01-31T12:00:00.000Z
       */
      created_at: string;
      /**
       * @description Whether it is the one that asks.
       * @example true
       */
      current: boolean;
      /**
       * Format: date-time
       * @description When it must sign in again.
       * @example 2026-03-02T12:00:00.000Z
       */
      expires_at: string;
      /**
       * @description The `sid` of the session's access tokens.
       * @example ses_01KAMXB3T6Y7W2S4Q8Z0C1V5N9
       */
      id: string;
      /**
       * @description Address that signed in.
       * @example 203.0.113.7
       */
      ip: string;
      /**
       * Format: date-time
       * @description When it last refreshed.
       * @example 2026-01-31T12:30:00.000Z
       */
      last_used_at: string;
      /**
       * @description Client that signed in.
       * @example Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0
       */
      user_agent: string | null;
    };
    SessionKeyActivationDto: {
      /**
       * Format: date-time
       * @description When the key ends, where the exchange does not say: ahead, by at most 200 days.
       */
      valid_until?: string;
    };
    SessionKeyAnswerDto: {
      /**
       * @example polymarket
       * @enum {string}
       */
      exchange: 'kalshi' | 'polymarket';
      session_key: components['schemas']['SessionKeyDto'];
    };
    SessionKeyAuthorizationDto: {
      /** @example 137 */
      chain_id: number;
      /**
       * @description What the owner of the account runs, on a machine of their own.
       * @example npm run polymarket:session-key -- authorize
       */
      command: string;
      /**
       * @example [
       *       "CLOB"
       *     ]
       */
      scopes: string[];
      /** @example 0x8ba1f109551bD432803012645Ac136ddd64DBA72 */
      session_address: string;
      /** @example 0x8ba1f109551bD432803012645Ac136ddd64DBA72 */
      wallet_address: string;
    };
    SessionKeyDto: {
      /**
       * @description Of the key itself.
       * @example 0x8ba1f109551bD432803012645Ac136ddd64DBA72
       */
      address: string;
      /**
       * Format: date-time
       * @example 2026-11-20T15:00:00.164Z
       */
      created_at: string;
      /** @enum {string} */
      state: 'pending' | 'active';
      /**
       * Format: date-time
       * @description Null where nobody stated it.
       * @example null
       */
      valid_until: string | null;
      /**
       * @description The account that the key trades for.
       * @example 0x8ba1f109551bD432803012645Ac136ddd64DBA72
       */
      wallet_address: string;
    };
    SessionKeyStatusDto: {
      /**
       * @description Of the key itself.
       * @example 0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266
       */
      address: string;
      /**
       * @description `expired` also where the exchange has refused the key.
       * @enum {string}
       */
      state: 'pending' | 'active' | 'expired';
      /**
       * Format: date-time
       * @description Null where nobody stated it.
       */
      valid_until: string | null;
    };
    SessionListDto: {
      sessions: components['schemas']['SessionDto'][];
    };
    SettlementDto: {
      /**
       * Format: decimal
       * @description What it had cost, without fees.
       * @example 4.2
       */
      cost: Decimal | null;
      /**
       * @description The exchange that the data is from.
       * @example kalshi
       */
      exchange: string;
      /**
       * Format: decimal
       * @description All fees paid in the market, those of its fills too.
       * @example 0.17
       */
      fees: Decimal | null;
      /** @example KXHIGHNY-26NOV20-B55.5 */
      market_id: string;
      /** @description What was held; null where the exchange does not say. */
      outcome: components['schemas']['TradedOutcomeDto'] | null;
      /**
       * Format: decimal
       * @example 10
       */
      payout: Decimal | null;
      /**
       * Format: decimal
       * @description `payout` − `cost`; fees are not in it.
       * @example 5.8
       */
      realized_pnl: Decimal | null;
      /**
       * Format: date-time
       * @description When it was paid out.
       * @example 2026-11-20T15:00:00.164Z
       */
      settled_at: string;
      /**
       * Format: decimal
       * @example 10
       */
      size: Decimal;
      title: string | null;
    };
    SettlementListDto: {
      data: components['schemas']['SettlementDto'][];
      /** @description Send it as `cursor` for the next page, null at the end. A page with one may be short, even empty. */
      next_cursor: string | null;
    };
    ShownBotLimitsDto: {
      /**
       * Format: decimal
       * @description The most that orders of one UTC day may lose.
       * @example 200
       */
      max_daily_risk: Decimal | null;
      /**
       * @description How many orders may be open, on their way or unknown.
       * @example 20
       */
      max_open_orders: number | null;
      /**
       * Format: decimal
       * @description The most that all its orders together could still lose.
       * @example 100
       */
      max_open_risk: Decimal | null;
      /**
       * Format: decimal
       * @description The most that one order may lose.
       * @example 25
       */
      max_order_risk: Decimal | null;
      /**
       * @description After how many seconds its resting orders end by themselves.
       * @example 3600
       */
      max_order_seconds: number | null;
      /**
       * @description How many orders it may try in any 60 s.
       * @example 60
       */
      max_orders_per_minute: number | null;
      /**
       * Format: decimal
       * @description The most contracts or shares of one market, long or short.
       * @example 500
       */
      max_position: Decimal | null;
      /**
       * Format: decimal
       * @description How far a price may be worse than the best opposite quote; below 1.
       * @example 0.05
       */
      max_price_distance: Decimal | null;
      /**
       * @description How many requests of its user's limit it may take in 60 s; null is half of that limit.
       * @example 300
       */
      max_requests_per_minute: number | null;
      /**
       * Format: decimal
       * @description The same without a reset: a budget that only the owner raises.
       * @example 1000
       */
      max_total_risk: Decimal | null;
    };
    SignedInDto: {
      /**
       * Format: password
       * @description JWT for `Authorization: Bearer` on /account/* and /auth/logout.
       * @example eyJhbGciOiJIUzI1NiIsInR5cCI6ImF0K2p3dCJ9.eyJzdWIiOiJ1c3JfMDFLQU1Y.c2lnbmF0dXJl
       */
      access_token: string;
      user: components['schemas']['UserDto'];
    };
    SignedOrder: {
      /**
       * @description Only with `gtc` and `gtd`.
       * @example false
       */
      post_only?: boolean;
      /** @description In place of the plain parameters. */
      signed_order: components['schemas']['SignedOrderDto'];
      /**
       * @description `gtc` where left out. `ioc` is the exchange's FAK. `gtd` needs a signed expiration; all others need "0".
       * @example gtc
       * @enum {string}
       */
      time_in_force?: 'gtc' | 'gtd' | 'ioc' | 'fok';
    };
    SignedOrderDto: {
      /** @example 0x0000000000000000000000000000000000000000000000000000000000000000 */
      builder: string;
      /**
       * @description Seconds since 1970; "0" where the order has no expiry.
       * @example 0
       */
      expiration: string;
      /**
       * @description Must be the stored wallet_address, or that of the session key.
       * @example 0x8ba1f109551bD432803012645Ac136ddd64DBA72
       */
      maker: string;
      /**
       * @description What the maker gives, in millionths.
       * @example 5200000
       */
      makerAmount: string;
      /** @example 0x0000000000000000000000000000000000000000000000000000000000000000 */
      metadata: string;
      /**
       * @description As a number or as digits, at most 2^53 - 1.
       * @example 479249096354
       */
      salt: number | string;
      /**
       * @example BUY
       * @enum {string}
       */
      side: 'BUY' | 'SELL';
      /**
       * @description The wallet's signature.
       * @example 0x5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f1b
       */
      signature: string;
      /**
       * @description Must be the stored signature_type, or 3 with a session key.
       * @example 0
       * @enum {integer}
       */
      signatureType: 0 | 1 | 2 | 3;
      /**
       * @description The stored signer_address; for signatureType 3 the stored wallet_address.
       * @example 0x8ba1f109551bD432803012645Ac136ddd64DBA72
       */
      signer: string;
      /**
       * @description What the maker takes, in millionths.
       * @example 10000000
       */
      takerAmount: string;
      /**
       * @description Milliseconds since 1970.
       * @example 1792000000123
       */
      timestamp: string;
      /**
       * @description The outcome id.
       * @example 71321045679252212594626385532706912750332728571942532289631379312455583992563
       */
      tokenId: string;
    };
    SignUpDto: {
      /**
       * Format: email
       * @description One plain e-mail address; its case does not matter.
       * @example ada@example.com
       */
      email: string;
      /**
       * @description Display name, 1 to 100 characters.
       * @example Ada Lovelace
       */
      name: string;
      /**
       * @description 12 to 128 characters of any script; common passwords and the address itself are refused.
       * @example plum carousel nine harbour
       */
      password: string;
    };
    SignUpPendingDto: {
      /** @example Check your mail: a link to verify your address is on its way. */
      message: string;
      /**
       * @description The id that the account will have.
       * @example usr_01KAMXB3T6Y7W2S4Q8Z0C1V5N9
       */
      user_id: string;
    };
    StoredCredentialDto: {
      /** @example true */
      configured: boolean;
      /** @enum {string} */
      exchange: 'kalshi' | 'polymarket';
      /** @description Null where the exchange has no such keys, or has not said. */
      key: components['schemas']['CredentialKeyDto'] | null;
      /** @description Only where one waits beside the one in use. */
      pending_session_key?: components['schemas']['SessionKeyStatusDto'];
      /** @description The session key in use, else the one that waits; null where there is none. */
      session_key: components['schemas']['SessionKeyStatusDto'] | null;
      /**
       * Format: date-time
       * @example 2026-11-20T15:00:00.164Z
       */
      updated_at: string;
      /**
       * @description Only where the exchange has one and credentials are stored.
       * @example 0x8ba1f109551bD432803012645Ac136ddd64DBA72
       */
      wallet_address?: string;
      /**
       * @description What their owner should know, by what the exchange said last.
       * @example []
       */
      warnings: (
        | 'can_transfer'
        | 'cannot_trade'
        | 'cannot_read'
        | 'attestation_missing'
        | 'attestation_expiring'
        | 'allowance_missing'
        | 'session_key_expiring'
      )[];
    };
    StreamedTrade: {
      /**
       * @description The exchange that the data is from.
       * @example kalshi
       */
      exchange: string;
      /**
       * @description Null where the exchange names none.
       * @example null
       */
      id: string | null;
      is_block_trade: boolean | null;
      /** @example KXHIGHNY-26NOV20-B55.5 */
      market_id: string;
      /**
       * Format: decimal
       * @example 4.2
       */
      notional: Decimal;
      outcome: components['schemas']['OutcomeRefDto'];
      /**
       * Format: decimal
       * @example 0.42
       */
      price: Decimal;
      /** @enum {string} */
      side: 'buy' | 'sell';
      /**
       * Format: decimal
       * @example 10
       */
      size: Decimal;
      /** @enum {string} */
      taker_side: 'buy' | 'sell';
      /**
       * Format: date-time
       * @example 2026-11-20T15:00:00.164Z
       */
      timestamp: string;
      transaction_hash: string | null;
    };
    StreamError: {
      error: components['schemas']['ErrorMemberDto'];
      /** @enum {string} */
      type: 'error';
    };
    StreamFill: {
      /** @enum {string} */
      channel: 'fills';
      data: components['schemas']['ReadFillDto'];
      /** @enum {string} */
      exchange: 'kalshi' | 'polymarket';
      /** @example KXHIGHNY-26NOV20-B55.5 */
      market_id: string;
      /** @enum {string} */
      type: 'fill';
    };
    StreamHeartbeat: {
      /** @description Whether every line to the exchanges stands. */
      exchange_connected: boolean;
      /**
       * Format: date-time
       * @description When the line that is silent longest last said something.
       * @example 2026-11-20T15:00:00.164Z
       */
      last_frame_at: string | null;
      /** @example 1 */
      live: number;
      /** @example 1 */
      stale: number;
      /**
       * Format: date-time
       * @example 2026-11-20T15:00:00.164Z
       */
      timestamp: string;
      /** @enum {string} */
      type: 'heartbeat';
    };
    StreamOpenOrders: {
      /** @enum {string} */
      channel: 'orders';
      data: components['schemas']['ReadOrderDto'][];
      /** @enum {string} */
      exchange: 'kalshi' | 'polymarket';
      /**
       * @description Null: of all markets.
       * @example null
       */
      market_id: null;
      /** @enum {string} */
      reason: 'initial' | 'resync';
      /** @enum {string} */
      type: 'snapshot';
    };
    StreamOrder: {
      /** @enum {string} */
      channel: 'orders';
      data: components['schemas']['ReadOrderDto'];
      /** @enum {string} */
      exchange: 'kalshi' | 'polymarket';
      /** @example KXHIGHNY-26NOV20-B55.5 */
      market_id: string;
      /** @enum {string} */
      type: 'order';
    };
    StreamQuote: {
      /** @enum {string} */
      channel: 'markets';
      data: components['schemas']['MarketQuote'];
      /** @enum {string} */
      exchange: 'kalshi' | 'polymarket';
      /** @example KXHIGHNY-26NOV20-B55.5 */
      market_id: string;
      /** @enum {string} */
      type: 'quote';
    };
    StreamSnapshot: {
      /** @enum {string} */
      channel: 'orderbooks';
      data: components['schemas']['OrderBookAnswerDto'];
      /** @enum {string} */
      exchange: 'kalshi' | 'polymarket';
      /** @example KXHIGHNY-26NOV20-B55.5 */
      market_id: string;
      /**
       * @description Must be the last `sequence` that was seen, else connect anew; null of a snapshot, which replaces all.
       * @example null
       */
      previous_sequence: number | null;
      /** @enum {string} */
      reason: 'initial' | 'resync' | 'conflated';
      /**
       * @description The version of the book at this instance.
       * @example 118
       */
      sequence: number;
      /** @enum {string} */
      source: 'stream' | 'polling';
      /** @enum {string} */
      type: 'snapshot';
      /**
       * Format: date-time
       * @description When the book was last proved right.
       * @example 2026-11-20T15:00:00.164Z
       */
      verified_at: string;
    };
    StreamStatus: {
      /** @enum {string} */
      channel: 'orderbooks' | 'markets' | 'trades' | 'orders' | 'fills';
      /** @enum {string} */
      exchange: 'kalshi' | 'polymarket';
      /**
       * Format: date-time
       * @description Of a `gap`: fills from here to `to` are not told.
       * @example 2026-11-20T15:00:00.164Z
       */
      from?: string;
      /**
       * @description How often it is read, where it is polled and live.
       * @example 1000
       */
      interval_ms?: number;
      /**
       * @description Null of own orders and fills: of all markets.
       * @example null
       */
      market_id: string | null;
      /**
       * @example null
       * @enum {string|null}
       */
      reason:
        | 'exchange_disconnected'
        | 'sequence_gap'
        | 'mismatch'
        | 'silent'
        | 'tick_size_changed'
        | 'market_closed'
        | 'market_resolved'
        | 'gap'
        | null;
      /**
       * Format: date-time
       * @example 2026-11-20T15:00:00.164Z
       */
      since: string;
      /** @enum {string} */
      source: 'stream' | 'polling';
      /**
       * @description Do not trade on what is `stale`.
       * @enum {string}
       */
      state: 'live' | 'stale' | 'closed';
      /**
       * Format: date-time
       * @example 2026-11-20T15:00:00.164Z
       */
      to?: string;
      /** @enum {string} */
      type: 'status';
    };
    StreamTrade: {
      /** @enum {string} */
      channel: 'trades';
      data: components['schemas']['StreamedTrade'];
      /** @enum {string} */
      exchange: 'kalshi' | 'polymarket';
      /** @example KXHIGHNY-26NOV20-B55.5 */
      market_id: string;
      /** @enum {string} */
      type: 'trade';
    };
    StreamUpdate: {
      /** @enum {string} */
      channel: 'orderbooks';
      data: components['schemas']['BookChanges'];
      /** @enum {string} */
      exchange: 'kalshi' | 'polymarket';
      /** @example KXHIGHNY-26NOV20-B55.5 */
      market_id: string;
      /**
       * @description Must be the last `sequence` that was seen, else connect anew; null of a snapshot, which replaces all.
       * @example 118
       */
      previous_sequence: number;
      /**
       * @description The version of the book at this instance.
       * @example 119
       */
      sequence: number;
      /** @enum {string} */
      type: 'update';
    };
    TradedOutcomeDto: {
      /**
       * @description Outcome id.
       * @example KXHIGHNY-26NOV20-B55.5:yes
       */
      id: string;
      /**
       * @description Null where the exchange does not say at the moment.
       * @example 0
       * @enum {integer|null}
       */
      index: 0 | 1 | null;
      /** @example Yes */
      label: string | null;
    };
    TradeDto: {
      /**
       * @description The exchange that the data is from.
       * @example kalshi
       */
      exchange: string;
      /**
       * @description The exchange's own id. Polymarket has none: the first 32 hex digits of the SHA-256 of `transaction_hash|token_id|proxy_wallet|side|size|price`, decimals in canonical form and the wallet in small letters. Trades that agree in all of these share an id.
       * @example 0f2d6a4c1b3e58790f2d6a4c1b3e5879
       */
      id: string;
      is_block_trade: boolean | null;
      /** @example KXHIGHNY-26NOV20-B55.5 */
      market_id: string;
      /**
       * Format: decimal
       * @example 4.2
       */
      notional: Decimal;
      outcome: components['schemas']['OutcomeRefDto'];
      /**
       * Format: decimal
       * @example 0.42
       */
      price: Decimal;
      /** @enum {string} */
      side: 'buy' | 'sell';
      /**
       * Format: decimal
       * @example 10
       */
      size: Decimal;
      /** @enum {string} */
      taker_side: 'buy' | 'sell';
      /**
       * Format: date-time
       * @example 2026-11-20T15:00:00.164Z
       */
      timestamp: string;
      transaction_hash: string | null;
    };
    TradeListDto: {
      data: components['schemas']['TradeDto'][];
      /** @description Send it as `cursor` for the next page, null at the end. A page with one may be short, even empty. */
      next_cursor: string | null;
      /**
       * Format: date-time
       * @example 2026-11-20T15:00:00.164Z
       */
      timestamp: string;
      /**
       * @description Whose clock says so.
       * @enum {string}
       */
      timestamp_source: 'exchange' | 'received';
    };
    TransferDto: {
      /**
       * Format: decimal
       * @example 25
       */
      amount: Decimal;
      /**
       * Format: date-time
       * @example 2026-11-20T15:00:00.164Z
       */
      created_at: string | null;
      /** @example USD */
      currency: string;
      /**
       * @description The exchange that the data is from.
       * @example kalshi
       */
      exchange: string;
      /** @example 0 */
      from_shard: string;
      /**
       * @description Null where the exchange has the transfer but does not show which it is.
       * @example 97ec18b7-10d3-4557-9de0-8598aad625f0
       */
      id: string | null;
      /**
       * @description The money has arrived when it is `complete`.
       * @enum {string}
       */
      status: 'pending' | 'complete';
      /** @example 2 */
      to_shard: string;
    };
    TransferListDto: {
      data: components['schemas']['TransferDto'][];
      /** @description Send it as `cursor` for the next page, null at the end. A page with one may be short, even empty. */
      next_cursor: string | null;
    };
    TransferRequestDto: {
      /**
       * Format: decimal
       * @description In dollars.
       * @example 25
       */
      amount: Decimal;
      /**
       * @description Where the money lies, as `key` of the parts of your balance.
       * @example 0
       */
      from_shard: string;
      /**
       * @description Where it shall lie.
       * @example 2
       */
      to_shard: string;
    };
    UnsettledOrderDto: {
      /** @example 2b8394e0-515e-4b89-b624-f34067756855 */
      client_order_id: string | null;
      /** @example null */
      order_id: string | null;
    };
    UserDto: {
      /**
       * @description Address of the profile image.
       * @example https://example.com/ada.png
       */
      avatar_url: string | null;
      /**
       * @description E-mail address, lower-cased.
       * @example ada@example.com
       */
      email: string;
      /**
       * @description User id.
       * @example usr_01KAMXB3T6Y7W2S4Q8Z0C1V5N9
       */
      id: string;
      /**
       * @description Display name.
       * @example Ada Lovelace
       */
      name: string;
      /**
       * @description Role.
       * @example user
       */
      role: string;
    };
    VerifiedCredentialDto: {
      /**
       * Format: date-time
       * @example 2026-11-20T15:00:00.164Z
       */
      checked_at: string;
      /**
       * @description How far the exchange is ahead of this host.
       * @example 12
       */
      clock_skew_ms: number | null;
      /** @enum {string} */
      exchange: 'kalshi' | 'polymarket';
      /** @description Null where the exchange has no such keys, or has not said. */
      key: components['schemas']['CredentialKeyDto'] | null;
      /** @description Contracts that the owner of the account has yet to approve before a session key can trade; left out where there are none. */
      missing_allowances?: string[];
      /** @description Only where one waits beside the one in use. */
      pending_session_key?: components['schemas']['SessionKeyStatusDto'];
      /** @description The session key in use, else the one that waits; null where there is none. */
      session_key: components['schemas']['SessionKeyStatusDto'] | null;
      /** @example true */
      verified: boolean;
      /**
       * @description What their owner should know, by what the exchange said last.
       * @example []
       */
      warnings: (
        | 'can_transfer'
        | 'cannot_trade'
        | 'cannot_read'
        | 'attestation_missing'
        | 'attestation_expiring'
        | 'allowance_missing'
        | 'session_key_expiring'
      )[];
    };
    VerifyEmailDto: {
      /**
       * @description Whether the new session may take the place of that of another account which is signed in here.
       * @default false
       */
      replace_session?: boolean;
      /**
       * @description The token from the mail: what stands behind `#token=` in its link.
       * @example 3q2-7wAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA
       */
      token: string;
    };
  };
  responses: never;
  parameters: never;
  requestBodies: never;
  headers: never;
  pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
  getBalance: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The id of the exchange. */
        exchange: 'kalshi' | 'polymarket';
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['BalanceDto'];
        };
      };
    };
  };
  listCandlesticks: {
    parameters: {
      query: {
        /** @description Now where left out. */
        end?: string;
        /** @description How long a candle is. */
        interval?: '1m' | '1h' | '1d';
        /** @description The id of the market. */
        market_id: string;
        /** @description `0`, `1`, `yes`, `no`, an outcome id or its label. */
        outcome?: string;
        /** @description 100 intervals before `end` where left out. */
        start?: string;
      };
      header?: never;
      path: {
        /** @description The id of the exchange. */
        exchange: 'kalshi' | 'polymarket';
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['CandlestickListDto'];
        };
      };
    };
  };
  listEvents: {
    parameters: {
      query?: {
        /** @description In one category. */
        category?: string;
        /** @description The `next_cursor` of the page before, with the same filters. */
        cursor?: string;
        /** @description Most per page. */
        limit?: number;
        /** @description Words in the title. */
        search?: string;
        /** @description Of one series. */
        series_id?: string;
        /** @description In this status; `open` where left out. */
        status?: 'unopened' | 'open' | 'paused' | 'closed' | 'settled';
      };
      header?: never;
      path: {
        /** @description The id of the exchange. */
        exchange: 'kalshi' | 'polymarket';
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['EventListDto'];
        };
      };
    };
  };
  getEvent: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The id of the event. */
        event_id: string;
        /** @description The id of the exchange. */
        exchange: 'kalshi' | 'polymarket';
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['EventAnswerDto'];
        };
      };
    };
  };
  listFills: {
    parameters: {
      query?: {
        /** @description The `next_cursor` of the page before, with the same filters. */
        cursor?: string;
        /** @description Fills before this time. */
        end?: string;
        /** @description Most per page. */
        limit?: number;
        /** @description Fills in one market. */
        market_id?: string;
        /** @description Fills of one order. */
        order_id?: string;
        /** @description Fills at or after this time. */
        start?: string;
      };
      header?: never;
      path: {
        /** @description The id of the exchange. */
        exchange: 'kalshi' | 'polymarket';
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['FillListDto'];
        };
      };
    };
  };
  getFillsCsv: {
    parameters: {
      query?: {
        /** @description Before this time. */
        end?: string;
        /** @description In one market. */
        market_id?: string;
        /** @description At or after this time. */
        start?: string;
      };
      header?: never;
      path: {
        /** @description The id of the exchange. */
        exchange: 'kalshi' | 'polymarket';
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Lines that end with CRLF: the names of the columns, then one a row. Unknown is an empty field. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'text/csv': string;
        };
      };
    };
  };
  streamFills: {
    parameters: {
      query?: {
        /** @description Of these markets alone: up to 50 ids, comma-separated. */
        market_id?: string;
        /** @description Of this order alone. */
        order_id?: string;
      };
      header?: {
        /** @description The `id` of the last message that had one: fills go on behind it. */
        'Last-Event-ID'?: string;
      };
      path: {
        /** @description The id of the exchange. */
        exchange: 'kalshi' | 'polymarket';
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Server-sent events: each `data:` is one JSON message with a `type`, of which the schema is that of one; contract.md 5.14 and streams.md say what each asks of its reader. `status` says `live`, `stale` (do not trade on it) or `closed`; a `heartbeat` comes every 15 s; an `error` is the last message. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'text/event-stream':
            | components['schemas']['StreamFill']
            | components['schemas']['StreamStatus']
            | components['schemas']['StreamHeartbeat']
            | components['schemas']['StreamError'];
        };
      };
    };
  };
  listMarkets: {
    parameters: {
      query?: {
        /** @description In one category. */
        category?: string;
        /** @description The `next_cursor` of the page before, with the same filters. */
        cursor?: string;
        /** @description Markets of one event. */
        event_id?: string;
        /** @description At most 50 market ids, comma-separated. */
        ids?: string;
        /** @description Most per page. */
        limit?: number;
        /** @description Words in the title. */
        search?: string;
        /** @description Of one series. */
        series_id?: string;
        /** @description With `-` in front: descending. */
        sort?:
          | 'volume_24h'
          | '-volume_24h'
          | 'volume'
          | '-volume'
          | 'liquidity'
          | '-liquidity'
          | 'close_time'
          | '-close_time';
        /** @description In this status; `open` where left out. */
        status?: 'unopened' | 'open' | 'paused' | 'closed' | 'settled';
      };
      header?: never;
      path: {
        /** @description The id of the exchange. */
        exchange: 'kalshi' | 'polymarket';
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['MarketListDto'];
        };
      };
    };
  };
  getMarket: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The id of the exchange. */
        exchange: 'kalshi' | 'polymarket';
        /** @description The id of the market. */
        market_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['MarketAnswerDto'];
        };
      };
    };
  };
  streamMarkets: {
    parameters: {
      query: {
        /** @description 1 to 50 market ids, comma-separated. */
        market_id: string;
      };
      header?: never;
      path: {
        /** @description The id of the exchange. */
        exchange: 'kalshi' | 'polymarket';
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Server-sent events: each `data:` is one JSON message with a `type`, of which the schema is that of one; contract.md 5.14 and streams.md say what each asks of its reader. `status` says `live`, `stale` (do not trade on it) or `closed`; a `heartbeat` comes every 15 s; an `error` is the last message. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'text/event-stream':
            | components['schemas']['StreamQuote']
            | components['schemas']['StreamStatus']
            | components['schemas']['StreamHeartbeat']
            | components['schemas']['StreamError'];
        };
      };
    };
  };
  getOrderbook: {
    parameters: {
      query: {
        /** @description Levels a side; all where left out. */
        depth?: number;
        /** @description The id of the market. */
        market_id: string;
        /** @description `0`, `1`, `yes`, `no`, an outcome id or its label. */
        outcome?: string;
      };
      header?: never;
      path: {
        /** @description The id of the exchange. */
        exchange: 'kalshi' | 'polymarket';
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['OrderBookAnswerDto'];
        };
      };
    };
  };
  getOrderbooks: {
    parameters: {
      query: {
        /** @description Levels a side; all where left out. */
        depth?: number;
        /** @description 1 to 50 market ids, each once, comma-separated. */
        market_id: string;
        /** @description `0`, `1`, `yes`, `no`, an outcome id or its label. */
        outcome?: string;
      };
      header?: never;
      path: {
        /** @description The id of the exchange. */
        exchange: 'kalshi' | 'polymarket';
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['OrderBooksDto'];
        };
      };
    };
  };
  streamOrderbooks: {
    parameters: {
      query: {
        /** @description 1 to 50 market ids, comma-separated. */
        market_id: string;
        /** @description Whose book of each market. */
        outcome?: '0' | '1' | 'yes' | 'no';
      };
      header?: never;
      path: {
        /** @description The id of the exchange. */
        exchange: 'kalshi' | 'polymarket';
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Server-sent events: each `data:` is one JSON message with a `type`, of which the schema is that of one; contract.md 5.14 and streams.md say what each asks of its reader. `status` says `live`, `stale` (do not trade on it) or `closed`; a `heartbeat` comes every 15 s; an `error` is the last message. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'text/event-stream':
            | components['schemas']['StreamSnapshot']
            | components['schemas']['StreamUpdate']
            | components['schemas']['StreamStatus']
            | components['schemas']['StreamHeartbeat']
            | components['schemas']['StreamError'];
        };
      };
    };
  };
  listOrders: {
    parameters: {
      query?: {
        /** @description The order with this client order id, open or closed, archived too; an empty list only where all were looked through. With `status`, only where it is so. */
        client_order_id?: string;
        /** @description The `next_cursor` of the page before, with the same filters. */
        cursor?: string;
        /** @description Most per page. */
        limit?: number;
        /** @description Orders in one market. */
        market_id?: string;
        /** @description Open ones, or closed ones. */
        status?: 'open' | 'closed';
      };
      header?: never;
      path: {
        /** @description The id of the exchange. */
        exchange: 'kalshi' | 'polymarket';
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['OrderListDto'];
        };
      };
    };
  };
  createOrder: {
    parameters: {
      query?: never;
      header?: {
        /** @description Kept for 24 h after the last attempt: the same order under the same key is sent once, however often it is repeated. */
        'Idempotency-Key'?: string;
      };
      path: {
        /** @description The id of the exchange. */
        exchange: 'kalshi' | 'polymarket';
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['PlainOrder'] | components['schemas']['SignedOrder'];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['CreatedOrderDto'];
        };
      };
    };
  };
  cancelOrders: {
    parameters: {
      query?: {
        /** @description Only the orders on this market. */
        market_id?: string;
      };
      header?: never;
      path: {
        /** @description The id of the exchange. */
        exchange: 'kalshi' | 'polymarket';
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['CancelledOrdersDto'];
        };
      };
    };
  };
  getOrder: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The id of the exchange. */
        exchange: 'kalshi' | 'polymarket';
        /** @description The id that the exchange gave the order. */
        order_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ReadOrderDto'];
        };
      };
    };
  };
  cancelOrder: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The id of the exchange. */
        exchange: 'kalshi' | 'polymarket';
        /** @description The id that the exchange gave the order. */
        order_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['CancelledOrderDto'];
        };
      };
    };
  };
  amendOrder: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The id of the exchange. */
        exchange: 'kalshi' | 'polymarket';
        /** @description The id that the exchange gave the order. */
        order_id: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['AmendOrderDto'];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ReadOrderDto'];
        };
      };
    };
  };
  createOrders: {
    parameters: {
      query?: never;
      header?: {
        /** @description Kept for 24 h after the last attempt: the same order under the same key is sent once, however often it is repeated. */
        'Idempotency-Key'?: string;
      };
      path: {
        /** @description The id of the exchange. */
        exchange: 'kalshi' | 'polymarket';
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          orders: (components['schemas']['PlainOrder'] | components['schemas']['SignedOrder'])[];
        };
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['BatchResultsDto'];
        };
      };
    };
  };
  cancelNamedOrders: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The id of the exchange. */
        exchange: 'kalshi' | 'polymarket';
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['CancelNamedDto'];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['CancelledOrdersDto'];
        };
      };
    };
  };
  getOrderByKey: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The id of the exchange. */
        exchange: 'kalshi' | 'polymarket';
        /** @description The `Idempotency-Key` of a create. */
        idempotency_key: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['KeyFateDto'];
        };
      };
    };
  };
  abandonOrderKey: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The id of the exchange. */
        exchange: 'kalshi' | 'polymarket';
        /** @description The `Idempotency-Key` of a create. */
        idempotency_key: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['AbandonedKeyDto'];
        };
      };
    };
  };
  previewOrder: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The id of the exchange. */
        exchange: 'kalshi' | 'polymarket';
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['PlainOrder'] | components['schemas']['SignedOrder'];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['OrderPreviewDto'];
        };
      };
    };
  };
  streamOrders: {
    parameters: {
      query?: {
        /** @description Of these markets alone: up to 50 ids, comma-separated. */
        market_id?: string;
      };
      header?: never;
      path: {
        /** @description The id of the exchange. */
        exchange: 'kalshi' | 'polymarket';
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Server-sent events: each `data:` is one JSON message with a `type`, of which the schema is that of one; contract.md 5.14 and streams.md say what each asks of its reader. `status` says `live`, `stale` (do not trade on it) or `closed`; a `heartbeat` comes every 15 s; an `error` is the last message. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'text/event-stream':
            | components['schemas']['StreamOpenOrders']
            | components['schemas']['StreamOrder']
            | components['schemas']['StreamStatus']
            | components['schemas']['StreamHeartbeat']
            | components['schemas']['StreamError'];
        };
      };
    };
  };
  listPositions: {
    parameters: {
      query?: {
        /** @description The `next_cursor` of the page before, with the same filters. */
        cursor?: string;
        /** @description Most per page. */
        limit?: number;
        /** @description The position in one market. */
        market_id?: string;
      };
      header?: never;
      path: {
        /** @description The id of the exchange. */
        exchange: 'kalshi' | 'polymarket';
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['PositionListDto'];
        };
      };
    };
  };
  listSettlements: {
    parameters: {
      query?: {
        /** @description The `next_cursor` of the page before, with the same filters. */
        cursor?: string;
        /** @description Paid out before this time. */
        end?: string;
        /** @description Most per page. */
        limit?: number;
        /** @description Paid out at or after this time. */
        start?: string;
      };
      header?: never;
      path: {
        /** @description The id of the exchange. */
        exchange: 'kalshi' | 'polymarket';
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['SettlementListDto'];
        };
      };
    };
  };
  getSettlementsCsv: {
    parameters: {
      query?: {
        /** @description Before this time. */
        end?: string;
        /** @description In one market. */
        market_id?: string;
        /** @description At or after this time. */
        start?: string;
      };
      header?: never;
      path: {
        /** @description The id of the exchange. */
        exchange: 'kalshi' | 'polymarket';
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Lines that end with CRLF: the names of the columns, then one a row. Unknown is an empty field. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'text/csv': string;
        };
      };
    };
  };
  listTrades: {
    parameters: {
      query: {
        /** @description The `next_cursor` of the page before, with the same filters. */
        cursor?: string;
        /** @description Trades before this time. */
        end?: string;
        /** @description Most per page. */
        limit?: number;
        /** @description The id of the market. */
        market_id: string;
        /** @description Trades at or after this time. */
        start?: string;
      };
      header?: never;
      path: {
        /** @description The id of the exchange. */
        exchange: 'kalshi' | 'polymarket';
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['TradeListDto'];
        };
      };
    };
  };
  streamTrades: {
    parameters: {
      query: {
        /** @description 1 to 50 market ids, comma-separated. */
        market_id: string;
      };
      header?: never;
      path: {
        /** @description The id of the exchange. */
        exchange: 'kalshi' | 'polymarket';
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Server-sent events: each `data:` is one JSON message with a `type`, of which the schema is that of one; contract.md 5.14 and streams.md say what each asks of its reader. `status` says `live`, `stale` (do not trade on it) or `closed`; a `heartbeat` comes every 15 s; an `error` is the last message. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'text/event-stream':
            | components['schemas']['StreamTrade']
            | components['schemas']['StreamStatus']
            | components['schemas']['StreamHeartbeat']
            | components['schemas']['StreamError'];
        };
      };
    };
  };
  listTransfers: {
    parameters: {
      query?: {
        /** @description The `next_cursor` of the page before, with the same filters. */
        cursor?: string;
        /** @description Most per page. */
        limit?: number;
      };
      header?: never;
      path: {
        /** @description The id of the exchange. */
        exchange: 'kalshi' | 'polymarket';
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['TransferListDto'];
        };
      };
    };
  };
  createTransfer: {
    parameters: {
      query?: never;
      header?: {
        /** @description Kept for 24 h after the last attempt: the same transfer under the same key is sent once, however often it is repeated. */
        'Idempotency-Key'?: string;
      };
      path: {
        /** @description The id of the exchange. */
        exchange: 'kalshi' | 'polymarket';
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['TransferRequestDto'];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['TransferDto'];
        };
      };
    };
  };
  getTransfer: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The id of the exchange. */
        exchange: 'kalshi' | 'polymarket';
        /** @description The id that the exchange gave it. */
        transfer_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['TransferDto'];
        };
      };
    };
  };
  deleteAccount: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['DeleteAccountDto'];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['MessageDto'];
        };
      };
    };
  };
  listActivity: {
    parameters: {
      query?: {
        /** @description Only what is of this bot. */
        bot_id?: string;
        /** @description The `next_cursor` of the page before. */
        cursor?: string;
        /** @description Most per page. */
        limit?: number;
        /** @description Only what was done to one order after it was made, by the exchange's id: amended, cancelled, settled. */
        order_id?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ActivityListDto'];
        };
      };
    };
  };
  listApiKeys: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ApiKeyListDto'];
        };
      };
    };
  };
  createApiKey: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: {
      content: {
        'application/json': components['schemas']['CreateApiKeyDto'];
      };
    };
    responses: {
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['CreatedApiKeyDto'];
        };
      };
    };
  };
  revokeApiKey: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The first 16 characters of the key. */
        key_prefix: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['RevokedApiKeyDto'];
        };
      };
    };
  };
  listBots: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['BotListDto'];
        };
      };
    };
  };
  createBot: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['CreateBotDto'];
      };
    };
    responses: {
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['CreatedBotDto'];
        };
      };
    };
  };
  getBot: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The id of the bot. */
        bot_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['BotDto'];
        };
      };
    };
  };
  removeBot: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The id of the bot. */
        bot_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['HaltReportDto'];
        };
      };
    };
  };
  changeBot: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The id of the bot. */
        bot_id: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['ChangeBotDto'];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['BotDto'];
        };
      };
    };
  };
  haltBot: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The id of the bot. */
        bot_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['HaltReportDto'];
        };
      };
    };
  };
  resumeBot: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The id of the bot. */
        bot_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['BotDto'];
        };
      };
    };
  };
  rotateBotKey: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The id of the bot. */
        bot_id: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['RotateBotKeyDto'];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['RotatedBotKeyDto'];
        };
      };
    };
  };
  haltBots: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['HaltReportListDto'];
        };
      };
    };
  };
  confirmSession: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json':
          components['schemas']['PasswordConfirmationDto'] | components['schemas']['ProviderConfirmationDto'];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['MessageDto'];
        };
      };
    };
  };
  listCredentials: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['CredentialListDto'];
        };
      };
    };
  };
  replaceCredentials: {
    parameters: {
      query?: {
        /** @description Ask the exchange first, by one signed read. */
        verify?: 'true' | 'false';
      };
      header?: never;
      path: {
        /** @description The id of the exchange. */
        exchange: 'kalshi' | 'polymarket';
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json':
          components['schemas']['KalshiCredentialsDto'] | components['schemas']['PolymarketCredentialsDto'];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['StoredCredentialDto'];
        };
      };
    };
  };
  removeCredentials: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The id of the exchange. */
        exchange: 'kalshi' | 'polymarket';
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['RemovedCredentialDto'];
        };
      };
    };
  };
  createSessionKey: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The id of the exchange. */
        exchange: 'polymarket';
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['NewSessionKeyDto'];
      };
    };
    responses: {
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['CreatedSessionKeyDto'];
        };
      };
    };
  };
  removeSessionKeys: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The id of the exchange. */
        exchange: 'polymarket';
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['RemovedSessionKeyDto'];
        };
      };
    };
  };
  activateSessionKey: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The id of the exchange. */
        exchange: 'polymarket';
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['SessionKeyActivationDto'];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['SessionKeyAnswerDto'];
        };
      };
    };
  };
  verifyCredentials: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The id of the exchange. */
        exchange: 'kalshi' | 'polymarket';
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['VerifiedCredentialDto'];
        };
      };
    };
  };
  getEquity: {
    parameters: {
      query?: {
        /** @description Points before this time; now where left out. */
        end?: string;
        /** @description Points at or after this time; 90 days before `end` where left out. */
        start?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['EquityDto'];
        };
      };
    };
  };
  setHourlyEquity: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['HourlyEquityDto'];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['HourlyEquityDto'];
        };
      };
    };
  };
  listExchangeHosts: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ExchangeHostListDto'];
        };
      };
    };
  };
  listAccountOrders: {
    parameters: {
      query?: {
        /** @description What one bot asked. */
        bot_id?: string;
        /** @description By the id that it was sent under. */
        client_order_id?: string;
        /** @description The `next_cursor` of the page before, with the same filters. */
        cursor?: string;
        /** @description Asked before this time. */
        end?: string;
        /** @description What was asked at one exchange. */
        exchange?: 'kalshi' | 'polymarket';
        /** @description By any id: the row's own, the exchange's, the one that it was sent under, or that of a request that worked on it. */
        id?: string;
        /** @description Most per page. */
        limit?: number;
        /** @description What was asked on one market. */
        market_id?: string;
        /** @description By the exchange's id. */
        order_id?: string;
        /** @description What one request worked on. */
        request_id?: string;
        /** @description Asked at or after this time. */
        start?: string;
        /** @description What is so. */
        state?: 'begun' | 'sending' | 'unknown' | 'made' | 'refused' | 'abandoned' | 'closed';
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['AccountOrderListDto'];
        };
      };
    };
  };
  changePassword: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['ChangePasswordDto'];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['MessageDto'];
        };
      };
    };
  };
  getProfile: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ProfileDto'];
        };
      };
    };
  };
  changeProfile: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: {
      content: {
        'application/json': components['schemas']['ProfileChangesDto'];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ProfileDto'];
        };
      };
    };
  };
  listSessions: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['SessionListDto'];
        };
      };
    };
  };
  revokeOtherSessions: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['MessageDto'];
        };
      };
    };
  };
  revokeSession: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The id of a session. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['EndedSessionDto'];
        };
      };
    };
  };
  requestVerificationMail: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['MessageDto'];
        };
      };
    };
  };
  requestPasswordReset: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['ForgotPasswordDto'];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['MessageDto'];
        };
      };
    };
  };
  signInWithGithub: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['OAuthCallbackDto'];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['SignedInDto'];
        };
      };
    };
  };
  signInWithGoogle: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['OAuthCallbackDto'];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['SignedInDto'];
        };
      };
    };
  };
  logIn: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['LogInDto'];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['SignedInDto'];
        };
      };
    };
  };
  logOut: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['MessageDto'];
        };
      };
    };
  };
  listProviders: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ProviderListDto'];
        };
      };
    };
  };
  refreshSession: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['SignedInDto'];
        };
      };
    };
  };
  resetPassword: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['ResetPasswordDto'];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['MessageDto'];
        };
      };
    };
  };
  signUp: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['SignUpDto'];
      };
    };
    responses: {
      /** @description Open mode: pending until it is verified. Whitelist mode: signed in. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['SignUpPendingDto'] | components['schemas']['SignedInDto'];
        };
      };
    };
  };
  verifyEmail: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['VerifyEmailDto'];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['SignedInDto'];
        };
      };
    };
  };
  getOwnBot: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['BotDto'];
        };
      };
    };
  };
  haltOwnBot: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['HaltReportDto'];
        };
      };
    };
  };
  beat: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['BeatDto'];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ArmedDto'];
        };
      };
    };
  };
  stopHeartbeat: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['DisarmedDto'];
        };
      };
    };
  };
  haltBotsByKey: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['HaltReportListDto'];
        };
      };
    };
  };
  findEvents: {
    parameters: {
      query?: {
        /** @description In one category, or with one tag. */
        category?: string;
        /** @description Closing after this time. */
        closes_after?: string;
        /** @description Closing before this time. */
        closes_before?: string;
        /** @description The `next_cursor` of the page before, with the same filters. */
        cursor?: string;
        /** @description Of one exchange; of all where left out. */
        exchange?: 'kalshi' | 'polymarket';
        /** @description Most per page. */
        limit?: number;
        /** @description Traded within a day at least, each in its own unit. */
        min_volume_24h?: Decimal;
        /** @description Words of titles, ids, categories and tags, in any order; of more than 8 the first 8 count. From 3 letters the beginning of a word is enough. */
        search?: string;
        /** @description The best, the highest, the soonest or the newest first. `relevance` with words, else `volume_24h`, where left out. Volumes of two units are not compared: the highest of each come in turn. */
        sort?: 'relevance' | 'volume_24h' | 'closes_at' | 'newest';
        /** @description `open`; the others are `not_supported`. */
        status?: 'unopened' | 'open' | 'paused' | 'closed' | 'settled';
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['FoundEventListDto'];
        };
      };
    };
  };
  getLiveness: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['HealthDto'];
        };
      };
    };
  };
  getReadiness: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['HealthDto'];
        };
      };
    };
  };
  findMarkets: {
    parameters: {
      query?: {
        /** @description In one category, or with one tag. */
        category?: string;
        /** @description Closing after this time. */
        closes_after?: string;
        /** @description Closing before this time. */
        closes_before?: string;
        /** @description The `next_cursor` of the page before, with the same filters. */
        cursor?: string;
        /** @description Of one exchange; of all where left out. */
        exchange?: 'kalshi' | 'polymarket';
        /** @description Most per page. */
        limit?: number;
        /** @description Traded within a day at least, each in its own unit. */
        min_volume_24h?: Decimal;
        /** @description Words of titles, ids, categories and tags, in any order; of more than 8 the first 8 count. From 3 letters the beginning of a word is enough. */
        search?: string;
        /** @description The best, the highest, the soonest or the newest first. `relevance` with words, else `volume_24h`, where left out. Volumes of two units are not compared: the highest of each come in turn. */
        sort?: 'relevance' | 'volume_24h' | 'closes_at' | 'newest';
        /** @description `open`; the others are `not_supported`. */
        status?: 'unopened' | 'open' | 'paused' | 'closed' | 'settled';
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['FoundMarketListDto'];
        };
      };
    };
  };
  getMe: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['MeDto'];
        };
      };
    };
  };
  getPortfolio: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['PortfolioDto'];
        };
      };
    };
  };
  stream: {
    parameters: {
      query: {
        /** @description 1 to 20 of `{exchange}.{channel}:{market_id},{market_id}`, of 50 ids at most each, which may be left out for `orders` and `fills`. Books are of outcome 0. */
        subscribe: string[];
      };
      header?: {
        /** @description The `id` of the last message that had one: fills go on behind it. */
        'Last-Event-ID'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Server-sent events: each `data:` is one JSON message with a `type`, of which the schema is that of one; contract.md 5.14 and streams.md say what each asks of its reader. `status` says `live`, `stale` (do not trade on it) or `closed`; a `heartbeat` comes every 15 s; an `error` is the last message. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'text/event-stream':
            | components['schemas']['StreamSnapshot']
            | components['schemas']['StreamUpdate']
            | components['schemas']['StreamQuote']
            | components['schemas']['StreamTrade']
            | components['schemas']['StreamOpenOrders']
            | components['schemas']['StreamOrder']
            | components['schemas']['StreamFill']
            | components['schemas']['StreamStatus']
            | components['schemas']['StreamHeartbeat']
            | components['schemas']['StreamError'];
        };
      };
    };
  };
}

export type Health = components['schemas']['HealthDto'];
export type Profile = components['schemas']['ProfileDto'];
export type ProfileChanges = components['schemas']['ProfileChangesDto'];
export type PasswordConfirmation = components['schemas']['PasswordConfirmationDto'];
export type ProviderConfirmation = components['schemas']['ProviderConfirmationDto'];
export type Message = components['schemas']['MessageDto'];
export type ChangePassword = components['schemas']['ChangePasswordDto'];
export type DeleteAccount = components['schemas']['DeleteAccountDto'];
export type SignUpPending = components['schemas']['SignUpPendingDto'];
export type User = components['schemas']['UserDto'];
export type SignedIn = components['schemas']['SignedInDto'];
export type SignUp = components['schemas']['SignUpDto'];
export type VerifyEmail = components['schemas']['VerifyEmailDto'];
export type LogIn = components['schemas']['LogInDto'];
export type Provider = components['schemas']['ProviderDto'];
export type ProviderList = components['schemas']['ProviderListDto'];
export type OAuthCallback = components['schemas']['OAuthCallbackDto'];
export type ForgotPassword = components['schemas']['ForgotPasswordDto'];
export type ResetPassword = components['schemas']['ResetPasswordDto'];
export type Session = components['schemas']['SessionDto'];
export type SessionList = components['schemas']['SessionListDto'];
export type EndedSession = components['schemas']['EndedSessionDto'];
export type ExchangeHost = components['schemas']['ExchangeHostDto'];
export type ExchangeHostList = components['schemas']['ExchangeHostListDto'];
export type ApiKey = components['schemas']['ApiKeyDto'];
export type ApiKeyList = components['schemas']['ApiKeyListDto'];
export type CreateApiKey = components['schemas']['CreateApiKeyDto'];
export type CreatedApiKey = components['schemas']['CreatedApiKeyDto'];
export type RevokedApiKey = components['schemas']['RevokedApiKeyDto'];
export type BotMarket = components['schemas']['BotMarketDto'];
export type BotLimits = components['schemas']['BotLimitsDto'];
export type CreateBot = components['schemas']['CreateBotDto'];
export type ShownBotLimits = components['schemas']['ShownBotLimitsDto'];
export type BotHalt = components['schemas']['BotHaltDto'];
export type BotKey = components['schemas']['BotKeyDto'];
export type Heartbeat = components['schemas']['HeartbeatDto'];
export type BotUsage = components['schemas']['BotUsageDto'];
export type Bot = components['schemas']['BotDto'];
export type CreatedBot = components['schemas']['CreatedBotDto'];
export type BotList = components['schemas']['BotListDto'];
export type NotCancelled = components['schemas']['NotCancelledDto'];
export type UnsettledOrder = components['schemas']['UnsettledOrderDto'];
export type HaltError = components['schemas']['HaltErrorDto'];
export type ExchangeHalt = components['schemas']['ExchangeHaltDto'];
export type HaltReport = components['schemas']['HaltReportDto'];
export type HaltReportList = components['schemas']['HaltReportListDto'];
export type ChangeBot = components['schemas']['ChangeBotDto'];
export type RotateBotKey = components['schemas']['RotateBotKeyDto'];
export type RotatedBotKey = components['schemas']['RotatedBotKeyDto'];
export type Beat = components['schemas']['BeatDto'];
export type Armed = components['schemas']['ArmedDto'];
export type Disarmed = components['schemas']['DisarmedDto'];
export type MyExchange = components['schemas']['MyExchangeDto'];
export type Limit = components['schemas']['LimitDto'];
export type Limits = components['schemas']['LimitsDto'];
export type MyBot = components['schemas']['MyBotDto'];
export type Me = components['schemas']['MeDto'];
export type CredentialKey = components['schemas']['CredentialKeyDto'];
export type SessionKeyStatus = components['schemas']['SessionKeyStatusDto'];
export type CredentialStatus = components['schemas']['CredentialStatusDto'];
export type CredentialList = components['schemas']['CredentialListDto'];
export type KalshiCredentials = components['schemas']['KalshiCredentialsDto'];
export type PolymarketCredentials = components['schemas']['PolymarketCredentialsDto'];
export type StoredCredential = components['schemas']['StoredCredentialDto'];
export type VerifiedCredential = components['schemas']['VerifiedCredentialDto'];
export type RemovedCredential = components['schemas']['RemovedCredentialDto'];
export type NewSessionKey = components['schemas']['NewSessionKeyDto'];
export type SessionKey = components['schemas']['SessionKeyDto'];
export type SessionKeyAuthorization = components['schemas']['SessionKeyAuthorizationDto'];
export type CreatedSessionKey = components['schemas']['CreatedSessionKeyDto'];
export type SessionKeyActivation = components['schemas']['SessionKeyActivationDto'];
export type RemovedSessionKey = components['schemas']['RemovedSessionKeyDto'];
export type AccountOrder = components['schemas']['AccountOrderDto'];
export type AccountOrderList = components['schemas']['AccountOrderListDto'];
export type AmendOrder = components['schemas']['AmendOrderDto'];
export type TradedOutcome = components['schemas']['TradedOutcomeDto'];
export type Requested = components['schemas']['RequestedDto'];
export type Order = components['schemas']['ReadOrderDto'];
export type Outcome = components['schemas']['OutcomeDto'];
export type MarketResult = components['schemas']['MarketResultDto'];
export type PriceRange = components['schemas']['PriceRangeDto'];
export type MarketFees = components['schemas']['MarketFeesDto'];
export type MarketRefs = components['schemas']['MarketRefsDto'];
export type Market = components['schemas']['MarketDto'];
export type FoundMarketList = components['schemas']['FoundMarketListDto'];
export type ResolutionSource = components['schemas']['ResolutionSourceDto'];
export type EventRefs = components['schemas']['EventRefsDto'];
export type FoundEvent = components['schemas']['FoundEventDto'];
export type FoundEventList = components['schemas']['FoundEventListDto'];
export type MarketList = components['schemas']['MarketListDto'];
export type OutcomeRef = components['schemas']['OutcomeRefDto'];
export type Level = components['schemas']['LevelDto'];
export type OrderBook = components['schemas']['OrderBookAnswerDto'];
export type ErrorMember = components['schemas']['ErrorMemberDto'];
export type MissingBook = components['schemas']['MissingBookDto'];
export type OrderBooks = components['schemas']['OrderBooksDto'];
export type Event = components['schemas']['EventDto'];
export type EventList = components['schemas']['EventListDto'];
export type Trade = components['schemas']['TradeDto'];
export type TradeList = components['schemas']['TradeListDto'];
export type Ohlc = components['schemas']['OhlcDto'];
export type Candlestick = components['schemas']['CandlestickDto'];
export type CandlestickList = components['schemas']['CandlestickListDto'];
export type PlainOrder = components['schemas']['PlainOrder'];
export type SignedOrder = components['schemas']['SignedOrder'];
export type PreviewedOrder = components['schemas']['PreviewedOrderDto'];
export type PreviewedBook = components['schemas']['PreviewedBookDto'];
export type PreviewedFills = components['schemas']['PreviewedFillsDto'];
export type PreviewedLimit = components['schemas']['PreviewedLimitDto'];
export type PreviewedRefusal = components['schemas']['PreviewedRefusalDto'];
export type OrderPreview = components['schemas']['OrderPreviewDto'];
export type CreatedOrder = components['schemas']['CreatedOrderDto'];
export type OrderList = components['schemas']['OrderListDto'];
export type CancelledOrders = components['schemas']['CancelledOrdersDto'];
export type CancelNamed = components['schemas']['CancelNamedDto'];
export type KeyRefusal = components['schemas']['KeyRefusalDto'];
export type KeyFate = components['schemas']['KeyFateDto'];
export type AbandonedKey = components['schemas']['AbandonedKeyDto'];
export type CancelledOrder = components['schemas']['CancelledOrderDto'];
export type BalancePart = components['schemas']['BalancePartDto'];
export type Balance = components['schemas']['BalanceDto'];
export type Fill = components['schemas']['ReadFillDto'];
export type FillList = components['schemas']['FillListDto'];
export type Position = components['schemas']['PositionDto'];
export type PositionList = components['schemas']['PositionListDto'];
export type Settlement = components['schemas']['SettlementDto'];
export type SettlementList = components['schemas']['SettlementListDto'];
export type ExchangePortfolio = components['schemas']['ExchangePortfolioDto'];
export type PortfolioTotal = components['schemas']['PortfolioTotalDto'];
export type Portfolio = components['schemas']['PortfolioDto'];
export type EquityPoint = components['schemas']['EquityPointDto'];
export type Equity = components['schemas']['EquityDto'];
export type HourlyEquity = components['schemas']['HourlyEquityDto'];
export type TransferRequest = components['schemas']['TransferRequestDto'];
export type Transfer = components['schemas']['TransferDto'];
export type TransferList = components['schemas']['TransferListDto'];
export type Activity = components['schemas']['ActivityDto'];
export type ActivityList = components['schemas']['ActivityListDto'];
export type BookChanges = components['schemas']['BookChanges'];
export type MarketQuote = components['schemas']['MarketQuote'];
export type StreamedTrade = components['schemas']['StreamedTrade'];
export type StreamSnapshot = components['schemas']['StreamSnapshot'];
export type StreamUpdate = components['schemas']['StreamUpdate'];
export type StreamQuote = components['schemas']['StreamQuote'];
export type StreamTrade = components['schemas']['StreamTrade'];
export type StreamOpenOrders = components['schemas']['StreamOpenOrders'];
export type StreamOrder = components['schemas']['StreamOrder'];
export type StreamFill = components['schemas']['StreamFill'];
export type StreamStatus = components['schemas']['StreamStatus'];
export type StreamHeartbeat = components['schemas']['StreamHeartbeat'];
export type StreamError = components['schemas']['StreamError'];

export interface Answers {
  getLiveness: operations['getLiveness']['responses'][200]['content']['application/json'];
  getReadiness: operations['getReadiness']['responses'][200]['content']['application/json'];
  getProfile: operations['getProfile']['responses'][200]['content']['application/json'];
  changeProfile: operations['changeProfile']['responses'][200]['content']['application/json'];
  confirmSession: operations['confirmSession']['responses'][200]['content']['application/json'];
  changePassword: operations['changePassword']['responses'][200]['content']['application/json'];
  requestVerificationMail: operations['requestVerificationMail']['responses'][200]['content']['application/json'];
  deleteAccount: operations['deleteAccount']['responses'][200]['content']['application/json'];
  signUp: operations['signUp']['responses'][201]['content']['application/json'];
  verifyEmail: operations['verifyEmail']['responses'][200]['content']['application/json'];
  logIn: operations['logIn']['responses'][200]['content']['application/json'];
  listProviders: operations['listProviders']['responses'][200]['content']['application/json'];
  signInWithGoogle: operations['signInWithGoogle']['responses'][200]['content']['application/json'];
  signInWithGithub: operations['signInWithGithub']['responses'][200]['content']['application/json'];
  requestPasswordReset: operations['requestPasswordReset']['responses'][200]['content']['application/json'];
  resetPassword: operations['resetPassword']['responses'][200]['content']['application/json'];
  refreshSession: operations['refreshSession']['responses'][200]['content']['application/json'];
  logOut: operations['logOut']['responses'][200]['content']['application/json'];
  listSessions: operations['listSessions']['responses'][200]['content']['application/json'];
  revokeOtherSessions: operations['revokeOtherSessions']['responses'][200]['content']['application/json'];
  revokeSession: operations['revokeSession']['responses'][200]['content']['application/json'];
  listExchangeHosts: operations['listExchangeHosts']['responses'][200]['content']['application/json'];
  listApiKeys: operations['listApiKeys']['responses'][200]['content']['application/json'];
  createApiKey: operations['createApiKey']['responses'][201]['content']['application/json'];
  revokeApiKey: operations['revokeApiKey']['responses'][200]['content']['application/json'];
  createBot: operations['createBot']['responses'][201]['content']['application/json'];
  listBots: operations['listBots']['responses'][200]['content']['application/json'];
  haltBots: operations['haltBots']['responses'][200]['content']['application/json'];
  getBot: operations['getBot']['responses'][200]['content']['application/json'];
  changeBot: operations['changeBot']['responses'][200]['content']['application/json'];
  removeBot: operations['removeBot']['responses'][200]['content']['application/json'];
  rotateBotKey: operations['rotateBotKey']['responses'][200]['content']['application/json'];
  haltBot: operations['haltBot']['responses'][200]['content']['application/json'];
  resumeBot: operations['resumeBot']['responses'][200]['content']['application/json'];
  getOwnBot: operations['getOwnBot']['responses'][200]['content']['application/json'];
  haltOwnBot: operations['haltOwnBot']['responses'][200]['content']['application/json'];
  haltBotsByKey: operations['haltBotsByKey']['responses'][200]['content']['application/json'];
  beat: operations['beat']['responses'][200]['content']['application/json'];
  stopHeartbeat: operations['stopHeartbeat']['responses'][200]['content']['application/json'];
  getMe: operations['getMe']['responses'][200]['content']['application/json'];
  listCredentials: operations['listCredentials']['responses'][200]['content']['application/json'];
  replaceCredentials: operations['replaceCredentials']['responses'][200]['content']['application/json'];
  removeCredentials: operations['removeCredentials']['responses'][200]['content']['application/json'];
  verifyCredentials: operations['verifyCredentials']['responses'][200]['content']['application/json'];
  createSessionKey: operations['createSessionKey']['responses'][201]['content']['application/json'];
  removeSessionKeys: operations['removeSessionKeys']['responses'][200]['content']['application/json'];
  activateSessionKey: operations['activateSessionKey']['responses'][200]['content']['application/json'];
  listAccountOrders: operations['listAccountOrders']['responses'][200]['content']['application/json'];
  amendOrder: operations['amendOrder']['responses'][200]['content']['application/json'];
  getOrder: operations['getOrder']['responses'][200]['content']['application/json'];
  cancelOrder: operations['cancelOrder']['responses'][200]['content']['application/json'];
  stream: operations['stream']['responses'][200]['content']['text/event-stream'];
  streamOrderbooks: operations['streamOrderbooks']['responses'][200]['content']['text/event-stream'];
  streamMarkets: operations['streamMarkets']['responses'][200]['content']['text/event-stream'];
  streamTrades: operations['streamTrades']['responses'][200]['content']['text/event-stream'];
  streamOrders: operations['streamOrders']['responses'][200]['content']['text/event-stream'];
  streamFills: operations['streamFills']['responses'][200]['content']['text/event-stream'];
  findMarkets: operations['findMarkets']['responses'][200]['content']['application/json'];
  findEvents: operations['findEvents']['responses'][200]['content']['application/json'];
  listMarkets: operations['listMarkets']['responses'][200]['content']['application/json'];
  getMarket: operations['getMarket']['responses'][200]['content']['application/json'];
  getOrderbook: operations['getOrderbook']['responses'][200]['content']['application/json'];
  getOrderbooks: operations['getOrderbooks']['responses'][200]['content']['application/json'];
  listEvents: operations['listEvents']['responses'][200]['content']['application/json'];
  getEvent: operations['getEvent']['responses'][200]['content']['application/json'];
  listTrades: operations['listTrades']['responses'][200]['content']['application/json'];
  listCandlesticks: operations['listCandlesticks']['responses'][200]['content']['application/json'];
  previewOrder: operations['previewOrder']['responses'][200]['content']['application/json'];
  createOrder: operations['createOrder']['responses'][200]['content']['application/json'];
  listOrders: operations['listOrders']['responses'][200]['content']['application/json'];
  cancelOrders: operations['cancelOrders']['responses'][200]['content']['application/json'];
  createOrders: operations['createOrders']['responses'][200]['content']['application/json'];
  cancelNamedOrders: operations['cancelNamedOrders']['responses'][200]['content']['application/json'];
  getOrderByKey: operations['getOrderByKey']['responses'][200]['content']['application/json'];
  abandonOrderKey: operations['abandonOrderKey']['responses'][200]['content']['application/json'];
  getBalance: operations['getBalance']['responses'][200]['content']['application/json'];
  listFills: operations['listFills']['responses'][200]['content']['application/json'];
  listPositions: operations['listPositions']['responses'][200]['content']['application/json'];
  listSettlements: operations['listSettlements']['responses'][200]['content']['application/json'];
  getFillsCsv: operations['getFillsCsv']['responses'][200]['content']['text/csv'];
  getSettlementsCsv: operations['getSettlementsCsv']['responses'][200]['content']['text/csv'];
  getPortfolio: operations['getPortfolio']['responses'][200]['content']['application/json'];
  getEquity: operations['getEquity']['responses'][200]['content']['application/json'];
  setHourlyEquity: operations['setHourlyEquity']['responses'][200]['content']['application/json'];
  createTransfer: operations['createTransfer']['responses'][200]['content']['application/json'];
  listTransfers: operations['listTransfers']['responses'][200]['content']['application/json'];
  getTransfer: operations['getTransfer']['responses'][200]['content']['application/json'];
  listActivity: operations['listActivity']['responses'][200]['content']['application/json'];
}

export interface Bodies {
  changeProfile: NonNullable<operations['changeProfile']['requestBody']>['content']['application/json'];
  confirmSession: NonNullable<operations['confirmSession']['requestBody']>['content']['application/json'];
  changePassword: NonNullable<operations['changePassword']['requestBody']>['content']['application/json'];
  deleteAccount: NonNullable<operations['deleteAccount']['requestBody']>['content']['application/json'];
  signUp: NonNullable<operations['signUp']['requestBody']>['content']['application/json'];
  verifyEmail: NonNullable<operations['verifyEmail']['requestBody']>['content']['application/json'];
  logIn: NonNullable<operations['logIn']['requestBody']>['content']['application/json'];
  signInWithGoogle: NonNullable<operations['signInWithGoogle']['requestBody']>['content']['application/json'];
  signInWithGithub: NonNullable<operations['signInWithGithub']['requestBody']>['content']['application/json'];
  requestPasswordReset: NonNullable<operations['requestPasswordReset']['requestBody']>['content']['application/json'];
  resetPassword: NonNullable<operations['resetPassword']['requestBody']>['content']['application/json'];
  createApiKey: NonNullable<operations['createApiKey']['requestBody']>['content']['application/json'];
  createBot: NonNullable<operations['createBot']['requestBody']>['content']['application/json'];
  changeBot: NonNullable<operations['changeBot']['requestBody']>['content']['application/json'];
  rotateBotKey: NonNullable<operations['rotateBotKey']['requestBody']>['content']['application/json'];
  beat: NonNullable<operations['beat']['requestBody']>['content']['application/json'];
  replaceCredentials: NonNullable<operations['replaceCredentials']['requestBody']>['content']['application/json'];
  createSessionKey: NonNullable<operations['createSessionKey']['requestBody']>['content']['application/json'];
  activateSessionKey: NonNullable<operations['activateSessionKey']['requestBody']>['content']['application/json'];
  amendOrder: NonNullable<operations['amendOrder']['requestBody']>['content']['application/json'];
  previewOrder: NonNullable<operations['previewOrder']['requestBody']>['content']['application/json'];
  createOrder: NonNullable<operations['createOrder']['requestBody']>['content']['application/json'];
  createOrders: NonNullable<operations['createOrders']['requestBody']>['content']['application/json'];
  cancelNamedOrders: NonNullable<operations['cancelNamedOrders']['requestBody']>['content']['application/json'];
  setHourlyEquity: NonNullable<operations['setHourlyEquity']['requestBody']>['content']['application/json'];
  createTransfer: NonNullable<operations['createTransfer']['requestBody']>['content']['application/json'];
}

export interface Queries {
  replaceCredentials: NonNullable<operations['replaceCredentials']['parameters']['query']>;
  listAccountOrders: NonNullable<operations['listAccountOrders']['parameters']['query']>;
  stream: NonNullable<operations['stream']['parameters']['query']>;
  streamOrderbooks: NonNullable<operations['streamOrderbooks']['parameters']['query']>;
  streamMarkets: NonNullable<operations['streamMarkets']['parameters']['query']>;
  streamTrades: NonNullable<operations['streamTrades']['parameters']['query']>;
  streamOrders: NonNullable<operations['streamOrders']['parameters']['query']>;
  streamFills: NonNullable<operations['streamFills']['parameters']['query']>;
  findMarkets: NonNullable<operations['findMarkets']['parameters']['query']>;
  findEvents: NonNullable<operations['findEvents']['parameters']['query']>;
  listMarkets: NonNullable<operations['listMarkets']['parameters']['query']>;
  getOrderbook: NonNullable<operations['getOrderbook']['parameters']['query']>;
  getOrderbooks: NonNullable<operations['getOrderbooks']['parameters']['query']>;
  listEvents: NonNullable<operations['listEvents']['parameters']['query']>;
  listTrades: NonNullable<operations['listTrades']['parameters']['query']>;
  listCandlesticks: NonNullable<operations['listCandlesticks']['parameters']['query']>;
  listOrders: NonNullable<operations['listOrders']['parameters']['query']>;
  cancelOrders: NonNullable<operations['cancelOrders']['parameters']['query']>;
  listFills: NonNullable<operations['listFills']['parameters']['query']>;
  listPositions: NonNullable<operations['listPositions']['parameters']['query']>;
  listSettlements: NonNullable<operations['listSettlements']['parameters']['query']>;
  getFillsCsv: NonNullable<operations['getFillsCsv']['parameters']['query']>;
  getSettlementsCsv: NonNullable<operations['getSettlementsCsv']['parameters']['query']>;
  getEquity: NonNullable<operations['getEquity']['parameters']['query']>;
  listTransfers: NonNullable<operations['listTransfers']['parameters']['query']>;
  listActivity: NonNullable<operations['listActivity']['parameters']['query']>;
}

/** Method and path of each operation, and the member without which its answer is not the service's. */
export const OPERATIONS = {
  getLiveness: ['GET', '/health/live', 'status'],
  getReadiness: ['GET', '/health/ready', 'status'],
  getProfile: ['GET', '/account/profile', 'id'],
  changeProfile: ['PATCH', '/account/profile', 'id'],
  confirmSession: ['POST', '/account/confirm', 'message'],
  changePassword: ['POST', '/account/password', 'message'],
  requestVerificationMail: ['POST', '/account/verification', 'message'],
  deleteAccount: ['DELETE', '/account', 'message'],
  signUp: ['POST', '/auth/signup', ''],
  verifyEmail: ['POST', '/auth/verify-email', 'access_token'],
  logIn: ['POST', '/auth/login', 'access_token'],
  listProviders: ['GET', '/auth/providers', 'providers'],
  signInWithGoogle: ['POST', '/auth/google/callback', 'access_token'],
  signInWithGithub: ['POST', '/auth/github/callback', 'access_token'],
  requestPasswordReset: ['POST', '/auth/forgot-password', 'message'],
  resetPassword: ['POST', '/auth/reset-password', 'message'],
  refreshSession: ['POST', '/auth/refresh', 'access_token'],
  logOut: ['POST', '/auth/logout', 'message'],
  listSessions: ['GET', '/account/sessions', 'sessions'],
  revokeOtherSessions: ['DELETE', '/account/sessions', 'message'],
  revokeSession: ['DELETE', '/account/sessions/{id}', 'id'],
  listExchangeHosts: ['GET', '/account/exchange-hosts', 'exchanges'],
  listApiKeys: ['GET', '/account/api-keys', 'keys'],
  createApiKey: ['POST', '/account/api-keys', 'key'],
  revokeApiKey: ['DELETE', '/account/api-keys/{key_prefix}', 'message'],
  createBot: ['POST', '/account/bots', 'bot'],
  listBots: ['GET', '/account/bots', 'bots'],
  haltBots: ['POST', '/account/bots/halt', 'bots'],
  getBot: ['GET', '/account/bots/{bot_id}', 'id'],
  changeBot: ['PATCH', '/account/bots/{bot_id}', 'id'],
  removeBot: ['DELETE', '/account/bots/{bot_id}', 'bot_id'],
  rotateBotKey: ['POST', '/account/bots/{bot_id}/rotate', 'key'],
  haltBot: ['POST', '/account/bots/{bot_id}/halt', 'bot_id'],
  resumeBot: ['POST', '/account/bots/{bot_id}/resume', 'id'],
  getOwnBot: ['GET', '/bot', 'id'],
  haltOwnBot: ['POST', '/bot/halt', 'bot_id'],
  haltBotsByKey: ['POST', '/bots/halt', 'bots'],
  beat: ['PUT', '/bot/heartbeat', 'on_miss'],
  stopHeartbeat: ['DELETE', '/bot/heartbeat', ''],
  getMe: ['GET', '/me', 'user_id'],
  listCredentials: ['GET', '/account/credentials', 'exchanges'],
  replaceCredentials: ['PUT', '/account/credentials/{exchange}', 'warnings'],
  removeCredentials: ['DELETE', '/account/credentials/{exchange}', 'exchange'],
  verifyCredentials: ['POST', '/account/credentials/{exchange}/verify', 'warnings'],
  createSessionKey: ['POST', '/account/credentials/{exchange}/session-key', 'exchange'],
  removeSessionKeys: ['DELETE', '/account/credentials/{exchange}/session-key', 'exchange'],
  activateSessionKey: ['POST', '/account/credentials/{exchange}/session-key/activate', 'exchange'],
  listAccountOrders: ['GET', '/account/orders', 'data'],
  amendOrder: ['PATCH', '/{exchange}/orders/{order_id}', 'id'],
  getOrder: ['GET', '/{exchange}/orders/{order_id}', 'id'],
  cancelOrder: ['DELETE', '/{exchange}/orders/{order_id}', 'id'],
  stream: ['GET', '/stream', ''],
  streamOrderbooks: ['GET', '/{exchange}/orderbooks/stream', ''],
  streamMarkets: ['GET', '/{exchange}/markets/stream', ''],
  streamTrades: ['GET', '/{exchange}/trades/stream', ''],
  streamOrders: ['GET', '/{exchange}/orders/stream', ''],
  streamFills: ['GET', '/{exchange}/fills/stream', ''],
  findMarkets: ['GET', '/markets', 'data'],
  findEvents: ['GET', '/events', 'data'],
  listMarkets: ['GET', '/{exchange}/markets', 'data'],
  getMarket: ['GET', '/{exchange}/markets/{market_id}', 'id'],
  getOrderbook: ['GET', '/{exchange}/orderbooks', 'exchange'],
  getOrderbooks: ['GET', '/{exchange}/orderbooks/batch', 'data'],
  listEvents: ['GET', '/{exchange}/events', 'data'],
  getEvent: ['GET', '/{exchange}/events/{event_id}', 'id'],
  listTrades: ['GET', '/{exchange}/trades', 'data'],
  listCandlesticks: ['GET', '/{exchange}/candlesticks', 'data'],
  previewOrder: ['POST', '/{exchange}/orders/preview', 'limits'],
  createOrder: ['POST', '/{exchange}/orders', 'id'],
  listOrders: ['GET', '/{exchange}/orders', 'data'],
  cancelOrders: ['DELETE', '/{exchange}/orders', 'cancelled'],
  createOrders: ['POST', '/{exchange}/orders/batch', 'results'],
  cancelNamedOrders: ['POST', '/{exchange}/orders/batch-cancel', 'cancelled'],
  getOrderByKey: ['GET', '/{exchange}/orders/by-key/{idempotency_key}', 'state'],
  abandonOrderKey: ['DELETE', '/{exchange}/orders/by-key/{idempotency_key}', 'state'],
  getBalance: ['GET', '/{exchange}/balance', 'exchange'],
  listFills: ['GET', '/{exchange}/fills', 'data'],
  listPositions: ['GET', '/{exchange}/positions', 'data'],
  listSettlements: ['GET', '/{exchange}/settlements', 'data'],
  getFillsCsv: ['GET', '/{exchange}/fills.csv', ''],
  getSettlementsCsv: ['GET', '/{exchange}/settlements.csv', ''],
  getPortfolio: ['GET', '/portfolio', 'exchanges'],
  getEquity: ['GET', '/account/equity', 'data'],
  setHourlyEquity: ['PUT', '/account/equity', ''],
  createTransfer: ['POST', '/{exchange}/transfers', 'exchange'],
  listTransfers: ['GET', '/{exchange}/transfers', 'data'],
  getTransfer: ['GET', '/{exchange}/transfers/{transfer_id}', 'exchange'],
  listActivity: ['GET', '/account/activity', 'data'],
} as const;
