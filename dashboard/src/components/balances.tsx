import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Schemas } from '../api/client.js';
import type { Exchange } from '../api/portfolio.js';
import { balanceQuery } from '../api/queries.js';
import { RULE, useWorthSums, type WorthSum } from '../api/worth.js';
import { installation } from '../installation.js';
import { Amount, placesOf } from './amount.js';
import css from './balances.module.css';
import { Age } from './live.js';
import { Time } from './time.js';
import { Button, Card, Loaded, ui } from './ui.js';

type Balance = Schemas['BalanceDto'];

interface LineProps {
  readonly label: string;
  /** Null where the exchange does not state it. */
  readonly value: string | null;
  readonly balance: Balance;
}

/** So many places that all sums of a balance stand point under point. */
function placesIn({ available, reserved, total }: Balance): number {
  return Math.max(2, placesOf([available, reserved, total]));
}

function Line({ label, value, balance }: LineProps): ReactNode {
  if (value === null) return null;
  return (
    <>
      <dt>{label}</dt>
      <dd className={ui.number}>
        <Amount value={value} places={placesIn(balance)} unit={balance.currency} />
      </dd>
    </>
  );
}

interface PositionsLineProps {
  /** Undefined before it is known. */
  readonly worth: WorthSum | undefined;
  readonly balance: Balance;
}

function howMany(count: number): string {
  return count === 1 ? '1 position' : `${count} positions`;
}

/** What is in the sum, and what is not. */
function partOf({ count, unknown, hasMore }: WorthSum): string {
  if (hasMore) return `partial: of the first ${howMany(count)} alone`;
  if (unknown === 0) return howMany(count);
  return `partial: ${unknown} of ${howMany(count)} of unknown value`;
}

/** The sum of the positions by the rule of api/worth.ts, which is the portfolio's too. */
function PositionsLine({ worth, balance }: PositionsLineProps): ReactNode {
  const isUnknown = worth !== undefined && worth.count > 0 && worth.unknown === worth.count;
  return (
    <>
      <dt>Positions are worth</dt>
      <dd className={ui.number}>
        {worth === undefined || isUnknown ? (
          'not known'
        ) : (
          <Amount value={worth.value} places={placesIn(balance)} unit={balance.currency} />
        )}
        <div className={ui.hint}>{worth === undefined ? 'not read' : partOf(worth)}</div>
      </dd>
    </>
  );
}

/** The parts of an account, each with money of its own; nothing where it has none. */
export function Shards({ balance }: { readonly balance: Balance }): ReactNode {
  if (balance.breakdown.length === 0) return null;
  return (
    <table className={ui.table}>
      <caption>Shards</caption>
      <thead>
        <tr>
          <th scope="col">Shard</th>
          <th scope="col" className={ui.number}>
            Available
          </th>
          <th scope="col" className={ui.number}>
            Reserved
          </th>
        </tr>
      </thead>
      <tbody>
        {balance.breakdown.map(({ key, label, available, reserved }) => (
          <tr key={key}>
            <th scope="row">{label}</th>
            <td className={ui.number}>
              <Amount value={available} places={placesIn(balance)} />
            </td>
            <td className={ui.number}>
              <Amount value={reserved} places={placesIn(balance)} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

interface MoneyProps extends PositionsLineProps {
  /** When it was read, in milliseconds of this machine's clock. */
  readonly readAt: number;
}

function Money({ worth, balance, readAt }: MoneyProps): ReactNode {
  return (
    <>
      <dl className={css.money}>
        <Line label="Available" value={balance.available} balance={balance} />
        <Line label="Reserved by orders" value={balance.reserved} balance={balance} />
        <Line label="Total" value={balance.total} balance={balance} />
        <PositionsLine worth={worth} balance={balance} />
      </dl>
      <Shards balance={balance} />
      <p className={ui.hint}>
        {balance.updated_at === null ? 'Balance ' : <>As of {<Time iso={balance.updated_at} />}, </>}
        <Age at={readAt} />
      </p>
    </>
  );
}

/** Of a balance that is not known yet, in pixels: without and with the parts of the account below. */
const HEIGHT = 120;
const HEIGHT_WITH_SHARDS = 350;

interface ExchangeBalanceProps {
  readonly exchange: Exchange;
  readonly worth: WorthSum | undefined;
}

function ExchangeBalance({ exchange, worth }: ExchangeBalanceProps): ReactNode {
  const { id, name, has_shards: hasShards } = exchange;
  const balance = useQuery(balanceQuery(id));
  return (
    <Card
      title={`${name} balance`}
      aside={
        <Button isSmall onClick={() => void balance.refetch()} disabled={balance.isFetching}>
          {balance.isFetching ? 'Reading…' : 'Refresh'}
        </Button>
      }
    >
      <Loaded query={balance} height={hasShards ? HEIGHT_WITH_SHARDS : HEIGHT}>
        {(data) => <Money balance={data} worth={worth} readAt={balance.dataUpdatedAt} />}
      </Loaded>
    </Card>
  );
}

function NoCredentials({ name }: { readonly name: string }): ReactNode {
  return (
    <Card title={`${name} balance`}>
      <p className={ui.soft}>No credentials are stored for {name}, so nobody can be asked. See the list above.</p>
    </Card>
  );
}

interface BalancesProps {
  /** Those with stored credentials. */
  readonly exchanges: readonly Exchange[];
}

/** Money at all exchanges, side by side. */
export function Balances({ exchanges }: BalancesProps): ReactNode {
  const worths = useWorthSums(exchanges);
  if (exchanges.length === 0) return null;
  return (
    <>
      <div className={css.pair}>
        {installation.exchanges.map((exchange) => {
          const { id, name } = exchange;
          if (!exchanges.includes(exchange)) return <NoCredentials key={id} name={name} />;
          return <ExchangeBalance key={id} exchange={exchange} worth={worths.get(id)} />;
        })}
      </div>
      <p className={ui.hint}>{RULE}</p>
    </>
  );
}
