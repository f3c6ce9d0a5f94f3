import { type ReactNode, useState } from 'react';
import { type ApiKey, useCredentials } from '../api/queries.js';
import { useRevokeKey } from '../api/revoke.js';
import { announce } from './announcer.js';
import { Confirm } from './confirm.js';
import { listed } from './names.js';
import { CANCEL_RESULT } from './portfolio/result.js';
import { useStoredExchanges } from './portfolio/with-exchanges.js';
import { ui } from './ui.js';

interface RevokeKeyProps {
  /** Null where there is none: once it is revoked the question still closes. */
  readonly apiKey: ApiKey | null;
}

/** One press from every page, then a confirmation: whoever needs it is in a hurry. */
export function RevokeKey({ apiKey }: RevokeKeyProps): ReactNode {
  const [asked, setAsked] = useState(apiKey);
  if (apiKey !== null && apiKey !== asked) setAsked(apiKey);
  return asked === null ? null : <Revocation asked={asked} isThere={apiKey !== null} />;
}

interface RevocationProps {
  readonly asked: ApiKey;
  readonly isThere: boolean;
}

function Revocation({ asked, isThere }: RevocationProps): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const [cancels, setCancels] = useState(false);
  const exchanges = useStoredExchanges(useCredentials().data);
  const revoke = useRevokeKey(({ prefix }) => {
    setOpen(false);
    announce(`The key ${prefix}… is revoked. Nothing accepts it any more.`);
  });
  const names = listed(exchanges.map(({ name }) => name));
  return (
    <Confirm
      {...(isThere ? { trigger: 'Revoke key' } : {})}
      title={`Revoke the key “${asked.name}”?`}
      isOpen={isOpen}
      onOpenChange={(open) => {
        setOpen(open);
        setCancels(false);
        revoke.reset();
      }}
      action={cancels ? 'Revoke it and cancel all orders' : 'Revoke it now'}
      busy={cancels ? 'Revoking and cancelling…' : 'Revoking, up to a second…'}
      keep="Keep it"
      {...(cancels ? { resultId: CANCEL_RESULT } : {})}
      isPending={revoke.isPending}
      error={revoke.error}
      onConfirm={() => {
        revoke.mutate({ prefix: asked.prefix, exchanges: cancels ? exchanges : [] });
      }}
    >
      <p>
        Every program that uses <code>{asked.prefix}…</code> stops, for good. This takes up to a second. Your bots have
        keys of their own and go on.
      </p>
      <p>Open orders stay open at the exchanges unless they are cancelled.</p>
      {exchanges.length === 0 ? null : (
        <label className={ui.check}>
          <input
            type="checkbox"
            checked={cancels}
            disabled={revoke.isPending}
            onChange={({ target }) => {
              setCancels(target.checked);
            }}
          />
          Then cancel every open order of yours at {names}, those of bots too.
        </label>
      )}
    </Confirm>
  );
}
