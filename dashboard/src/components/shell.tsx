import { Link, Outlet } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useApiKey } from '../api/queries.js';
import { session } from '../session/session.js';
import { announce, Announcer } from './announcer.js';
import { Frame } from './frame.js';
import { RevokeKey } from './revoke.js';
import css from './shell.module.css';
import { Button, FailureNotice } from './ui.js';

const PAGES = [
  { to: '/', label: 'Overview' },
  { to: '/portfolio', label: 'Portfolio' },
  { to: '/markets', label: 'Markets' },
  { to: '/activity', label: 'Activity' },
  { to: '/api-key', label: 'API key' },
  { to: '/credentials', label: 'Exchanges' },
  { to: '/profile', label: 'Profile' },
] as const;

function Header({ onError }: { readonly onError: (error: unknown) => void }): ReactNode {
  const apiKey = useApiKey();
  const signOut = async (): Promise<void> => {
    onError(null);
    try {
      await session.signOut();
      announce('');
    } catch (error) {
      onError(error);
    }
  };
  return (
    <>
      <nav className={css.nav} aria-label="Pages">
        {PAGES.map(({ to, label }) => (
          <Link key={to} to={to} activeOptions={{ exact: true }}>
            {label}
          </Link>
        ))}
      </nav>
      <div className={css.tools}>
        {apiKey.data ? <RevokeKey apiKey={apiKey.data} /> : null}
        {apiKey.data === undefined && apiKey.error !== null ? (
          <Button isSmall onClick={() => void apiKey.refetch()} disabled={apiKey.isFetching}>
            Key not known: ask again
          </Button>
        ) : null}
        <Button isSmall onClick={() => void signOut()}>
          Sign out
        </Button>
      </div>
    </>
  );
}

/** Around every page of a person who is signed in. */
export function Shell(): ReactNode {
  const [error, setError] = useState<unknown>(null);
  return (
    <Frame header={<Header onError={setError} />}>
      {error === null ? null : <FailureNotice error={error} />}
      <Announcer />
      <Outlet />
    </Frame>
  );
}
