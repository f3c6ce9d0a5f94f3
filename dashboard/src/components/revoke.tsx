import { AlertDialog } from '@base-ui/react/alert-dialog';
import { type ReactNode, useState } from 'react';
import { type ApiKey, useRevokeKey } from '../api/queries.js';
import { announce } from './announcer.js';
import { Button, buttonClass, FailureNotice, ui } from './ui.js';

/** One press from every page, then a confirmation: whoever needs it is in a hurry. */
export function RevokeKey({ apiKey }: { readonly apiKey: ApiKey }): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const revoke = useRevokeKey();
  const confirm = (): void => {
    revoke.mutate(apiKey.prefix, {
      onSuccess: ({ prefix }) => {
        setOpen(false);
        announce(`The key ${prefix}… is revoked. Nothing accepts it any more.`);
      },
    });
  };
  return (
    <AlertDialog.Root
      open={isOpen}
      onOpenChange={(open) => {
        setOpen(open);
        revoke.reset();
      }}
    >
      <AlertDialog.Trigger className={buttonClass('danger', 'small')}>Revoke key</AlertDialog.Trigger>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className={ui.backdrop} />
        <AlertDialog.Popup className={ui.dialog}>
          <AlertDialog.Title render={<h2 />}>Revoke the key “{apiKey.name}”?</AlertDialog.Title>
          <AlertDialog.Description render={<p />}>
            Every program that uses <code>{apiKey.prefix}…</code> stops at once, for good. Open orders stay open at the
            exchanges: cancel them there if you want them gone. This takes up to a second.
          </AlertDialog.Description>
          {revoke.error === null ? null : <FailureNotice error={revoke.error} />}
          <div className={ui.row}>
            <Button kind="dangerFull" onClick={confirm} disabled={revoke.isPending}>
              {revoke.isPending ? 'Revoking, up to a second…' : 'Revoke it now'}
            </Button>
            <AlertDialog.Close className={buttonClass()}>Keep it</AlertDialog.Close>
          </div>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}
