import type { ReactNode } from 'react';
import { type ExchangeAccount, failureOf, useAccount } from '../api/account.js';
import type { Schemas } from '../api/client.js';
import type { Exchange } from '../api/portfolio.js';
import { installation } from '../installation.js';
import { Amount, Known, placesOf } from './amount.js';
import css from './balances.module.css';
import { Age } from './live.js';
import { Time } from './time.js';
import { Card, FailureNotice, Skeleton, ui } from './ui.js';

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

/** What is known of an account beside its balance: null is unknown. */
function Held({ of: account, currency }: { readonly of: ExchangeAccount; readonly currency: string }): ReactNode {
  const { positions_value: held, redeemable_value: redeemable, open_orders: orders } = account;
  return (
    <>
      <dt>Positions are worth</dt>
      <dd className={ui.number}>
        <Known value={held} unit={currency} />
        {redeemable === null || redeemable === '0' ? null : (
          <div className={ui.hint}>
            of it redeemable <Known value={redeemable} unit={currency} />
          </div>
        )}
      </dd>
      <dt>Open orders</dt>
      <dd className={ui.number}>{orders ?? 'not known'}</dd>
    </>
  );
}

interface ExchangeBalanceProps {
  readonly exchange: Exchange;
  readonly account: ExchangeAccount;
  /** As of when it was read, in milliseconds. */
  readonly readAt: number;
  readonly onRetry: () => void;
}

/** What could be read stands, beside why the rest could not. */
function ExchangeBalance({ exchange, account, readAt, onRetry }: ExchangeBalanceProps): ReactNode {
  const { balance } = account;
  const updatedAt = balance?.updated_at ?? null;
  const failure = failureOf(account);
  return (
    <Card title={`${exchange.name} balance`}>
      {failure === null ? null : <FailureNotice error={failure} onRetry={onRetry} />}
      <dl className={css.money}>
        {balance === null ? null : (
          <>
            <Line label="Available" value={balance.available} balance={balance} />
            <Line label="Reserved by orders" value={balance.reserved} balance={balance} />
            <Line label="Total" value={balance.total} balance={balance} />
          </>
        )}
        <Held of={account} currency={exchange.currency} />
      </dl>
      {balance === null ? null : <Shards balance={balance} />}
      <p className={ui.hint}>
        {updatedAt === null ? 'Account ' : <>Balance as of {<Time iso={updatedAt} />}, </>}
        <Age at={readAt} />
      </p>
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

/** Of balances that are not known yet, in pixels: without and with the parts of the account below. */
const HEIGHT = 250;
const HEIGHT_WITH_SHARDS = 460;

interface BalancesProps {
  /** Those with stored credentials. */
  readonly exchanges: readonly Exchange[];
}

/** Money at all exchanges, side by side. */
export function Balances({ exchanges }: BalancesProps): ReactNode {
  const { data, error, refetch } = useAccount();
  // Where nothing could be read, the card of the equity says why.
  if (exchanges.length === 0 || (data === undefined && error !== null)) return null;
  return (
    <div className={css.pair}>
      {installation.exchanges.map((exchange) => {
        const { id, name } = exchange;
        if (!exchanges.includes(exchange)) return <NoCredentials key={id} name={name} />;
        const account = data?.exchanges.find((one) => one.exchange === id);
        if (account === undefined) {
          return <Skeleton key={id} height={exchange.has_shards ? HEIGHT_WITH_SHARDS : HEIGHT} />;
        }
        const shown = { exchange, account, readAt: Date.parse(data?.as_of ?? ''), onRetry: () => void refetch() };
        return <ExchangeBalance key={id} {...shown} />;
      })}
    </div>
  );
}
