import { Link } from '@tanstack/react-router';
import { type ReactNode, useEffect, useLayoutEffect, useRef, useSyncExternalStore } from 'react';
import type { Schemas } from '../api/client.js';
import { useExchangeHosts } from '../api/queries.js';
import { applyTheme, chosenTheme, subscribeTheme, type Theme, THEMES } from '../design/theme.js';
import { installation } from '../installation.js';
import { useSession } from '../session/hooks.js';
import { ForeignText } from './foreign-text.js';
import { Progress } from './progress.js';
import css from './shell.module.css';

const MEANING = {
  sandbox: 'Play money. No order leaves this machine.',
  live: 'Real money. Orders go to:',
};

/** What is known of where the orders of an exchange go; nothing before somebody has signed in. */
function placeOf(hosts: Schemas['ExchangeHostDto'][] | undefined, id: string): ReactNode {
  const found = hosts?.find(({ exchange }) => exchange === id);
  if (found === undefined) return null;
  return found.host === null ? ' at a local address' : <code>{found.host}</code>;
}

/** Says on every page what this installation is; in words, as colours alone tell nobody anything. */
function Ribbon({ feedOf }: Pick<FrameProps, 'feedOf'>): ReactNode {
  const { mode, exchanges } = installation;
  const { phase } = useSession();
  const { data: hosts } = useExchangeHosts(phase === 'in');
  return (
    <aside className={css.ribbon} data-mode={mode} tabIndex={-1} aria-label="What this installation is">
      <strong>{mode === 'live' ? 'LIVE' : 'SANDBOX'}</strong>
      <span className={css.meaning}>{MEANING[mode]}</span>
      {exchanges.map(({ id, name, mode: own }) => (
        <span key={id}>
          {name}
          {mode === 'live' && own === 'sandbox' ? ' (sandbox)' : ''}{' '}
          <span className={css.place}>{placeOf(hosts, id)}</span> {feedOf?.(id)}
        </span>
      ))}
    </aside>
  );
}

function ThemeChoice(): ReactNode {
  const theme = useSyncExternalStore(subscribeTheme, chosenTheme);
  return (
    <label>
      Colours{' '}
      <select
        className={css.select}
        value={theme}
        onChange={({ target }) => {
          applyTheme(target.value as Theme);
        }}
      >
        {THEMES.map(([value, name]) => (
          <option key={value} value={value}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

interface FrameProps {
  readonly header?: ReactNode;
  /** How what the page shows of an exchange moves. */
  readonly feedOf?: ((exchange: string) => ReactNode) | undefined;
  readonly isNarrow?: boolean;
  readonly children: ReactNode;
}

/** What stands around every page. */
export function Frame({ header, feedOf, isNarrow = false, children }: FrameProps): ReactNode {
  const session = useSession();
  useLayoutEffect(() => {
    // What stood in the HTML until now.
    document.getElementById('before')?.remove();
  }, []);
  return (
    <>
      <a className={css.skip} href="#content">
        Skip to the content
      </a>
      <Ribbon feedOf={feedOf} />
      <header className={css.header}>
        <div className={css.bar}>
          <Link className={css.brand} to="/">
            Trading Proxy
          </Link>
          {header}
        </div>
      </header>
      <main id="content" className={`${css.main ?? ''} ${(isNarrow ? css.narrow : css.page) ?? ''}`}>
        <Progress />
        {children}
      </main>
      <footer className={css.footer}>
        <span>
          <a href="/docs" target="_blank" rel="noopener">
            API documentation
          </a>{' '}
          (in a new tab)
        </span>
        {session.phase === 'in' ? <span className={css.person}>Signed in as {session.user.email}</span> : null}
        <ThemeChoice />
      </footer>
    </>
  );
}

/** One that is open: one that closes still has the focus for a moment. */
const DIALOG = '[role="dialog"][data-open], [role="alertdialog"][data-open]';

interface PageTitleProps {
  readonly children: string;
  /** Whether an exchange wrote it. */
  readonly isForeign?: boolean;
}

/** The heading of a page: names the tab, and takes the focus as the page appears, so that screen readers begin here. */
export function PageTitle({ children, isForeign = false }: PageTitleProps): ReactNode {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${children} · Trading Proxy`;
    // Whoever types in a dialog by now, such as the search, goes on there.
    if (document.activeElement?.closest(DIALOG) === null) heading.current?.focus({ preventScroll: true });
  }, [children]);
  return (
    <h1 ref={heading} tabIndex={-1}>
      {isForeign ? <ForeignText text={children} /> : children}
    </h1>
  );
}
