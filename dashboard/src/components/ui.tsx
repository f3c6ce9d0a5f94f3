import { Link } from '@tanstack/react-router';
import { type ComponentProps, type ReactNode, useEffect, useState } from 'react';
import { explain } from '../api/explain.js';
import css from './ui.module.css';

type Kind = 'plain' | 'primary' | 'danger' | 'dangerFull';

/** Class names of a button, also for links that look like one. */
export function buttonClass(kind: Kind = 'plain', ...more: ('small' | 'wide')[]): string {
  return [css.button, kind === 'plain' ? '' : css[kind], ...more.map((name) => css[name])].join(' ');
}

interface ButtonProps extends ComponentProps<'button'> {
  readonly kind?: Kind;
  readonly isSmall?: boolean;
}

export function Button({ kind = 'plain', isSmall = false, ...rest }: ButtonProps): ReactNode {
  return <button type="button" className={buttonClass(kind, ...(isSmall ? (['small'] as const) : []))} {...rest} />;
}

interface CardProps {
  readonly title: string;
  /** What stands beside the title. */
  readonly aside?: ReactNode;
  readonly children: ReactNode;
}

export function Card({ title, aside, children }: CardProps): ReactNode {
  return (
    <section className={css.card} aria-label={title}>
      <div className={css.cardHead}>
        <h2>{title}</h2>
        {aside}
      </div>
      {children}
    </section>
  );
}

interface CopyProps {
  readonly text: string;
  /** What is copied, for whoever does not see it. */
  readonly what: string;
}

/** Copies a text; says on itself whether that went well. */
export function CopyButton({ text, what }: CopyProps): ReactNode {
  const [said, say] = useState('Copy');
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      say('Copied');
    } catch {
      say('Select and copy it by hand');
    }
    setTimeout(say, 2_500, 'Copy');
  };
  return (
    <Button isSmall onClick={() => void copy()} aria-label={said === 'Copy' ? `Copy ${what}` : said}>
      <span aria-live="polite">{said}</span>
    </Button>
  );
}

interface NoticeProps {
  readonly kind?: 'note' | 'good' | 'bad';
  readonly children: ReactNode;
}

/** Says what happened; screen readers hear it as it appears. */
export function Notice({ kind = 'note', children }: NoticeProps): ReactNode {
  return (
    <div className={css.notice} data-kind={kind} role={kind === 'bad' ? 'alert' : 'status'}>
      {children}
    </div>
  );
}

interface FailureNoticeProps {
  readonly error: unknown;
  readonly onRetry?: () => void;
}

/** Whole seconds until a time of this machine's clock, counted down; 0 once it is past. */
export function useSecondsUntil(time: number): number {
  const [now, setNow] = useState(Date.now);
  const left = Math.max(0, Math.ceil((time - now) / 1_000));
  useEffect(() => {
    if (left === 0) return undefined;
    const timer = setTimeout(() => {
      setNow(Date.now());
    }, 250);
    return () => {
      clearTimeout(timer);
    };
  }, [left, now]);
  return left;
}

interface AgainProps {
  readonly retryAt: number;
  readonly onRetry: (() => void) | undefined;
}

/** Tries again, once that can help. */
function Again({ retryAt, onRetry }: AgainProps): ReactNode {
  const seconds = useSecondsUntil(retryAt);
  if (onRetry === undefined) return seconds === 0 ? null : <span>It can be tried again in {seconds} s.</span>;
  return (
    <span>
      <Button isSmall onClick={onRetry} disabled={seconds > 0}>
        {seconds > 0 ? `Try again in ${seconds} s` : 'Try again'}
      </Button>
    </span>
  );
}

/** As the service said it, with the request id that its operator asks for. */
function Details({ said, requestId }: { readonly said: string | null; readonly requestId: string | null }): ReactNode {
  if (said === null && requestId === null) return null;
  return (
    <details>
      <summary>Details</summary>
      {said === null ? null : <p>{said}</p>}
      {requestId === null ? null : (
        <p className={css.request}>
          Request id <code>{requestId}</code> <CopyButton text={requestId} what="the request id" />
        </p>
      )}
    </details>
  );
}

/** An error in words, with what mends it. Screen readers hear the words as they appear, and no countdown. */
export function FailureNotice({ error, onRetry }: FailureNoticeProps): ReactNode {
  const { happened, advice, link, retryAt, said, requestId } = explain(error);
  return (
    <div className={css.notice} data-kind="bad">
      <div role="alert">
        <strong>{happened}</strong> {advice}
      </div>
      {link === undefined ? null : (
        <span>
          <Link to={link.to}>{link.label}</Link>
        </span>
      )}
      <Again key={retryAt} retryAt={retryAt} onRetry={onRetry} />
      <Details said={said} requestId={requestId} />
    </div>
  );
}

/** Stands where something will be, in its height. */
export function Skeleton({ height }: { readonly height: number }): ReactNode {
  return <span className={css.skeleton} style={{ height }} aria-hidden="true" />;
}

interface QueryLike<T> {
  readonly data: T | undefined;
  readonly error: unknown;
  readonly refetch: () => unknown;
}

interface LoadedProps<T> {
  readonly query: QueryLike<T>;
  /** Of what will be there, in pixels. */
  readonly height: number;
  readonly children: (data: T) => ReactNode;
}

/** What a query found; until then a place of its height; its error where it failed, above what was found before. */
export function Loaded<T>({ query, height, children }: LoadedProps<T>): ReactNode {
  if (query.data !== undefined) {
    return (
      <>
        {query.error === null ? null : <FailureNotice error={query.error} onRetry={() => void query.refetch()} />}
        {children(query.data)}
      </>
    );
  }
  if (query.error !== null) return <FailureNotice error={query.error} onRetry={() => void query.refetch()} />;
  return <Skeleton height={height} />;
}

export { css as ui };
