import { type ReactNode, useCallback, useState } from 'react';
import { activateSessionKey, readCredentials, type SessionKey, useSessionKeyCommand } from '../../api/credentials.js';
import { Failure } from '../../api/failure.js';
import type { SessionKeyExchange } from '../../installation.js';
import { announce } from '../announcer.js';
import { CallForm, TextField } from '../form.js';
import { Marked } from '../marked.js';
import { CopyButton, Notice, ui } from '../ui.js';
import { Address } from './address.js';
import css from './credentials.module.css';
import { useTakenFocus } from '../use-taken-focus.js';
import { Waiting } from './waiting.js';

const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)/;
/** The answer is lost, not the asking: the service goes on. */
const LOST = new Set(['unreachable', 'unreadable']);

/** The time in a line that the command printed; null for nothing. Throws Failure where there is none in it. */
function endIn(text: string): string | null {
  if (text.trim() === '') return null;
  const [end] = TIME.exec(text) ?? [];
  if (end !== undefined) return end;
  const fields = [{ field: 'valid_until', message: 'must be the line that the command printed, or empty' }];
  throw new Failure('bad_request', '', null, { fields });
}

const BROKEN =
  'The connection broke. If the service had heard you, it goes on asking: this page looks every 2 seconds what came of it.';

/** In the terms of the wizard. */
function inTermsOfWizard(error: unknown, { name }: SessionKeyExchange): unknown {
  if (!(error instanceof Failure)) return error;
  const texts: Readonly<Record<string, string>> = {
    credentials_rejected: `${name} does not know this key yet. The key goes on waiting. Did the command end with a line “valid_until”, and did it name the wallet and the address that stand here? Then try once more.`,
    not_found: 'No session key waits any more: it was taken into use or removed meanwhile, perhaps in another tab.',
    unreachable: BROKEN,
    unreadable: BROKEN,
  };
  const text = texts[error.code];
  return text === undefined ? error : error.inWords(text);
}

interface SessionKeyProps {
  readonly exchange: SessionKeyExchange;
  readonly sessionKey: SessionKey;
}

function Command({ exchange, sessionKey }: SessionKeyProps): ReactNode {
  const told = useSessionKeyCommand(sessionKey.address);
  const command =
    told ?? `${exchange.session_keys.command} -- authorize --wallet (your wallet) --session ${sessionKey.address}`;
  return (
    <>
      <pre className={ui.code} data-testid="command">
        {command}
      </pre>
      <div className={ui.row}>
        <CopyButton text={command} what="the command" />
        {told === null ? (
          <span className={ui.hint}>
            Put the address of your {exchange.session_keys.wallet.label.toLowerCase()} in its place.
          </span>
        ) : null}
      </div>
    </>
  );
}

/** The third step: waits until the exchange knows the key. */
function TakeIntoUse({ exchange }: { readonly exchange: SessionKeyExchange }): ReactNode {
  const { id, name } = exchange;
  const [isWaiting, setWaiting] = useState(false);
  const [isGivenUp, setGivenUp] = useState(false);
  const giveUp = useCallback(() => {
    setWaiting(false);
    setGivenUp(true);
  }, []);
  const activate = async (field: (name: string) => string): Promise<void> => {
    setGivenUp(false);
    try {
      const end = endIn(field('valid_until'));
      setWaiting(true);
      await activateSessionKey(id, end);
    } catch (error) {
      const isLost = error instanceof Failure && LOST.has(error.code);
      if (!isLost) setWaiting(false);
      if (error instanceof Failure && error.code === 'not_found') void readCredentials();
      throw inTermsOfWizard(error, exchange);
    }
    announce(`The session key is in use. The service signs your plain orders at ${name} from now on.`);
  };
  return (
    <CallForm action="Take it into use" onSend={activate}>
      <TextField
        label="What the command printed last"
        name="valid_until"
        autoComplete="off"
        required={false}
        hint={`As valid_until: 2027-05-20T15:00:00Z. With it you are mailed 14 and 2 days before the key ends. It may be left empty where your own API credentials are stored too: ${name} tells it then.`}
      />
      {isWaiting ? <Waiting exchangeName={name} onGivenUp={giveUp} /> : null}
      {isGivenUp ? (
        <Notice>The service has stopped asking by now, and the key still waits. Try once more.</Notice>
      ) : null}
    </CallForm>
  );
}

interface WaitingKeyProps extends SessionKeyProps {
  /** Whether another one is in use meanwhile. */
  readonly isRenewal: boolean;
}

/** What is to do with a key that waits. */
export function WaitingKey({ exchange, sessionKey, isRenewal }: WaitingKeyProps): ReactNode {
  return (
    <section ref={useTakenFocus<HTMLElement>()} tabIndex={-1} aria-label="The key that waits" className={css.part}>
      {isRenewal ? <h3>The next key</h3> : null}
      <ol className={css.steps}>
        <li>
          <div className={ui.stack}>
            <strong>The key is made</strong>
            <Address value={sessionKey.address} what="the address of the session key" />
          </div>
        </li>
        <li>
          <div className={ui.stack}>
            <strong>Let it trade for your wallet</strong>
            <p className={ui.soft}>
              On a machine of your own with this project and <code>npm ci</code>, run:
            </p>
            <Command exchange={exchange} sessionKey={sessionKey} />
            <p className={ui.soft}>
              <Marked text={exchange.session_keys.authorization} />
              {exchange.mode === 'sandbox'
                ? ' In this sandbox, first set the addresses and keys of sandbox.json, as the README shows.'
                : ''}
            </p>
          </div>
        </li>
        <li>
          <div className={ui.stack}>
            <strong>Take it into use</strong>
            <TakeIntoUse exchange={exchange} />
          </div>
        </li>
      </ol>
    </section>
  );
}
