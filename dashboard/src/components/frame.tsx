import { Link } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { applyTheme, chosenTheme, type Theme } from '../design/theme.js';
import { installation } from '../installation.js';
import { useSession } from '../session/hooks.js';
import css from './shell.module.css';

const MEANING = {
  sandbox: 'Play money. No order leaves this machine.',
  live: 'Real money. Orders go to:',
};

/** Says on every page what this installation is; in words, as colours alone tell nobody anything. */
function Ribbon(): ReactNode {
  const { mode, exchanges } = installation;
  return (
    <aside className={css.ribbon} data-mode={mode} aria-label="What this installation is">
      <strong>{mode === 'live' ? 'LIVE' : 'SANDBOX'}</strong>
      <span>{MEANING[mode]}</span>
      {exchanges.map(({ id, name, mode: own, addresses }) => (
        <span key={id}>
          {name}
          {mode === 'live' && own === 'sandbox' ? ' (sandbox)' : ''} <code>{hostOf(addresses[0])}</code>
        </span>
      ))}
    </aside>
  );
}

function hostOf(address = ''): string {
  return URL.canParse(address) ? new URL(address).host : address;
}

function ThemeChoice(): ReactNode {
  const [theme, setTheme] = useState(chosenTheme);
  return (
    <label>
      Colours{' '}
      <select
        className={css.select}
        value={theme}
        onChange={({ target }) => {
          applyTheme(target.value as Theme);
          setTheme(target.value as Theme);
        }}
      >
        <option value="system">As the system</option>
        <option value="light">Light</option>
        <option value="dark">Dark</option>
      </select>
    </label>
  );
}

interface FrameProps {
  readonly header?: ReactNode;
  readonly isNarrow?: boolean;
  readonly children: ReactNode;
}

/** What stands around every page. */
export function Frame({ header, isNarrow = false, children }: FrameProps): ReactNode {
  const session = useSession();
  return (
    <>
      <a className={css.skip} href="#content">
        Skip to the content
      </a>
      <Ribbon />
      <header className={css.header}>
        <div className={css.bar}>
          <Link className={css.brand} to="/">
            Trading Proxy
          </Link>
          {header}
        </div>
      </header>
      <main id="content" className={`${css.main ?? ''} ${isNarrow ? (css.narrow ?? '') : ''}`}>
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

/** The heading of a page: names the tab, and takes the focus as the page appears, so that screen readers begin here. */
export function PageTitle({ children }: { readonly children: string }): ReactNode {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${children} · Trading Proxy`;
    heading.current?.focus({ preventScroll: true });
  }, [children]);
  return (
    <h1 ref={heading} tabIndex={-1}>
      {children}
    </h1>
  );
}
