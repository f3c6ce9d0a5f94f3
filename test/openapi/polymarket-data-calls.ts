import { ALIENS, type Call } from './calls.js';
import { calls, type Run, V2_NARROW, V2_TOKEN, V2_WIDE } from './polymarket-calls.js';

const NOBODY = `0x${'0'.repeat(40)}`;
const [TOKEN] = ALIENS.tokens;
const data = calls('polymarket-data-v2');

function ofHolder(path: string): Run {
  return (stand) => stand.data(path.replace('HOLDER', stand.holder.account.wallet_address));
}

/** Every call of the Data API v2. */
export const POLYMARKET_DATA_CALLS: readonly Call[] = [
  data('GET /v2/positions', 200, ofHolder('/v2/positions?user=HOLDER&filter_amount=0.000001'), { holds: 'data' }),
  data('GET /v2/positions', 200, ofHolder('/v2/positions?user=HOLDER&status=CLOSED'), {
    note: 'closed',
    holds: 'data',
  }),
  data('GET /v2/positions', 200, ofHolder('/v2/positions?user=HOLDER&status=REDEEMABLE_LOST'), {
    note: 'lost',
    holds: 'data',
  }),
  data('GET /v2/positions', 200, ofHolder(`/v2/positions?condition=${V2_WIDE}&limit=1`), {
    note: 'of a V2 market',
    holds: 'data',
  }),
  data('GET /v2/positions', 200, ofHolder(`/v2/positions?user=${NOBODY}`), { note: 'of nobody' }),
  data('GET /v2/positions', 400, ofHolder('/v2/positions')),
  data('GET /v2/positions', 400, ofHolder('/v2/positions?user=HOLDER&limit=1001'), { note: 'too many' }),
  data('GET /v2/activity', 200, ofHolder('/v2/activity?user=HOLDER&sort_direction=DESC'), { holds: 'data' }),
  data('GET /v2/activity', 200, ofHolder('/v2/activity?user=HOLDER&type=REDEEM'), { note: 'what was paid out' }),
  data('GET /v2/activity', 400, ofHolder('/v2/activity')),
  data('GET /v2/activity', 400, ofHolder('/v2/activity?user=HOLDER&type=redeem'), { note: 'an unknown type' }),
  data('GET /v2/value', 200, ofHolder('/v2/value?user=HOLDER')),
  data('GET /v2/value', 200, ofHolder(`/v2/value?user=${NOBODY}`), { note: 'of nobody' }),
  data('GET /v2/value', 400, ofHolder('/v2/value')),
  data('GET /v2/trades', 200, ofHolder(`/v2/trades?condition=${ALIENS.conditionId}&taker_only=false`), {
    holds: 'data',
  }),
  data('GET /v2/trades', 200, ofHolder(`/v2/trades?condition=${V2_WIDE}&limit=3`), { note: 'of V2', holds: 'data' }),
  data('GET /v2/trades', 200, ofHolder(`/v2/trades?condition=${V2_NARROW}`), { note: 'of a narrow id' }),
  data('GET /v2/trades', 200, ofHolder('/v2/trades?user=HOLDER&taker_only=false'), {
    note: 'of one wallet',
    holds: 'data',
  }),
  data('GET /v2/trades', 400, ofHolder('/v2/trades?offset=100')),
  data('GET /v2/prices-history', 200, ofHolder(`/v2/prices-history?token_id=${V2_TOKEN}&interval=1d`), {
    holds: 'data',
  }),
  data('GET /v2/prices-history', 200, ofHolder(`/v2/prices-history?token_id=${TOKEN}&interval=max`), {
    note: 'of V1',
    holds: 'data',
  }),
  data('GET /v2/prices-history', 400, ofHolder(`/v2/prices-history?token_id=${TOKEN}&start=0`)),
  data('GET /v2/approvals', 200, ofHolder('/v2/approvals?user=HOLDER')),
  data('GET /v2/approvals', 400, ofHolder('/v2/approvals?user=me')),
  data('GET /v2/resolutions', 200, ofHolder(`/v2/resolutions?condition=${V2_WIDE},${ALIENS.conditionId}`), {
    holds: 'data',
  }),
  data('GET /v2/resolutions', 200, ofHolder('/v2/resolutions?event_id=410251,51200'), {
    note: 'of resolved markets',
    holds: 'data',
  }),
  data(
    'GET /v2/resolutions',
    200,
    async (stand) => {
      const { body } = await stand.gamma(`/markets/${ALIENS.id}`);
      const id: unknown = typeof body === 'object' && body !== null ? Reflect.get(body, 'questionID') : undefined;
      return stand.data(`/v2/resolutions?question_id=${String(id)}`);
    },
    { note: 'of a question', holds: 'data' },
  ),
  data('GET /v2/resolutions', 400, ofHolder(`/v2/resolutions?condition=${V2_NARROW}`)),
];
