import type { ReactNode } from 'react';
import { complement } from '../../../src/exchanges/decimal.js';
import type { Market } from '../api/client.js';
import { installation } from '../installation.js';
import { Amount } from './amount.js';
import { ForeignText } from './foreign-text.js';
import { ui } from './ui.js';

/** Exchanges that state every order and fill as a purchase: a sale of one outcome as that of the other (unified-schema.md 7). */
const PURCHASES_ALONE: ReadonlySet<string> = new Set(
  installation.exchanges.filter((exchange) => exchange.purchases_alone).map(({ id }) => id),
);

/** An order or a fill, as its exchange states it. */
export interface Stated {
  readonly exchange: string;
  readonly side: 'buy' | 'sell';
  readonly price: string;
  readonly outcome: { readonly index: number | null };
  /** What was asked for, where it is known. */
  readonly requested?: { readonly side: string } | null;
}

interface OtherWayProps {
  readonly stated: Stated;
  readonly market: Market | undefined;
}

/** Says which sale a purchase is as well; nothing where it is known that a purchase was asked for. */
export function OtherWay({ stated, market }: OtherWayProps): ReactNode {
  const { exchange, side, price, outcome, requested } = stated;
  const other = market?.outcomes.find(({ index }) => index !== outcome.index);
  if (!PURCHASES_ALONE.has(exchange) || side !== 'buy' || requested?.side === 'buy') return null;
  if (other === undefined || outcome.index === null) return null;
  return (
    <div className={ui.hint}>
      = sell <ForeignText text={other.label} form="quoted" />
      <span className={ui.wideOnly}>
        {' '}
        at <Amount value={complement(price)} />
      </span>
    </div>
  );
}
