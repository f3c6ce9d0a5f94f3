/** Why an order is not cancelled (unified-schema.md 7): by what a report says, or by how it was over before. */
export const REASON: Readonly<Record<string, string>> = {
  filled: 'it had filled before the cancel came',
  expired: 'it had expired before the cancel came',
  rejected: 'the exchange had rejected it before the cancel came',
  not_found: 'the exchange has no such open order any more: it has filled, expired or been cancelled before',
  not_cancellable: 'the exchange refused to cancel it',
  unknown_owner:
    'it is not known since a restore who has sent it, so it is left alone: cancel it yourself if it is not wanted',
  exchange_rate_limited: 'the exchange asked for fewer calls and did nothing: cancel it again in a moment',
};
