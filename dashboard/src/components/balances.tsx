import type { ReactNode } from 'react';
import type { ExchangeId, Schemas } from '../api/client.js';
import { type ApiKey, useBalance } from '../api/queries.js';
import { installation } from '../installation.js';
import { useKnownKey } from '../session/hooks.js';
import type { KnownKey } from '../session/keyring.js';
import css from './balances.module.css';
import { PasteKey } from './paste-key.js';
import { Button, Card, Loaded, Notice, Time, ui } from './ui.js';

type Balance = Schemas['BalanceDto'];

interface AmountProps {
  readonly label: string;
  /** Null where the exchange does not state it. */
  readonly value: string | null;
  readonly currency: string;
}

function Amount({ label, value, currency }: AmountProps): ReactNode {
  if (value === null) return null;
  return (
    <>
      <dt>{label}</dt>
      <dd className={ui.number}>
        {value} {currency}
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
            <td className={ui.number}>{available}</td>
            <td className={ui.number}>{reserved ?? 'not stated'}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Money({ balance }: { readonly balance: Balance }): ReactNode {
  const { currency } = balance;
  return (
    <>
      <dl className={css.money}>
        <Amount label="Available" value={balance.available} currency={currency} />
        <Amount label="Reserved by orders" value={balance.reserved} currency={currency} />
        <Amount label="Total" value={balance.total} currency={currency} />
        <Amount label="Positions are worth" value={balance.portfolio_value} currency={currency} />
      </dl>
      <Shards balance={balance} />
      {balance.updated_at === null ? null : (
        <p className={ui.hint}>
          As of <Time iso={balance.updated_at} />
        </p>
      )}
    </>
  );
}

interface ExchangeBalanceProps {
  readonly id: ExchangeId;
  readonly name: string;
  readonly known: KnownKey;
}

function ExchangeBalance({ id, name, known }: ExchangeBalanceProps): ReactNode {
  const balance = useBalance(id, known);
  return (
    <Card
      title={`${name} balance`}
      aside={
        <Button isSmall onClick={() => void balance.refetch()} disabled={balance.isFetching}>
          {balance.isFetching ? 'Reading…' : 'Refresh'}
        </Button>
      }
    >
      <Loaded query={balance} height={180}>
        {(data) => <Money balance={data} />}
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
  readonly apiKey: ApiKey;
  readonly credentials: Schemas['CredentialListDto']['exchanges'];
}

/** Money at all exchanges, side by side. */
export function Balances({ apiKey, credentials }: BalancesProps): ReactNode {
  const known = useKnownKey();
  if (!apiKey.scopes.some((scope) => scope !== 'read')) {
    return <Notice>Your key may read markets only. For balances here, and for orders, make one that may trade.</Notice>;
  }
  const isReady = ({ id }: { readonly id: ExchangeId }): boolean => credentials[id]?.configured === true;
  if (!installation.exchanges.some(isReady)) return null;
  if (known === null) return <PasteKey apiKey={apiKey} what="balances and open orders" />;
  return (
    <div className={css.pair}>
      {installation.exchanges.map((exchange) => {
        const { id, name } = exchange;
        if (!isReady(exchange)) return <NoCredentials key={id} name={name} />;
        return <ExchangeBalance key={id} id={id} name={name} known={known} />;
      })}
    </div>
  );
}
