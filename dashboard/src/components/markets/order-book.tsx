import type { ReactNode } from 'react';
import { type MarketPlace, useOrderBook } from '../../api/markets.js';
import type { Schemas } from '../../api/client.js';
import type { KnownKey } from '../../session/keyring.js';
import { Card, Loaded, Time, ui } from '../ui.js';
import css from './markets.module.css';

interface SideProps {
  readonly name: string;
  readonly levels: Schemas['OrderBookAnswerDto']['bids'];
}

function Side({ name, levels }: SideProps): ReactNode {
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
              <td className={ui.number}>{price}</td>
              <td className={ui.number}>{size}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {levels.length === 0 ? <p className={ui.hint}>Nobody offers here.</p> : null}
    </div>
  );
}

interface OrderBookProps {
  readonly known: KnownKey;
  readonly place: MarketPlace;
  readonly outcome: { readonly index: number; readonly label: string };
}

/** The best ten levels of each side of one outcome. */
export function OrderBook({ known, place, outcome }: OrderBookProps): ReactNode {
  const book = useOrderBook(known, place, outcome.index);
  return (
    <Card title={`Order book of ${outcome.label}`}>
      <Loaded query={book} height={420}>
        {({ bids, asks, timestamp, timestamp_source: source }) => (
          <>
            <div className={css.sides}>
              <Side name="Bids" levels={bids} />
              <Side name="Asks" levels={asks} />
            </div>
            <p className={ui.hint}>
              The best ten of each side, best first. {source === 'exchange' ? 'The exchange says: as of' : 'Received'}{' '}
              <Time iso={timestamp} />
            </p>
          </>
        )}
      </Loaded>
    </Card>
  );
}
