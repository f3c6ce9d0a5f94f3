import type { ReactNode } from 'react';
import { type MarketPlace, useTrades } from '../../api/markets.js';
import type { KnownKey } from '../../session/keyring.js';
import { Table } from '../table.js';
import { Card, Loaded, Time, ui } from '../ui.js';
import css from './markets.module.css';

const HEADS = [['Time'], ['Taker'], ['Price', true], ['Size', true]] as const;

interface TradesProps {
  readonly known: KnownKey;
  readonly place: MarketPlace;
}

/** The last trades of a market, of both outcomes. */
export function Trades({ known, place }: TradesProps): ReactNode {
  const trades = useTrades(known, place);
  return (
    <Card title="Last trades">
      <Loaded query={trades} height={420}>
        {({ data }) =>
          data.length === 0 ? (
            <p>Nobody has traded here yet.</p>
          ) : (
            <>
              <Table label="Last trades, newest first" heads={HEADS} className={css.trades}>
                {data.map(({ id, timestamp, side, outcome, price, size }, index) => (
                  // The exchange may give trades that agree in everything one id.
                  <tr key={`${id} ${index}`}>
                    <td>
                      <Time iso={timestamp} />
                    </td>
                    <td>
                      {side} {outcome.label}
                    </td>
                    <td className={ui.number}>{price}</td>
                    <td className={ui.number}>{size}</td>
                  </tr>
                ))}
              </Table>
              <p className={ui.hint}>
                Of all outcomes, newest first.
                {place.exchange === 'polymarket' ? ' Polymarket tells of trades up to 5 minutes late.' : ''}
              </p>
            </>
          )
        }
      </Loaded>
    </Card>
  );
}
