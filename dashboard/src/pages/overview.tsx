import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Schemas } from '../api/client.js';
import type { SessionKey } from '../api/credentials.js';
import { askForVerification, useProfile } from '../api/profile.js';
import { type ApiKey, useApiKey, useCredentials } from '../api/queries.js';
import { Balances } from '../components/balances.js';
import { HaltedBots } from '../components/bots/halted-bots.js';
import { FirstCall } from '../components/first-call.js';
import { PageTitle } from '../components/frame.js';
import { Equity } from '../components/portfolio/equity.js';
import { Exposures } from '../components/portfolio/exposure.js';
import { OpenOrders } from '../components/portfolio/open-orders.js';
import { useStoredExchanges } from '../components/portfolio/with-exchanges.js';
import { Button, Card, FailureNotice, Loaded, ui } from '../components/ui.js';
import { installation, sessionKeyExchanges } from '../installation.js';
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
        {isDone ? (
          <details>
            <summary>{title}</summary>
            <div className={ui.soft}>{children}</div>
          </details>
        ) : (
          <>
            <strong>{title}</strong>
            <div className={ui.soft}>{children}</div>
          </>
        )}
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

/** Has the mail sent again that verifies the address. */
function AskForLink(): ReactNode {
  const ask = useMutation({ mutationFn: askForVerification });
  return (
    <>
      <span className={css.ask}>
        <Button
          isSmall
          disabled={ask.isPending}
          onClick={() => {
            ask.mutate();
          }}
        >
          {ask.isPending ? 'One moment…' : 'Mail me the link again'}
        </Button>
      </span>
      <span role="status">{ask.data}</span>
      {ask.error === null ? null : <FailureNotice error={ask.error} />}
    </>
  );
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
          : nobody has shown yet that it is yours, so no warnings are mailed to it. Open the link in the mail that we
          sent, in this browser: from anywhere else, and by a reset of the password, the account is emptied.
          <AskForLink />
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

interface SessionKeyStepProps {
  readonly number: number;
  readonly exchangeName: string;
  readonly sessionKey: SessionKey | null;
}

function SessionKeyStep({ number, exchangeName, sessionKey }: SessionKeyStepProps): ReactNode {
  return (
    <Step number={number} title={`${exchangeName} session key`} isDone={sessionKey?.state === 'active'} isOptional>
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
      {sessionKeyExchanges.map(({ id, name }, index) => (
        <SessionKeyStep
          key={id}
          number={installation.exchanges.length + index + 3}
          exchangeName={name}
          sessionKey={credentials[id]?.session_key ?? null}
        />
      ))}
    </ol>
  );
}

/** The first call that can succeed as things are. */
function pathOf({ apiKey, credentials }: SetUp): string {
  const ready = installation.exchanges.find(({ id }) => credentials[id]?.configured === true);
  const mayTrade = apiKey?.scopes.some((scope) => scope !== 'read') === true;
  if (mayTrade && ready !== undefined) return `/${ready.id}/balance`;
  return `/${installation.exchanges[0]?.id ?? ''}/markets?limit=1`;
}

/** What is done, and one press away. */
function Folded({ title, children }: { readonly title: string; readonly children: ReactNode }): ReactNode {
  return (
    <details className={`${ui.card ?? ''} ${css.folded ?? ''}`}>
      <summary>
        <h2>{title}</h2>
      </summary>
      {children}
    </details>
  );
}

/** Whether nothing is missing that everybody needs. */
function isSetUp({ apiKey, credentials }: SetUp): boolean {
  return apiKey !== null && installation.exchanges.every(({ id }) => credentials[id]?.configured === true);
}

/** First what is missing; once nothing is, first what there is. */
function Contents(setUp: SetUp): ReactNode {
  const { credentials } = setUp;
  const exchanges = useStoredExchanges(credentials);
  const account = (
    <>
      {exchanges.length === 0 ? null : <Equity exchanges={exchanges} />}
      <Balances exchanges={exchanges} />
      {exchanges.length === 0 ? null : (
        <>
          <Exposures exchanges={exchanges} />
          <OpenOrders exchanges={exchanges} />
        </>
      )}
    </>
  );
  if (!isSetUp(setUp)) {
    return (
      <>
        <Card title="Ready to trade?">
          <Checklist {...setUp} />
        </Card>
        <Card title="Your first call">
          <FirstCall path={pathOf(setUp)} />
        </Card>
        {account}
      </>
    );
  }
  return (
    <>
      {account}
      <Folded title="Your first call">
        <FirstCall path={pathOf(setUp)} />
      </Folded>
      <Folded title="Ready to trade: all that is needed is done">
        <Checklist {...setUp} />
      </Folded>
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
      <HaltedBots />
      <Loaded query={both} height={640}>
        {(setUp) => <Contents {...setUp} />}
      </Loaded>
    </>
  );
}
