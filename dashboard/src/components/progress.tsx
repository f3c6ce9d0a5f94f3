import { useRouterState } from '@tanstack/react-router';
import { type ReactNode, useSyncExternalStore } from 'react';
import { silence } from '../service.js';
import css from './shell.module.css';
import { Notice } from './ui.js';

/** A bar at the top while a page is on its way; in words once the service does not answer at all. */
export function Progress(): ReactNode {
  const isLoading = useRouterState({ select: ({ status }) => status === 'pending' });
  const isSilent = useSyncExternalStore(silence.subscribe, silence.state);
  return (
    <>
      {isLoading || isSilent ? <div className={css.progress} role="progressbar" aria-label="Loading" /> : null}
      {isSilent ? (
        <Notice kind="bad">
          <strong>The service does not answer.</strong>
          <span>What you see may be out of date. This page goes on waiting, and shows what comes.</span>
        </Notice>
      ) : null}
    </>
  );
}
