import { isoSeconds, unixSeconds } from '../../times.js';
import { ONE } from '../../units.js';
import { type Json } from '../../wire/json.js';
import { type Exchange } from '../exchange.js';
import { type Market } from '../market.js';
import { keccakText, toHex } from '../signing/hex.js';
import { invalid } from './errors.js';
import { type DataQuery } from './query.js';

const WIDE = 66;
const QUESTION_ID = /^0x[0-9a-f]{64}$/;
const SELECTORS = ['condition', 'event_id', 'question_id'] as const;
/** A price of a question that was not proposed. */
const UNSET = '69';

/** GET /v2/resolutions by exactly one of conditions, events or a question (polymarket.md 10.4). */
export function getResolutions({ catalogue }: Exchange, query: DataQuery): Json {
  const given = SELECTORS.filter((name) => (query.text(name) ?? '') !== '');
  if (given.length !== 1) throw invalid('exactly one of question_id, condition and event_id is required');
  const markets = catalogue.markets.filter((market) => market.assigned);
  if (given[0] === 'question_id') return { data: questions(markets, query.text('question_id')?.toLowerCase() ?? '') };
  const { conditions, events } = query;
  const narrow = [...(conditions ?? [])].find((id) => id.length !== WIDE);
  if (narrow !== undefined) throw invalid(`invalid resolution condition id: ${narrow}`);
  const wanted = markets.filter(({ conditionId, event }) => conditions?.has(conditionId) ?? events?.has(event.id));
  return { data: wanted.map(conditionRow) };
}

/** V2 markets come without a transaction, V1 markets without type and reporter. */
function conditionRow(market: Market): Json {
  const isV1 = market.version === 'v1';
  const at = isoSeconds(market.closed ? market.endsAt : market.listedAt);
  return {
    condition_id: market.conditionId,
    status: statusOf(market),
    extended_review: false,
    was_disputed: false,
    new_version_q: false,
    ...transactionOf(market),
    last_update_timestamp: at,
    ...(isV1 ? {} : { market_type: market.negRisk ? 'ATOMIC_NEGRISK' : 'BINARY', was_arbitrated: false }),
    ...(market.payout === undefined
      ? {}
      : { ...payoutFields(market.payout, at), ...(isV1 ? {} : { reporter: 'UMA_OO' }) }),
  };
}

function payoutFields(payout: bigint, at: string): Json {
  return {
    payouts: [Number(payout), Number(ONE - payout)],
    resolution_source: 'reported',
    resolved_block: 95_020_670,
    resolved_at: at,
  };
}

function transactionOf(market: Market): Json {
  if (market.version !== 'v1' || !market.closed) return { transaction_hash: '', log_index: '' };
  return { transaction_hash: toHex(keccakText(`resolution ${market.seed.slug}`)), log_index: '993' };
}

/** `active` is the ordinary state of an open V2 market. */
function statusOf(market: Market): string {
  if (market.closed) return 'resolved';
  if (market.version !== 'v1') return 'active';
  return market.seed.state === 'proposed' ? 'proposed' : 'posed';
}

function questions(markets: readonly Market[], id: string): Json[] {
  if (!QUESTION_ID.test(id)) throw invalid(`invalid question id: ${id}`, 'question_id');
  return markets.filter((market) => market.version === 'v1' && market.questionId === id).map(questionRow);
}

function questionRow(market: Market): Json {
  const price = market.payout === undefined ? UNSET : String(Number(market.payout) / Number(ONE));
  return {
    question_id: market.questionId,
    status: statusOf(market),
    extended_review: false,
    was_disputed: false,
    new_version_q: false,
    ...transactionOf(market),
    last_update_timestamp: String(unixSeconds(market.closed ? market.endsAt : market.listedAt)),
    proposed_price: price,
    reproposed_price: UNSET,
    price,
  };
}
