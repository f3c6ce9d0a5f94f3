import { type ReactNode, useState } from 'react';
import { type ApiKey, useRevokeKey } from '../api/queries.js';
import { announce } from './announcer.js';
import { Confirm } from './confirm.js';

/** One press from every page, then a confirmation: whoever needs it is in a hurry. */
export function RevokeKey({ apiKey }: { readonly apiKey: ApiKey }): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const revoke = useRevokeKey((prefix) => {
    setOpen(false);
    announce(`The key ${prefix}… is revoked. Nothing accepts it any more.`);
  });
  return (
    <Confirm
      trigger="Revoke key"
      title={`Revoke the key “${apiKey.name}”?`}
      isOpen={isOpen}
      onOpenChange={(open) => {
        setOpen(open);
        revoke.reset();
      }}
      action="Revoke it now"
      busy="Revoking, up to a second…"
      keep="Keep it"
      isPending={revoke.isPending}
      error={revoke.error}
      onConfirm={() => {
        revoke.mutate(apiKey.prefix);
      }}
    >
      <p>
        Every program that uses <code>{apiKey.prefix}…</code> stops, for good. This takes up to a second.
      </p>
      <p>
        Open orders stay open at the exchanges. To close them too, cancel all under Portfolio, which needs no key:
        afterwards, so that no program places new ones in between.
      </p>
    </Confirm>
  );
}
