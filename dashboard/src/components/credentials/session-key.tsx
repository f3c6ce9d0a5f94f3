import { type ReactNode, useState } from 'react';
import { type CredentialStatus, makeSessionKey, type SessionKey, useRemoveSessionKey } from '../../api/credentials.js';
import type { SessionKeyExchange } from '../../installation.js';
import { announce } from '../announcer.js';
import { Confirm } from '../confirm.js';
import { CallForm, TextField } from '../form.js';
import { Marked } from '../marked.js';
import { Time } from '../time.js';
import { Button, Card, CopyButton, Notice, ui } from '../ui.js';
import { Address } from './address.js';
import css from './credentials.module.css';
import { useTakenFocus } from '../use-taken-focus.js';
import { WaitingKey } from './waiting-key.js';

const DAY_MS = 86_400_000;

/** Whole days until a key ends. */
function daysLeft(end: string): string {
  const days = Math.floor((Date.parse(end) - Date.now()) / DAY_MS);
  if (days < 0) return 'it has ended';
  return days === 1 ? '1 day left' : `${days} days left`;
}

interface MakeKeyProps {
  readonly exchange: SessionKeyExchange;
  /** What is stored already, to begin with. */
  readonly wallet: string | undefined;
  readonly onDone: () => void;
}

function MakeKey({ exchange, wallet, onDone }: MakeKeyProps): ReactNode {
  const { label, hint } = exchange.session_keys.wallet;
  const make = async (field: (name: string) => string): Promise<void> => {
    await makeSessionKey(exchange.id, field('wallet_address').trim());
    announce('The session key is made. It can do nothing until you have let it trade for your wallet: see the steps.');
    onDone();
  };
  return (
    <div ref={useTakenFocus<HTMLDivElement>()}>
      <CallForm action="Make the session key" onSend={make}>
        <TextField label={label} name="wallet_address" autoComplete="off" hint={hint} defaultValue={wallet ?? ''} />
      </CallForm>
    </div>
  );
}

interface RemoveKeyProps {
  readonly exchange: SessionKeyExchange;
  readonly sessionKey: SessionKey;
  readonly wallet: string | undefined;
}

function RemoveKey({ exchange, sessionKey, wallet = '(your wallet)' }: RemoveKeyProps): ReactNode {
  const { id, name, session_keys: texts } = exchange;
  const [isOpen, setOpen] = useState(false);
  const remove = useRemoveSessionKey(id, () => {
    setOpen(false);
    announce('The session key is removed. The service can sign no order for you any more.');
  });
  const command = `${texts.command} -- revoke --wallet ${wallet} --session ${sessionKey.address}`;
  const hasTraded = sessionKey.state !== 'pending';
  return (
    <Confirm
      trigger="Remove key"
      title="Remove the session key?"
      isOpen={isOpen}
      onOpenChange={(open) => {
        setOpen(open);
        remove.reset();
      }}
      action="Remove it now"
      busy="Removing…"
      keep="Keep it"
      isPending={remove.isPending}
      error={remove.error}
      onConfirm={() => {
        remove.mutate();
      }}
    >
      <p>
        The service forgets it for good, and one that waits beside it.
        {hasTraded ? ` Plain orders at ${name} fail at once; its open orders stay open. Other credentials stay.` : ''}
      </p>
      <p>{name} goes on accepting a key that you have authorised. To end it there, and its open orders with it, run:</p>
      <pre className={ui.code}>{command}</pre>
      <div>
        <CopyButton text={command} what="the command that revokes the key" />
      </div>
    </Confirm>
  );
}

interface KeyInUseProps {
  readonly exchange: SessionKeyExchange;
  readonly sessionKey: SessionKey;
}

function KeyInUse({ exchange, sessionKey }: KeyInUseProps): ReactNode {
  const { address, state, valid_until: end } = sessionKey;
  return (
    <div ref={useTakenFocus<HTMLDivElement>()} tabIndex={-1} className={css.part}>
      {state === 'active' ? null : (
        <Notice kind="bad">
          <strong>The key has ended, or {exchange.name} refuses it: plain orders fail.</strong>
          <span>Renew it. Reading and cancelling go on meanwhile.</span>
        </Notice>
      )}
      <dl className={ui.facts}>
        <dt>State</dt>
        <dd>{state === 'active' ? 'In use: the service signs your plain orders' : 'Ended'}</dd>
        <dt>Address</dt>
        <dd>
          <Address value={address} what="the address of the session key" />
        </dd>
        <dt>Ends</dt>
        <dd>
          {end === null ? (
            `Nobody said when, so that no mail will remind you: ${exchange.session_keys.lifetime} after you authorised it`
          ) : (
            <>
              <Time iso={end} />, {daysLeft(end)}
            </>
          )}
        </dd>
      </dl>
    </div>
  );
}

function Introduction({ paragraphs }: { readonly paragraphs: readonly string[] }): ReactNode {
  return paragraphs.map((text) => (
    <p key={text} className={ui.soft}>
      <Marked text={text} />
    </p>
  ));
}

interface Keys {
  readonly inUse: SessionKey | null;
  /** To be authorised and taken into use. */
  readonly waiting: SessionKey | null;
}

function keysOf(status: CredentialStatus | undefined): Keys {
  const first = status?.session_key ?? null;
  if (first?.state === 'pending') return { inUse: null, waiting: first };
  return { inUse: first, waiting: status?.pending_session_key ?? null };
}

interface NextKeyProps extends Keys {
  readonly exchange: SessionKeyExchange;
  readonly wallet: string | undefined;
}

/** Makes the next key; beside the one that there is, only when asked to. */
function NextKey({ exchange, inUse, waiting, wallet }: NextKeyProps): ReactNode {
  const [isMaking, setMaking] = useState(false);
  const stop = (): void => {
    setMaking(false);
  };
  if (isMaking) {
    return (
      <div className={css.part}>
        <MakeKey exchange={exchange} wallet={wallet} onDone={stop} />
        <div>
          <Button isSmall onClick={stop}>
            Make none
          </Button>
        </div>
      </div>
    );
  }
  return (
    <div className={ui.row}>
      <Button
        isSmall={waiting !== null}
        onClick={() => {
          setMaking(true);
        }}
      >
        {waiting === null ? 'Renew: make the next key' : 'Begin again with another key'}
      </Button>
      <span className={ui.hint}>
        {waiting === null ? '' : 'It takes the place of the one that waits.'}
        {waiting === null && inUse?.state === 'active' ? 'The present one works until you take the next into use.' : ''}
      </span>
    </div>
  );
}

interface SessionKeyCardProps {
  readonly exchange: SessionKeyExchange;
  readonly status: CredentialStatus | undefined;
}

/** The wizard of session keys: make one, let it trade, take it into use; then how long it lasts. */
export function SessionKeyCard({ exchange, status }: SessionKeyCardProps): ReactNode {
  const { inUse, waiting } = keysOf(status);
  const wallet = status?.wallet_address;
  const first = inUse ?? waiting;
  return (
    <Card
      title={`${exchange.name} session key`}
      aside={first === null ? null : <RemoveKey exchange={exchange} sessionKey={first} wallet={wallet} />}
    >
      {inUse === null ? (
        <Introduction paragraphs={exchange.session_keys.introduction} />
      ) : (
        <KeyInUse exchange={exchange} sessionKey={inUse} />
      )}
      {waiting === null ? null : (
        <WaitingKey key={waiting.address} exchange={exchange} sessionKey={waiting} isRenewal={inUse !== null} />
      )}
      {first === null ? (
        <MakeKey exchange={exchange} wallet={wallet} onDone={() => undefined} />
      ) : (
        <NextKey exchange={exchange} inUse={inUse} waiting={waiting} wallet={wallet} />
      )}
    </Card>
  );
}
