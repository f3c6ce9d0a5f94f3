import { type Route, type Routes } from '../../wire/router.js';
import { signed } from '../auth.js';
import { type Exchange } from '../exchange.js';
import { READ_ACCOUNT } from '../keys/scopes.js';
import { COSTS, DEFAULT_COST } from './costs.js';

/** What calls cost and how much a member may spend (kalshi.md 10). */
export function limitRoutes(exchange: Exchange): Record<string, Route> {
  const costs: Routes = {
    'GET /account/endpoint_costs': () => ({ default_cost: DEFAULT_COST, endpoint_costs: COSTS }),
  };
  return { ...costs, ...signed(exchange.keys, READ_ACCOUNT, { 'GET /account/limits': () => limitsOf(exchange) }) };
}

function limitsOf({ limits: { tier, budgets } }: Exchange): unknown {
  const view = ({ refill, capacity }: typeof budgets.read) => ({ refill_rate: refill, bucket_capacity: capacity });
  return { usage_tier: tier, read: view(budgets.read), write: view(budgets.write), grants: [] };
}
