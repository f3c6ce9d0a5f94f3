import { Dialog } from '@base-ui/react/dialog';
import { useRouter } from '@tanstack/react-router';
import { type ReactNode, useState, useSyncExternalStore } from 'react';
import { confirmByPassword } from '../api/confirmation.js';
import { useProfile } from '../api/profile.js';
import { useProviders } from '../api/queries.js';
import { confirmation } from '../session/confirmation.js';
import { canStartOAuth, PROVIDER_NAMES, startOAuth } from '../session/oauth.js';
import { CallForm, TextField } from './form.js';
import { Button, buttonClass, FailureNotice, ui } from './ui.js';

function ByPassword(): ReactNode {
  return (
    <CallForm
      action="Confirm"
      onSend={async (field) => {
        await confirmByPassword(field('password'));
        confirmation.settle(true);
      }}
    >
      <TextField label="Your password" name="password" type="password" autoComplete="current-password" />
    </CallForm>
  );
}

/** Those that sign in to this account, and can lead back to this page. */
function ByProvider({ linked }: { readonly linked: readonly string[] }): ReactNode {
  const { data: providers = [] } = useProviders();
  const { state } = useRouter();
  const [error, setError] = useState<unknown>(null);
  const usable = canStartOAuth() ? providers.filter(({ id }) => linked.includes(id)) : [];
  if (usable.length === 0) return null;
  return (
    <div className={ui.stack}>
      {usable.map((provider) => (
        <Button
          key={provider.id}
          onClick={() => void startOAuth(provider, state.location.href, 'confirm').catch(setError)}
        >
          Confirm with {PROVIDER_NAMES[provider.id]}
        </Button>
      ))}
      <p className={ui.hint}>
        You leave this page and come back to it. What you have typed in is kept nowhere: fill it in again then.
      </p>
      {error === null ? null : <FailureNotice error={error} />}
    </div>
  );
}

function Ways(): ReactNode {
  const { data: profile } = useProfile();
  const linked = profile?.providers ?? ['email'];
  return (
    <>
      {linked.includes('email') ? <ByPassword /> : null}
      <ByProvider linked={linked} />
    </>
  );
}

/** Asks in place, whatever page needs it; what is typed into that page stays. */
export default function ConfirmPerson(): ReactNode {
  const isAsked = useSyncExternalStore(confirmation.subscribe, confirmation.isAsked);
  return (
    <Dialog.Root
      open={isAsked}
      onOpenChange={(isOpen) => {
        if (!isOpen) confirmation.settle(false);
      }}
    >
      <Dialog.Portal>
        <Dialog.Backdrop className={ui.backdrop} />
        <Dialog.Popup className={ui.dialog}>
          <Dialog.Title render={<h2 />}>Is it you?</Dialog.Title>
          <Dialog.Description render={<div className={ui.stack} />}>
            <p>
              You signed in more than 30 minutes ago. Before anything can trade for you anew, confirm that it is you;
              that is good for 5 minutes. To sign out and in again does as well.
            </p>
          </Dialog.Description>
          <Ways />
          <Dialog.Close className={buttonClass()}>Do nothing</Dialog.Close>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
