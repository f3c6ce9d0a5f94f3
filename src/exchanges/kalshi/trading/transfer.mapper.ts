import { badField } from '../../../platform/errors/app-error.js';
import { compare, type Decimal, isDecimal, multiply, parseDecimal, placesOf } from '../../decimal.js';
import type { TransferTerms } from '../../transfers.contract.js';
import { isoTime } from '../../time.js';
import type { TransferDto } from '../../unified.trading.dto.js';
import { CURRENCY, KALSHI } from '../kalshi.ids.js';
import type { WireTransfer } from './transfer.wire.js';

/** What the exchange calls the money of predictions, which is all that is served here. */
const PREDICTIONS = 'event_contract';

/** Requests are in centicents, 10,000 to the dollar (kalshi.md 9.4). */
const CENTICENTS = '10000';
const PLACES = 4;

/** Canonical, 0 to 100. */
const SHARD = /^(?:0|[1-9]\d?|100)$/;

/** Checks what is to be moved; throws `bad_request` on the field that is wrong. */
export function checkTransferTerms({ from_shard: from, to_shard: to, amount }: TransferTerms): void {
  if (!SHARD.test(from)) throw badField('from_shard', 'must be the number of a shard, "0" to "100"');
  if (!SHARD.test(to)) throw badField('to_shard', 'must be the number of a shard, "0" to "100"');
  if (from === to) throw badField('to_shard', 'must be another shard than from_shard');
  if (centicentsOf(amount) === null) {
    throw badField('amount', 'must be a decimal string of dollars above 0 with at most 4 decimals');
  }
}

/** Whole centicents; null for what is no such amount, or none that a number holds exactly. */
function centicentsOf(amount: string): number | null {
  const dollars: Decimal | null = isDecimal(amount) ? parseDecimal(amount) : null;
  if (dollars === null || compare(dollars, '0') <= 0 || placesOf(dollars) > PLACES) return null;
  const centicents = Number(multiply(dollars, CENTICENTS));
  return Number.isSafeInteger(centicents) ? centicents : null;
}

/** The body of `POST /portfolio/intra_exchange_instance_transfer`, of the primary account. Throws as `checkTransferTerms`. */
export function toTransferBody(
  terms: TransferTerms,
  clientTransferId: string,
): Readonly<Record<string, string | number>> {
  checkTransferTerms(terms);
  return {
    source: PREDICTIONS,
    destination: PREDICTIONS,
    amount: centicentsOf(terms.amount) ?? 0,
    source_exchange_shard: Number(terms.from_shard),
    destination_exchange_shard: Number(terms.to_shard),
    source_subaccount: 0,
    destination_subaccount: 0,
    client_transfer_id: clientTransferId,
  };
}

/** Whether a transfer is between the shards of the predictions: there are others, with margin. */
export function isBetweenShards({ source, destination }: WireTransfer): boolean {
  return (source ?? PREDICTIONS) === PREDICTIONS && (destination ?? PREDICTIONS) === PREDICTIONS;
}

/** A transfer as the history has it. */
export function toTransfer(transfer: WireTransfer): TransferDto {
  return {
    exchange: KALSHI,
    id: transfer.transfer_id,
    from_shard: String(transfer.source_exchange_shard),
    to_shard: String(transfer.destination_exchange_shard),
    amount: transfer.amount,
    currency: CURRENCY,
    status: transfer.status === 'complete' ? 'complete' : 'pending',
    created_at: typeof transfer.created_ts === 'number' ? isoTime(transfer.created_ts) : null,
  };
}

/** A transfer that was accepted and not read since. */
export function toPendingTransfer(id: string, { from_shard, to_shard, amount }: TransferTerms): TransferDto {
  const dollars = parseDecimal(amount) ?? amount;
  return {
    exchange: KALSHI,
    id,
    from_shard,
    to_shard,
    amount: dollars,
    currency: CURRENCY,
    status: 'pending',
    created_at: null,
  };
}
