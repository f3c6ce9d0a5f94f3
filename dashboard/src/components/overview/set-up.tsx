import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Schemas } from '../../api/client.js';
import type { SessionKey } from '../../api/credentials.js';
import { askForVerification, useProfile } from '../../api/profile.js';
import type { ApiKey } from '../../api/queries.js';
import { installation, sessionKeyExchanges } from '../../installation.js';
import { FirstCall } from '../first-call.js';
import { Button, Card, FailureNotice, ui } from '../ui.js';
import css from './set-up.module.css';

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

export interface SetUp {
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

/** Whether there is an exchange to trade at: nobody needs all of them. */
function hasExchange({ credentials }: SetUp): boolean {
  return installation.exchanges.some(({ id }) => credentials[id]?.configured === true);
}

function Checklist(setUp: SetUp): ReactNode {
  const { apiKey, credentials } = setUp;
  const isOptional = hasExchange(setUp);
  return (
    <ol className={css.steps}>
      <AddressStep />
      <KeyStep apiKey={apiKey} />
      {installation.exchanges.map(({ id, name }, index) => {
        const isConfigured = credentials[id]?.configured === true;
        return (
          <Step key={id} number={index + 3} title={`${name} credentials`} isDone={isConfigured} isOptional={isOptional}>
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
export function isSetUp(setUp: SetUp): boolean {
  return setUp.apiKey !== null && hasExchange(setUp);
}

/** What is missing, step by step. */
export function FirstSteps(setUp: SetUp): ReactNode {
  return (
    <>
      <Card title="Ready to trade?">
        <Checklist {...setUp} />
      </Card>
      {isCalled(setUp) ? null : (
        <Card title="Your first call">
          <FirstCall />
        </Card>
      )}
    </>
  );
}

/** Whether a program has used the key. */
function isCalled({ apiKey }: SetUp): boolean {
  return apiKey !== null && apiKey.last_used_at !== null;
}

/** The first call, folded, until a program has made it. */
export function LastStep(setUp: SetUp): ReactNode {
  if (isCalled(setUp)) return null;
  return (
    <Folded title="Your first call">
      <FirstCall />
    </Folded>
  );
}
