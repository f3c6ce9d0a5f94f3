import { Link, useRouter } from '@tanstack/react-router';
import { type ReactNode, useEffect, useState } from 'react';
import { announce } from '../components/announcer.js';
import { Frame, PageTitle } from '../components/frame.js';
import { buttonClass, FailureNotice, Skeleton } from '../components/ui.js';
import { type Comeback, finishOAuth } from '../session/oauth.js';

/** Taken as the page begins, once, and out of the address: a code is for one use. */
let comeback: Comeback | undefined;

function comeBackOnce(): Comeback {
  if (comeback === undefined) {
    const query = new URLSearchParams(location.search);
    history.replaceState(history.state, '', location.pathname);
    comeback = finishOAuth(query);
  }
  return comeback;
}

const TEXTS = {
  'sign-in': { title: 'Signing you in', back: 'Back to sign in' },
  confirm: { title: 'Confirming that it is you', back: 'Back to where you were' },
};

/** Where sign-in providers send people back to. */
export function OAuthCallback(): ReactNode {
  const router = useRouter();
  const [{ purpose, returnTo, done }] = useState(comeBackOnce);
  const [error, setError] = useState<unknown>(null);
  useEffect(() => {
    done.then(() => {
      if (purpose === 'confirm') {
        announce(
          'You have confirmed that it is you, for 5 minutes. What you had typed in was not kept: fill it in again.',
        );
      }
      router.history.replace(`/dashboard${returnTo}`);
    }, setError);
  }, [router, purpose, returnTo, done]);
  const { title, back } = TEXTS[purpose];
  return (
    <Frame isNarrow>
      <PageTitle>{title}</PageTitle>
      {error === null ? (
        <Skeleton height={48} />
      ) : (
        <>
          <FailureNotice error={error} />
          <Link to="/sign-in" search={{ return: returnTo }} className={buttonClass('primary')}>
            {back}
          </Link>
        </>
      )}
    </Frame>
  );
}
