import { Dialog } from '@base-ui/react/dialog';
import type { ReactNode } from 'react';
import { CallForm, TextField } from '../form.js';
import { buttonClass, Card, ui } from '../ui.js';

interface DeleteAccountProps {
  /** Does it; what it throws is shown. */
  readonly onDelete: (password: string) => Promise<void>;
}

/** Removes the account once its password is given. */
export function DeleteAccount({ onDelete }: DeleteAccountProps): ReactNode {
  return (
    <Card title="Delete the account">
      <p>Everything of yours is removed here, at once and for good.</p>
      <Dialog.Root>
        <div className={ui.row}>
          <Dialog.Trigger className={buttonClass('danger')}>Delete my account</Dialog.Trigger>
        </div>
        <Dialog.Portal>
          <Dialog.Backdrop className={ui.backdrop} />
          <Dialog.Popup className={ui.dialog}>
            <Dialog.Title render={<h2 />}>Delete your account?</Dialog.Title>
            <Dialog.Description render={<div className={ui.stack} />}>
              <p>
                Your API key and the keys of your bots die, and programs that use them stop. Credentials and session
                keys are erased. There is no way back.
              </p>
              <p>
                <strong>Open orders and positions stay at the exchanges.</strong> Cancel your orders first if you want
                them gone.
              </p>
            </Dialog.Description>
            <CallForm action="Delete it for good" onSend={(field) => onDelete(field('password'))}>
              <TextField label="Your password" name="password" type="password" autoComplete="current-password" />
            </CallForm>
            <Dialog.Close className={buttonClass()}>Keep it</Dialog.Close>
          </Dialog.Popup>
        </Dialog.Portal>
      </Dialog.Root>
    </Card>
  );
}
