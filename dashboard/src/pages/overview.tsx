import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Schemas } from '../api/client.js';
import { useProfile } from '../api/profile.js';
import { type ApiKey, useApiKey, useCredentials } from '../api/queries.js';
import { Balances } from '../components/balances.js';
import { FirstCall } from '../components/first-call.js';
import { PageTitle } from '../components/frame.js';
import { OpenOrders } from '../components/portfolio/open-orders.js';
import { Card, Loaded, ui } from '../components/ui.js';
import { installation } from '../installation.js';
import { useKnownKey } from '../session/hooks.js';
import css from './overview.module.css';

type Credentials = Schemas['CredentialListDto']['exchanges'];

interface StepProps {
  readonly number: number;
  readonly title: string;
  readonly isDone: boolean;
  /** Not needed by everybody. */
  readonly isOptional?: boolean;
  readonly children: ReactNode;
}

function Step({ number, title, isDone, isOptional = false, children }: StepProps): ReactNode {
  const missing = isOptional ? 'Optional' : 'To do';
  return (
    <li className={css.step}>
      <span className={css.mark} data-done={isDone} aria-hidden="true">
        {isDone ? '✓' : number}
      </span>
      <div>
        <strong>{title}</strong>
        <p className={ui.soft}>{children}</p>
      </div>
      <span className={css.state} data-done={isDone}>
        {isDone ? 'Done' : missing}
      </span>
    </li>
  );
}

interface SetUp {
  readonly apiKey: ApiKey | null;
  readonly credentials: Credentials;
}

/** An approved address may sign in before anybody has shown to be its owner (contract.md 4). */
function AddressStep(): ReactNode {
  const { data } = useProfile();
  const isUnproved = data?.email_verified === false;
  return (
    <Step number={1} title="Verified address" isDone={!isUnproved}>
      {data?.email}
      {isUnproved ? (
        <>
          : nobody has shown yet that it is yours, so no warnings are mailed to it.{' '}
          <Link to="/forgot-password">Have a link mailed that sets a new password</Link>, and use it: that verifies the
          address. It also removes a key and credentials that were stored before, so do it first.
        </>
      ) : null}
    </Step>
  );
}

function KeyStep({ apiKey }: { readonly apiKey: ApiKey | null }): ReactNode {
  return (
    <Step number={2} title="API key" isDone={apiKey !== null}>
      {apiKey === null ? (
        <Link to="/api-key">Create the key that your program sends</Link>
      ) : (
        <>
          <code>{apiKey.prefix}…</code> “{apiKey.name}” may {apiKey.scopes.join(', ')}
        </>
      )}
    </Step>
  );
}

function SessionKeyStep({
  number,
  credentials,
}: {
  readonly number: number;
  readonly credentials: Credentials;
}): ReactNode {
  const sessionKey = credentials.polymarket?.session_key ?? null;
  return (
    <Step number={number} title="Polymarket session key" isDone={sessionKey?.state === 'active'} isOptional>
      {sessionKey === null ? (
        <>
          <Link to="/credentials" hash="session-key">
            Let the service sign your orders
          </Link>
          , without your own key ever coming here. Without it, your program signs each order.
        </>
      ) : (
        <>
          <code>{sessionKey.address}</code> is {sessionKey.state}.{' '}
          <Link to="/credentials" hash="session-key">
            {sessionKey.state === 'active' ? 'See the key' : 'Go on'}
          </Link>
        </>
      )}
    </Step>
  );
}

function Checklist({ apiKey, credentials }: SetUp): ReactNode {
  return (
    <ol className={css.steps}>
      <AddressStep />
      <KeyStep apiKey={apiKey} />
      {installation.exchanges.map(({ id, name }, index) => {
        const isConfigured = credentials[id]?.configured === true;
        return (
          <Step key={id} number={index + 3} title={`${name} credentials`} isDone={isConfigured}>
            {isConfigured ? (
              <>
                Stored, and never shown again.{' '}
                <Link to="/credentials" hash={id}>
                  Verify or replace them
                </Link>
              </>
            ) : (
              <>
                <Link to="/credentials" hash={id}>
                  Store your {name} credentials
                </Link>
                . Needed for balance and orders there, not for markets.
              </>
            )}
          </Step>
        );
      })}
      <SessionKeyStep number={installation.exchanges.length + 3} credentials={credentials} />
    </ol>
  );
}

/** The first call that can succeed as things are. */
function pathOf({ apiKey, credentials }: SetUp): string {
  const ready = installation.exchanges.find(({ id }) => credentials[id]?.configured === true);
  const mayTrade = apiKey?.scopes.some((scope) => scope !== 'read') === true;
  return mayTrade && ready !== undefined ? `/${ready.id}/balance` : '/kalshi/markets?limit=1';
}

function FirstCallCard(setUp: SetUp): ReactNode {
  const known = useKnownKey();
  return (
    <Card title="Your first call">
      <FirstCall
        prefix={setUp.apiKey?.prefix ?? null}
        wholeKey={known !== null && known.prefix === setUp.apiKey?.prefix ? known.key : null}
        path={pathOf(setUp)}
      />
    </Card>
  );
}

/** Whether nothing is missing that everybody needs. */
function isSetUp({ apiKey, credentials }: SetUp): boolean {
  return apiKey !== null && installation.exchanges.every(({ id }) => credentials[id]?.configured === true);
}

/** First what is missing; once nothing is, first what there is. */
function Contents(setUp: SetUp): ReactNode {
  const { apiKey, credentials } = setUp;
  const account =
    apiKey === null ? null : (
      <>
        <Balances apiKey={apiKey} credentials={credentials} />
        <OpenOrders apiKey={apiKey} credentials={credentials} />
      </>
    );
  if (!isSetUp(setUp)) {
    return (
      <>
        <Card title="Ready to trade?">
          <Checklist {...setUp} />
        </Card>
        <FirstCallCard {...setUp} />
        {account}
      </>
    );
  }
  return (
    <>
      {account}
      <FirstCallCard {...setUp} />
      <Card title="Ready to trade">
        <Checklist {...setUp} />
      </Card>
    </>
  );
}

export function Overview(): ReactNode {
  const apiKey = useApiKey();
  const credentials = useCredentials();
  const both = {
    data:
      apiKey.data === undefined || credentials.data === undefined
        ? undefined
        : { apiKey: apiKey.data, credentials: credentials.data },
    error: apiKey.error ?? credentials.error,
    refetch: () => Promise.all([apiKey.refetch(), credentials.refetch()]),
  };
  return (
    <>
      <PageTitle>Overview</PageTitle>
      <Loaded query={both} height={640}>
        {(setUp) => <Contents {...setUp} />}
      </Loaded>
    </>
  );
}
