import type { ReactNode } from 'react';
import type { Market } from '../../api/client.js';
import { type MarketPlace, useMarket, useOrderBook } from '../../api/markets.js';
import { Amount, placesOf } from '../amount.js';
import { ForeignText } from '../foreign-text.js';
import { Freshness, NotLive } from '../live.js';
import { Card, ui } from '../ui.js';
import css from './market.module.css';
import { OutcomeSwitch, outcomeName } from './outcome.js';

const QUOTED = [
  ['bid', 'Bid'],
  ['ask', 'Ask'],
  ['last_price', 'Last'],
] as const;

/** The places of the market's tick; where its book names none, those of bids and asks, which are on it. */
function usePlaces(place: MarketPlace, { outcomes }: Market, index: number): number | undefined {
  const tick = useOrderBook(place, index).data?.tick_size ?? null;
  const quoted = outcomes.flatMap(({ bid, ask }) => [bid, ask]).filter((price) => price !== null);
  const known = tick === null ? quoted : [tick];
  return known.length === 0 ? undefined : placesOf(known);
}

interface QuotesProps {
  readonly place: MarketPlace;
  readonly market: Market;
  readonly outcome: Market['outcomes'][number];
  readonly onChoose: (index: number) => void;
}

/** What each outcome is bought and sold for, side by side. */
export function Quotes({ place, market, outcome, onChoose }: QuotesProps): ReactNode {
  const places = usePlaces(place, market, outcome.index);
  const { dataUpdatedAt: readAt } = useMarket(place);
  const line = { exchange: place.exchange, channel: 'markets', marketId: place.id } as const;
  return (
    <Card
      title="Outcomes"
      aside={<OutcomeSwitch label="Outcome" market={market} outcome={outcome} onChoose={onChoose} />}
    >
      <table className={`${ui.table ?? ''} ${css.quotes ?? ''}`}>
        <caption className={ui.srOnly}>Quotes of each outcome</caption>
        <thead>
          <tr>
            <th scope="col">Outcome</th>
            {QUOTED.map(([name, head]) => (
              <th key={name} scope="col" className={ui.number}>
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {market.outcomes.map((one) => (
            <tr key={one.index} data-chosen={one.index === outcome.index}>
              <th scope="row">
                <ForeignText text={outcomeName(one, market)} />
              </th>
              {QUOTED.map(([name]) => (
                <td key={name} className={`${ui.number ?? ''} ${css.price ?? ''}`}>
                  <Amount value={one[name]} places={places} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <NotLive lines={[line]} />
      <p className={ui.hint}>
        One contract pays 1 {market.currency} if its outcome wins. Prices are in {market.currency}
        <Freshness line={line} readAt={readAt} />. Book, candles and order below are of{' '}
        <ForeignText form="quoted" text={outcomeName(outcome, market)} />.
      </p>
    </Card>
  );
}
