import { type ErrorComponentProps, Link, useRouter } from '@tanstack/react-router';
import { type ReactNode, useEffect } from 'react';
import { Failure } from '../api/failure.js';
import { Frame, PageTitle } from '../components/frame.js';
import { FailureNotice, Skeleton } from '../components/ui.js';
import { PartMissing } from '../parts.js';
import { askService } from '../service.js';

export function NotFound(): ReactNode {
  return (
    <>
      <PageTitle>There is no such page</PageTitle>
      <p>
        The address may be mistyped, or from another version. Go to the <Link to="/">overview</Link>.
      </p>
    </>
  );
}

/** How often the service is asked whether it is there again, in milliseconds. */
const AGAIN_MS = 2_000;
/** A page is loaded anew by itself once in this time, in milliseconds: a part that never comes would go round in circles. */
const ANEW_MS = 60_000;

/** Loads this page anew; not by itself where it has just done so. The history of the tab remembers when that was. */
function loadAnew(): void {
  const state = history.state as { readonly loadedAnewAt?: number } | null;
  if (Date.now() - (state?.loadedAnewAt ?? 0) < ANEW_MS) return;
  history.replaceState({ ...state, loadedAnewAt: Date.now() }, '');
  location.reload();
}

interface AwayProps {
  /** Whether a script did not come: browsers do not ask for the same one twice, so the page must be loaded anew. */
  readonly isPartMissing: boolean;
}

/** Stands in the place of a page until the service can be reached. */
function Away({ isPartMissing }: AwayProps): ReactNode {
  const router = useRouter();
  useEffect(() => {
    let isGone = false;
    const look = async (): Promise<void> => {
      const answer = await askService(AGAIN_MS);
      if (isGone) return;
      if (answer === 'newer' || (answer === 'same' && isPartMissing)) loadAnew();
      else if (answer === 'same') await router.invalidate();
    };
    const timer = setInterval(() => void look(), AGAIN_MS);
    void look();
    return () => {
      isGone = true;
      clearInterval(timer);
    };
  }, [router, isPartMissing]);
  return (
    <>
      <PageTitle>The service cannot be reached</PageTitle>
      <FailureNotice
        error={Failure.unreachable()}
        onRetry={() => {
          location.reload();
        }}
      />
      <p>This page is tried again by itself, every few seconds.</p>
    </>
  );
}

/** Stands in the place of a page that could not be shown. */
export function Trouble({ error }: ErrorComponentProps): ReactNode {
  const isPartMissing = error instanceof PartMissing;
  if (isPartMissing || (error instanceof Failure && error.code === 'unreachable')) {
    return <Away isPartMissing={isPartMissing} />;
  }
  return (
    <>
      <PageTitle>This page could not be shown</PageTitle>
      <FailureNotice
        error={error}
        onRetry={() => {
          location.reload();
        }}
      />
    </>
  );
}

/** The same where nothing stands around a page. */
export function FramedTrouble(props: ErrorComponentProps): ReactNode {
  return (
    <Frame isNarrow>
      <Trouble {...props} />
    </Frame>
  );
}

/** Stands in the place of a page that is being loaded. */
export function Pending(): ReactNode {
  return <Skeleton height={320} />;
}

export function FramedPending(): ReactNode {
  return (
    <Frame isNarrow>
      <Pending />
    </Frame>
  );
}
