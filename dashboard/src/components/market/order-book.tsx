import type { CSSProperties, ReactNode } from 'react';
import { add, compare } from '../../../../src/exchanges/decimal.js';
import type { Market, Schemas } from '../../api/client.js';
import { type MarketPlace, useOrderBook } from '../../api/markets.js';
import type { Line } from '../../streams/subscriptions.js';
import { Amount, placesOf } from '../amount.js';
import { Age, Freshness, NotLive } from '../live.js';
import { Time } from '../time.js';
import { Card, Loaded, ui } from '../ui.js';
import css from './market.module.css';
import { OutcomeSwitch, outcomeName } from './outcome.js';

type Book = Schemas['OrderBookAnswerDto'];

/** A level, and what stands at its price or a better one. */
interface Level {
  readonly price: string;
  readonly size: string;
  readonly sum: string;
}

/** Best first. */
function summed(levels: Book['bids']): Level[] {
  let sum = '0';
  return levels.map(({ price, size }) => ({ price, size, sum: (sum = add(sum, size)) }));
}

/** How both sides are drawn: point under point, and by the same measure. */
interface Scale {
  readonly price: number;
  readonly size: number;
  /** The greatest sum of the book. */
  readonly whole: string;
}

function scaleOf(sides: readonly Level[], tick: string | null): Scale {
  return {
    price: placesOf(tick === null ? sides.map(({ price }) => price) : [tick]),
    size: placesOf(sides.flatMap(({ size, sum }) => [size, sum])),
    whole: sides.reduce((most, { sum }) => (compare(sum, most) > 0 ? sum : most), '0'),
  };
}

interface SideProps {
  readonly name: 'Bids' | 'Asks';
  readonly levels: readonly Level[];
  readonly scale: Scale;
}

/** The bar behind a row is for the eye alone: what it shows is the figure at the end. */
function barOf(sum: string, whole: string): CSSProperties {
  return { '--depth': `${(Number(sum) / Number(whole)) * 100}%` } as CSSProperties;
}

function Side({ name, levels, scale }: SideProps): ReactNode {
  return (
    <div>
      <table className={`${ui.table ?? ''} ${css.depth ?? ''}`} data-side={name}>
        <caption>{name}</caption>
        <thead>
          <tr>
            {['Price', 'Size', 'Sum'].map((head) => (
              <th key={head} scope="col" className={ui.number}>
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {levels.map(({ price, size, sum }) => (
            <tr key={price} style={barOf(sum, scale.whole)}>
              <td className={ui.number}>
                <Amount value={price} places={scale.price} />
              </td>
              <td className={ui.number}>
                <Amount value={size} places={scale.size} />
              </td>
              <td className={ui.number}>
                <Amount value={sum} places={scale.size} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {levels.length === 0 ? <p className={ui.hint}>Nobody offers here.</p> : null}
    </div>
  );
}

function Sides({ book }: { readonly book: Book }): ReactNode {
  const [bids, asks] = [summed(book.bids), summed(book.asks)];
  const scale = scaleOf([...bids, ...asks], book.tick_size);
  return (
    <div className={css.sides}>
      <Side name="Bids" levels={bids} scale={scale} />
      <Side name="Asks" levels={asks} scale={scale} />
    </div>
  );
}

interface OrderBookProps {
  readonly place: MarketPlace;
  readonly market: Market;
  readonly outcome: Market['outcomes'][number];
  readonly onChoose: (index: number) => void;
}

/** The best ten levels of each side of one outcome, and how much stands there. */
export function OrderBook({ place, market, outcome, onChoose }: OrderBookProps): ReactNode {
  const book = useOrderBook(place, outcome.index);
  const line: Line = { exchange: place.exchange, channel: 'orderbooks', marketId: place.id };
  // The stream has no other.
  const isFirst = outcome.index === 0;
  return (
    <Card
      title={`Order book of ${outcomeName(outcome, market)}`}
      aside={<OutcomeSwitch label="Whose book" market={market} outcome={outcome} onChoose={onChoose} />}
    >
      <NotLive lines={[line]} />
      <Loaded query={book} height={460}>
        {(data) => (
          <>
            <Sides book={data} />
            <p className={ui.hint}>
              The best ten of each side, best first; bars and sums are what stands at a price or a better one.{' '}
              {data.timestamp_source === 'exchange' ? 'The exchange says: as of' : 'Received'}{' '}
              <Time iso={data.timestamp} />
              {isFirst ? (
                <Freshness line={line} readAt={book.dataUpdatedAt} />
              ) : (
                <>, {<Age at={book.dataUpdatedAt} />}: read again as the market moves</>
              )}
              .
            </p>
          </>
        )}
      </Loaded>
    </Card>
  );
}
