import { isoSeconds } from '../../times.js';
import { type Json } from '../../wire/json.js';
import { type Exchange } from '../exchange.js';
import { EXCHANGE_CONTRACT, NEG_RISK_CONTRACT, V2_CONTRACT } from '../signing/typed-data.js';
import { type DataQuery } from './query.js';

const PUSD = '0xC011a7E12a19f7B1f670d46F03B03f3342E82DFB';
const V1_SHARES = '0x4D97DCd97eC945f40cF65F87097ACe5EA0476045';
const V2_SHARES = '0x006F54F7f9A22e0000CC2AB60031000000ae9fEF';

/** Who needs which leave, by what it is called. */
const SPENDERS = [
  { id: 'exchange', feature: 'trading', spender: EXCHANGE_CONTRACT, shares: V1_SHARES },
  { id: 'neg-risk-exchange', feature: 'trading', spender: NEG_RISK_CONTRACT, shares: V1_SHARES },
  { id: 'exchange-v3', feature: 'trading-v2', spender: V2_CONTRACT, shares: V2_SHARES },
] as const;

/** GET /v2/approvals: whom a wallet lets move its money and its shares (polymarket.md 6.4, 9.4). */
export function getApprovals({ standings, clock }: Exchange, query: DataQuery): Json {
  const { user } = query;
  const contracts = SPENDERS.flatMap(({ id, feature, spender, shares }) => {
    const approved = spender !== V2_CONTRACT || standings.of(user).exchangeV3;
    const money = { token: PUSD, spender, standard: 'ERC20', approved, amount: approved ? 'max' : '0' };
    return [
      { id: `${id}-collateral`, feature, ...money },
      { id: `${id}-positions`, feature, token: shares, spender, standard: 'ERC1155', approved },
    ];
  });
  return { data: { address: user.toLowerCase(), chain_id: 137, checked_at: isoSeconds(clock()), contracts } };
}
