import type { ReactNode } from 'react';
import { useFeed } from '../api/live.js';
import { useAge } from './live.js';
import css from './shell.module.css';

function Stale({ since }: { readonly since: string }): ReactNode {
  return <strong>○ stale {useAge(Date.parse(since))}</strong>;
}

/** Whether what the page shows of an exchange moves by itself; nothing where the page shows nothing that does. */
export function FeedState({ exchange }: { readonly exchange: string }): ReactNode {
  const feed = useFeed(exchange);
  return (
    <span className={css.feed} data-feed={exchange}>
      {feed === 'live' ? '● live' : null}
      {feed === null || feed === 'live' ? null : <Stale since={feed.staleSince} />}
    </span>
  );
}
