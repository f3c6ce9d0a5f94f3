import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import {
  type CredentialStatus,
  type SessionKey,
  useRemoveCredentials,
  useVerification,
} from '../../api/credentials.js';
import { balanceQuery } from '../../api/queries.js';
import { type Exchange, hasSessionKeys } from '../../installation.js';
import { announce } from '../announcer.js';
import { Shards } from '../balances.js';
import { Confirm } from '../confirm.js';
import { Time } from '../time.js';
import { Button, Card, FailureNotice, Loaded, ui } from '../ui.js';
import { Address } from './address.js';
import { BotsWithOrders } from './bots-with-orders.js';
import { CredentialsForm } from './credentials-form.js';
import { useTakenFocus } from '../use-taken-focus.js';
import { Warnings } from './warnings.js';

const NOTHING_STORED = 'Nothing is stored. Balance, positions and orders need it; markets do not.';
const NEITHER_STORED =
  'Nothing is stored. Balance, positions and orders need it, or a session key (below), which needs nothing here; markets need neither.';

interface CardProps {
  readonly exchange: Exchange;
  readonly status: CredentialStatus | undefined;
}

function RemoveCredentials({ exchange }: Pick<CardProps, 'exchange'>): ReactNode {
  const { id, name } = exchange;
  const [isOpen, setOpen] = useState(false);
  const remove = useRemoveCredentials(id, () => {
    setOpen(false);
    announce(`The ${name} credentials are removed. Your programs can use ${name}’s markets alone.`);
  });
  return (
    <Confirm
      trigger="Remove"
      title={`Remove the ${name} credentials?`}
      isOpen={isOpen}
      onOpenChange={(open) => {
        setOpen(open);
        remove.reset();
      }}
      action="Remove them now"
      busy="Removing…"
      keep="Keep them"
      isPending={remove.isPending}
      error={remove.error}
      onConfirm={() => {
        remove.mutate();
      }}
    >
      <p>
        Balance, positions and orders at {name} fail for all of your programs at once, until you store credentials
        again.{hasSessionKeys(exchange) ? ' A session key is removed too.' : ''}
      </p>
      <p>
        Open orders stay open at {name}: cancel them first if you want them gone. The key itself stays valid there until
        you delete it at {name}.
      </p>
      <BotsWithOrders exchange={exchange} />
    </Confirm>
  );
}

/** Exchanges refuse calls that differ by more than about 10 s (kalshi.md 2), in ms. */
const WIDE_SKEW_MS = 5_000;

/** How far the exchange is ahead of the service, in ms. */
function clockText(skewMs: number | null): string {
  if (skewMs === null) return 'Not told yet: verify to learn it';
  if (skewMs === 0) return 'The same as this service’s';
  const text = `${Math.abs(skewMs)} ms ${skewMs > 0 ? 'ahead of' : 'behind'} this service`;
  if (Math.abs(skewMs) < WIDE_SKEW_MS) return text;
  return `${text}: so far apart, calls may be refused. Ask the operator to set the clock of this service`;
}

function Scopes({ scopes }: { readonly scopes: readonly string[] | null }): ReactNode {
  if (scopes === null) return 'The exchange did not say';
  return scopes.map((scope, index) => (
    <span key={scope}>
      {index === 0 ? '' : ', '}
      <code>{scope}</code>
    </span>
  ));
}

/** What the exchange says of its key. */
function KeyFacts({ of: key }: { readonly of: CredentialStatus['key'] }): ReactNode {
  if (key === null) return null;
  const { scopes, subaccount, attestation_expires_at: attestedUntil } = key;
  return (
    <>
      <dt>Key may</dt>
      <dd>
        <Scopes scopes={scopes} />
      </dd>
      <dt>Subaccount</dt>
      <dd>{subaccount === null ? 'None in particular: the primary one' : `${subaccount} alone`}</dd>
      <dt>Location attested until</dt>
      <dd>{attestedUntil === null ? 'No attestation is known' : <Time iso={attestedUntil} />}</dd>
    </>
  );
}

/** Who signs an order that comes without a signature. */
const SIGNERS: Readonly<Record<SessionKey['state'], string>> = {
  pending: 'Not signed for you yet: the session key waits (below)',
  active: 'Signed by the session key',
  expired: 'Refused: the session key has ended (below)',
};

/** Whether calls go by a session key, be it one that has ended. */
function isInUse(sessionKey: SessionKey | null): boolean {
  return sessionKey !== null && sessionKey.state !== 'pending';
}

interface StoredProps {
  readonly exchange: Exchange;
  readonly status: CredentialStatus;
}

function WalletFacts({ exchange, status }: StoredProps): ReactNode {
  const { wallet_address: wallet, session_key: sessionKey } = status;
  if (wallet === undefined) return null;
  return (
    <>
      <dt>Wallet</dt>
      <dd>
        <Address value={wallet} what="the address of the wallet" />
        {isInUse(sessionKey) && hasSessionKeys(exchange)
          ? `A ${exchange.session_keys.wallet.label.toLowerCase()}`
          : null}
      </dd>
      <dt>Plain orders</dt>
      <dd>
        {sessionKey === null
          ? 'Not signed for you: send orders that your wallet has signed, or make a session key (below)'
          : SIGNERS[sessionKey.state]}
      </dd>
    </>
  );
}

function ShardMoney({ id }: { readonly id: Exchange['id'] }): ReactNode {
  return (
    <Loaded query={useQuery(balanceQuery(id))} height={120}>
      {(balance) => <Shards balance={balance} />}
    </Loaded>
  );
}

function ContractsToApprove({ addresses }: { readonly addresses: readonly string[] }): ReactNode {
  if (addresses.length === 0) return null;
  return (
    <>
      <dt>Contracts to approve</dt>
      <dd>
        {addresses.map((address) => (
          <Address key={address} value={address} what="the address of the contract" />
        ))}
      </dd>
    </>
  );
}

function Facts({ exchange, status }: StoredProps): ReactNode {
  const { id, name } = exchange;
  const { data } = useVerification(id);
  return (
    <dl className={ui.facts}>
      <dt>Verified</dt>
      <dd>{data === undefined ? 'Not since you opened the dashboard' : <Time iso={data.checkedAt} />}</dd>
      <dt>Clock of {name}</dt>
      <dd>{clockText(data?.clockSkewMs ?? null)}</dd>
      <KeyFacts of={status.key} />
      <WalletFacts exchange={exchange} status={status} />
      <ContractsToApprove addresses={data?.missingAllowances ?? []} />
    </dl>
  );
}

function Stored({ exchange, status }: StoredProps): ReactNode {
  const { id, name } = exchange;
  const { error, isFetching, refetch } = useVerification(id);
  return (
    <>
      {error === null ? null : <FailureNotice error={error} />}
      <Warnings exchange={exchange} warnings={status.warnings} />
      <Facts exchange={exchange} status={status} />
      {exchange.has_shards ? <ShardMoney id={id} /> : null}
      <div className={ui.row}>
        <Button kind="primary" onClick={() => void refetch()} disabled={isFetching}>
          {isFetching ? `Asking ${name}…` : 'Verify now'}
        </Button>
        <span className={ui.hint}>One signed read at {name}; at most 10 a minute.</span>
      </div>
    </>
  );
}

interface OpenFormProps {
  readonly name: string;
  readonly stored: CredentialStatus | null;
  readonly onOpen: () => void;
}

/** The button in the place of the form; says what the form does. */
function OpenForm({ name, stored, onOpen }: OpenFormProps): ReactNode {
  const replace = isInUse(stored?.session_key ?? null)
    ? 'Store your API credentials beside the session key'
    : 'Replace';
  return (
    <div>
      <Button ref={useTakenFocus<HTMLButtonElement>()} kind={stored === null ? 'primary' : 'plain'} onClick={onOpen}>
        {stored === null ? `Add ${name} credentials` : replace}
      </Button>
    </div>
  );
}

/** What is stored for an exchange, and the form that stores it. */
export function ExchangeCard({ exchange, status }: CardProps): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const { name } = exchange;
  const stored = status?.configured === true ? status : null;

  return (
    <Card title={name} aside={stored === null ? null : <RemoveCredentials exchange={exchange} />}>
      {stored === null ? (
        <p className={ui.soft}>{hasSessionKeys(exchange) ? NEITHER_STORED : NOTHING_STORED}</p>
      ) : (
        <Stored exchange={exchange} status={stored} />
      )}
      {isOpen && stored !== null ? <BotsWithOrders exchange={exchange} /> : null}
      {isOpen ? (
        <CredentialsForm
          exchange={exchange}
          onDone={() => {
            setOpen(false);
          }}
        />
      ) : (
        <OpenForm
          name={name}
          stored={stored}
          onOpen={() => {
            setOpen(true);
          }}
        />
      )}
    </Card>
  );
}
