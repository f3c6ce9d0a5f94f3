import { ALIENS, type Call } from './calls.js';
import { calls, type Run } from './polymarket-calls.js';

const gamma = calls('polymarket-gamma');

function listed(path: string): Run {
  return (stand) => stand.gamma(path);
}

/** Every call of Gamma. */
export const POLYMARKET_GAMMA_CALLS: readonly Call[] = [
  gamma('GET /status', 200, listed('/status')),
  gamma('GET /markets/keyset', 200, listed('/markets/keyset?limit=100'), { holds: 'markets' }),
  gamma('GET /markets/keyset', 200, listed('/markets/keyset?limit=1&include_tag=true'), {
    note: 'with tags',
    holds: 'markets',
  }),
  gamma('GET /markets/keyset', 200, listed('/markets/keyset?closed=true'), { note: 'closed', holds: 'markets' }),
  gamma('GET /markets/keyset', 422, listed('/markets/keyset?offset=5')),
  gamma('GET /markets/{id}', 200, listed(`/markets/${ALIENS.id}`)),
  gamma('GET /markets/{id}', 200, listed('/markets/2901455'), { note: 'of V2' }),
  gamma('GET /markets/{id}', 200, listed('/markets/2901390'), { note: 'of V2, resolved' }),
  gamma('GET /markets/{id}', 200, listed('/markets/2901477'), { note: 'of V2, without ids' }),
  gamma('GET /markets/{id}', 200, listed('/markets/2899001'), { note: 'of V1, with positionIds' }),
  gamma('GET /markets/{id}', 404, listed('/markets/1')),
  gamma('GET /markets/{id}', 422, listed('/markets/aliens')),
  gamma('GET /markets/slug/{slug}', 200, listed(`/markets/slug/${ALIENS.slug}?include_tag=true`)),
  gamma('GET /markets/slug/{slug}', 404, listed('/markets/slug/none')),
  gamma('GET /events/keyset', 200, listed('/events/keyset'), { holds: 'events' }),
  gamma('GET /events/keyset', 200, listed('/events/keyset?limit=1'), {
    note: 'first of several pages',
    holds: 'events',
  }),
  gamma('GET /events/keyset', 422, listed('/events/keyset?order=end_date')),
  gamma('GET /events/{id}', 200, listed('/events/30829'), { holds: 'markets' }),
  gamma('GET /events/{id}', 404, listed('/events/1')),
  gamma('GET /events/slug/{slug}', 200, listed('/events/slug/bitcoin-up-or-down-hourly'), { holds: 'markets' }),
  gamma('GET /events/slug/{slug}', 404, listed('/events/slug/none')),
  gamma('GET /public-search', 200, listed('/public-search?q=bitcoin'), { holds: 'events' }),
  gamma('GET /public-search', 200, listed('/public-search?q=zeppelin'), { note: 'nothing found' }),
  gamma('GET /public-search', 422, listed('/public-search')),
  gamma('GET /tags/{id}', 200, listed('/tags/21')),
  gamma('GET /tags/{id}', 404, listed('/tags/1000000')),
  gamma('GET /tags/slug/{slug}', 200, listed('/tags/slug/crypto')),
  gamma('GET /tags/slug/{slug}', 404, listed('/tags/slug/none')),
];
