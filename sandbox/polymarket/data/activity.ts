import { unixSeconds } from '../../times.js';
import { product } from '../../units.js';
import { type Json } from '../../wire/json.js';
import { type Token } from '../catalogue.js';
import { type Exchange } from '../exchange.js';
import { toNumber } from '../format.js';
import { keccakText, toHex } from '../signing/hex.js';
import { sameAddress } from '../signing/address.js';
import { type Cursors } from './cursors.js';
import { invalid } from './errors.js';
import { nameOf, tokenLabels } from './labels.js';
import { type DataPage, dataPage, placeOf } from './pages.js';
import { publicTrades } from './public-trades.js';
import { type DataQuery } from './query.js';

const LIST = 'activity';
/** What the stand-in has of the exchange's types. */
const TYPES = ['TRADE', 'REDEEM'] as const;
type Type = (typeof TYPES)[number];

/** Something that a wallet did. A redemption names no token (polymarket.md 6.4). */
interface Deed {
  type: Type;
  at: Date;
  token: Token;
  size: bigint;
  money: bigint;
  trade: { side: string; price: number } | undefined;
  transactionHash: string;
}

/** GET /v2/activity of a wallet: newest first unless asked otherwise. */
export function listActivity(exchange: Exchange, cursors: Cursors, query: DataQuery): DataPage {
  const { user } = query;
  const types = typesOf(query);
  const isAscending = query.oneOf('sort_direction', ['ASC', 'DESC']) === 'ASC';
  const cursor = query.text('cursor');
  const place = cursor === undefined ? { limit: query.limit(), offset: 0 } : placeOf(cursors.open(LIST, cursor));
  const deeds = [...tradesOf(exchange, user), ...redemptionsOf(exchange, user)]
    .filter(({ type }) => types.includes(type))
    .sort((one, other) => (isAscending ? 1 : -1) * (one.at.getTime() - other.at.getTime()));
  const page = deeds.slice(place.offset, place.offset + place.limit);
  const offset = place.offset + page.length;
  const next = offset < deeds.length ? cursors.seal(LIST, { limit: place.limit, offset }) : undefined;
  return dataPage(
    page.map((deed) => deedView(deed, user)),
    place,
    next,
  );
}

function typesOf(query: DataQuery): readonly string[] {
  const types = query.text('type')?.split(',') ?? TYPES;
  if (!types.every((type) => /^[A-Z_]+$/.test(type))) throw invalid('invalid type', 'type');
  return types;
}

function tradesOf(exchange: Exchange, user: string): Deed[] {
  return publicTrades(exchange).flatMap(({ wallet, token, price, size, side, at, transactionHash }) =>
    token === undefined || !sameAddress(wallet, user)
      ? []
      : [
          {
            type: 'TRADE',
            at,
            token,
            size,
            money: product(price, size),
            trade: { side, price: toNumber(price) },
            transactionHash,
          },
        ],
  );
}

function redemptionsOf({ ledger, catalogue }: Exchange, user: string): Deed[] {
  return ledger.redemptions.flatMap(({ wallet, tokenId, size, money, at }, index) => {
    const token = catalogue.findToken(tokenId);
    if (token === undefined || !sameAddress(wallet, user)) return [];
    const transactionHash = toHex(keccakText(`redemption ${index}`));
    return [{ type: 'REDEEM', at, token, size, money, trade: undefined, transactionHash }];
  });
}

function deedView({ type, at, token, size, money, trade, transactionHash }: Deed, wallet: string): Json {
  const labels = tokenLabels(token);
  return {
    proxy_wallet: wallet.toLowerCase(),
    side: trade?.side ?? '',
    token_id: trade === undefined ? '' : token.market.tokenIds[token.outcome],
    condition_id: token.market.conditionId,
    size: toNumber(size),
    price: trade?.price ?? 0,
    timestamp: unixSeconds(at),
    ...labels,
    ...(trade === undefined ? { outcome: '', outcome_index: 999 } : {}),
    name: nameOf(wallet),
    pseudonym: 'Quiet-Otter',
    bio: '',
    profile_image: '',
    profile_image_optimized: '',
    transaction_hash: transactionHash,
    type,
    usdc_size: toNumber(money),
  };
}
