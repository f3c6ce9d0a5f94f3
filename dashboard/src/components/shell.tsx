import { CatchBoundary, Link, Outlet, useRouter } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense, useEffect, useState, useSyncExternalStore } from 'react';
import { useApiKey } from '../api/queries.js';
import { confirmation } from '../session/confirmation.js';
import { session } from '../session/session.js';
import { announce, Announcer, leaveAnnouncement } from './announcer.js';
import { LastHalt } from './bots/halt-report.js';
import { StopAllBots } from './bots/stop-all.js';
import { FeedState } from './feed-state.js';
import { Frame } from './frame.js';
import { DAILY, type PAGES, SET_UP } from './pages.js';
import { LastCancel } from './portfolio/result.js';
import { RevokeKey } from './revoke.js';
import { SearchButton } from './search/search-button.js';
import css from './shell.module.css';
import { Button, FailureNotice } from './ui.js';

function PageLink({ page: { to, label } }: { readonly page: (typeof PAGES)[number] }): ReactNode {
  return (
    <Link to={to} activeOptions={{ exact: true, includeSearch: false }}>
      {label}
    </Link>
  );
}

/** All pages in a row; on a small screen a bar of five at the bottom, the last of which opens the others. */
function Pages(): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const close = (): void => {
    setOpen(false);
  };
  return (
    <nav className={css.nav} aria-label="Pages">
      {DAILY.map((page) => (
        <PageLink key={page.to} page={page} />
      ))}
      <div
        className={css.more}
        onBlur={({ currentTarget, relatedTarget }) => {
          if (!currentTarget.contains(relatedTarget)) close();
        }}
        onKeyDown={({ key }) => {
          if (key === 'Escape') close();
        }}
      >
        <button
          type="button"
          className={css.moreButton}
          aria-expanded={isOpen}
          onClick={() => {
            setOpen(!isOpen);
          }}
        >
          More
        </button>
        <div className={css.morePages} data-open={isOpen} onClick={close}>
          {SET_UP.map((page) => (
            <PageLink key={page.to} page={page} />
          ))}
        </div>
      </div>
    </nav>
  );
}

function Header({ onError }: { readonly onError: (error: unknown) => void }): ReactNode {
  const apiKey = useApiKey();
  const [isStopping, setStopping] = useState(false);
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
      <Pages />
      <div className={css.tools}>
        <SearchButton
          onStopAll={() => {
            setStopping(true);
          }}
        />
        <span className={css.stopAll}>
          <StopAllBots isOpen={isStopping} onOpenChange={setStopping} />
        </span>
        <RevokeKey apiKey={apiKey.data ?? null} />
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

/** A script of its own, which comes when it is first needed. */
const ConfirmPerson = lazy(() => import('./confirm-person.js'));

/** The question cannot be shown: what waits for it is answered as it was refused. */
function Unasked(): ReactNode {
  useEffect(() => {
    confirmation.settle(false);
  });
  return null;
}

function AskPerson(): ReactNode {
  const isAsked = useSyncExternalStore(confirmation.subscribe, confirmation.isAsked);
  const [isNeeded, setNeeded] = useState(false);
  if (isAsked && !isNeeded) setNeeded(true);
  if (!isNeeded) return null;
  return (
    <CatchBoundary getResetKey={() => String(isAsked)} errorComponent={Unasked}>
      <Suspense fallback={null}>
        <ConfirmPerson />
      </Suspense>
    </CatchBoundary>
  );
}

function feedOf(exchange: string): ReactNode {
  return <FeedState exchange={exchange} />;
}

/** Around every page of a person who is signed in. */
export function Shell(): ReactNode {
  const [error, setError] = useState<unknown>(null);
  const router = useRouter();
  useEffect(
    () =>
      router.subscribe('onBeforeNavigate', ({ pathChanged }) => {
        if (!pathChanged) return;
        setError(null);
        leaveAnnouncement();
      }),
    [router],
  );
  return (
    <Frame header={<Header onError={setError} />} feedOf={feedOf}>
      {error === null ? null : <FailureNotice error={error} />}
      <Announcer />
      <LastHalt />
      <LastCancel />
      <Outlet />
      <AskPerson />
    </Frame>
  );
}
