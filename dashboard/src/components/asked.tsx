import type { ReactNode } from 'react';
import type { Asked } from '../api/asked-orders.js';
import { marketKey, type MarketPlace, type Markets } from '../api/markets.js';
import { installation } from '../installation.js';
import { Amount } from './amount.js';
import { ForeignText } from './foreign-text.js';
import { plainTitle } from './names.js';

/** The markets that these are of. */
export function marketsOf(asked: readonly Asked[]): MarketPlace[] {
  return asked.flatMap(({ exchange: at, market_id: id }) => {
    const exchange = installation.exchanges.find((one) => one.id === at);
    return exchange === undefined || id === null ? [] : [{ exchange: exchange.id, id }];
  });
}

/** What an order of the ledger is of, as far as anybody said. */
export function askedTitle({ exchange, market_id: id }: Asked, markets: Markets): string {
  if (id === null) return '';
  return plainTitle(markets.get(marketKey(exchange, id))?.title ?? id);
}

interface AskedTermsProps {
  readonly asked: Asked;
  readonly markets: Markets;
}

function outcomeOf({ exchange, market_id: id, outcome_index: index }: Asked, markets: Markets): string {
  const market = id === null ? undefined : markets.get(marketKey(exchange, id));
  return market?.outcomes.find((one) => one.index === index)?.label ?? `outcome ${index ?? 'not stated'}`;
}

/** What was asked for, in the middle of a sentence. */
export function AskedTerms({ asked, markets }: AskedTermsProps): ReactNode {
  const { kind, side, size, price, cost, currency } = asked;
  if (kind === 'transfer') {
    return (
      <>
        to move <Amount value={cost} unit={currency ?? undefined} />
      </>
    );
  }
  return (
    <>
      {side ?? 'to trade'} {size === null ? '' : <Amount value={size} />}{' '}
      <ForeignText form="quoted" text={outcomeOf(asked, markets)} />
      {price === null ? '' : <> at {<Amount value={price} />}</>}
    </>
  );
}
