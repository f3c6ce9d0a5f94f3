import { Link, useRouter } from '@tanstack/react-router';
import { type ReactNode, useEffect, useState } from 'react';
import { Frame, PageTitle } from '../components/frame.js';
import { buttonClass, FailureNotice, Skeleton } from '../components/ui.js';
import { finishOAuth } from '../session/oauth.js';

/** Taken as the page begins, once, and out of the address: a code is for one use. */
let finished: Promise<string> | undefined;

function finishOnce(): Promise<string> {
  if (finished === undefined) {
    const query = new URLSearchParams(location.search);
    history.replaceState(history.state, '', location.pathname);
    finished = finishOAuth(query);
  }
  return finished;
}

/** Where sign-in providers send people back to. */
export function OAuthCallback(): ReactNode {
  const router = useRouter();
  const [error, setError] = useState<unknown>(null);
  useEffect(() => {
    finishOnce().then((returnTo) => {
      router.history.replace(`/dashboard${returnTo.replace(/^\/dashboard/, '')}`);
    }, setError);
  }, [router]);
  return (
    <Frame isNarrow>
      <PageTitle>Signing you in</PageTitle>
      {error === null ? (
        <Skeleton height={48} />
      ) : (
        <>
          <FailureNotice error={error} />
          <Link to="/sign-in" search={{ return: '/' }} className={buttonClass('primary')}>
            Back to sign in
          </Link>
        </>
      )}
    </Frame>
  );
}
