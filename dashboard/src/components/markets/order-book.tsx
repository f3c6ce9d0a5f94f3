import type { ReactNode } from 'react';
import { type MarketPlace, useOrderBook } from '../../api/markets.js';
import type { Schemas } from '../../api/client.js';
import type { Line } from '../../streams/subscriptions.js';
import { Amount, placesOf } from '../amount.js';
import { Age, Freshness, NotLive } from '../live.js';
import { Time } from '../time.js';
import { Card, Loaded, ui } from '../ui.js';
import css from './markets.module.css';

type Book = Schemas['OrderBookAnswerDto'];

/** So many that each price, and each size, of both sides stands point under point. */
interface Places {
  readonly price: number;
  readonly size: number;
}

function placesIn({ bids, asks, tick_size: tick }: Book): Places {
  const levels = [...bids, ...asks];
  return {
    price: placesOf(tick === null ? levels.map(({ price }) => price) : [tick]),
    size: placesOf(levels.map(({ size }) => size)),
  };
}

interface SideProps {
  readonly name: string;
  readonly levels: Book['bids'];
  readonly places: Places;
}

function Side({ name, levels, places }: SideProps): ReactNode {
  return (
    <div>
      <table className={ui.table}>
        <caption>{name}</caption>
        <thead>
          <tr>
            <th scope="col" className={ui.number}>
              Price
            </th>
            <th scope="col" className={ui.number}>
              Size
            </th>
          </tr>
        </thead>
        <tbody>
          {levels.map(({ price, size }) => (
            <tr key={price}>
              <td className={ui.number}>
                <Amount value={price} places={places.price} />
              </td>
              <td className={ui.number}>
                <Amount value={size} places={places.size} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {levels.length === 0 ? <p className={ui.hint}>Nobody offers here.</p> : null}
    </div>
  );
}

interface OrderBookProps {
  readonly place: MarketPlace;
  readonly outcome: { readonly index: number; readonly label: string };
}

/** The best ten levels of each side of one outcome. */
export function OrderBook({ place, outcome }: OrderBookProps): ReactNode {
  const book = useOrderBook(place, outcome.index);
  const line: Line = { exchange: place.exchange, channel: 'orderbooks', marketId: place.id };
  // The stream has no other.
  const isFirst = outcome.index === 0;
  return (
    <Card title={`Order book of ${outcome.label}`}>
      <NotLive lines={[line]} />
      <Loaded query={book} height={420}>
        {(data) => (
          <>
            <div className={css.sides}>
              <Side name="Bids" levels={data.bids} places={placesIn(data)} />
              <Side name="Asks" levels={data.asks} places={placesIn(data)} />
            </div>
            <p className={ui.hint}>
              The best ten of each side, best first.{' '}
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
