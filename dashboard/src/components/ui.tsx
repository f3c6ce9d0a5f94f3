import { type ComponentProps, type ReactNode, useState } from 'react';
import { explain } from '../api/failure.js';
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

/** An error in words, with the request id that its operator asks for. */
export function FailureNotice({ error, onRetry }: FailureNoticeProps): ReactNode {
  const { happened, advice, requestId } = explain(error);
  return (
    <Notice kind="bad">
      <strong>{happened}</strong>
      {advice === '' ? null : <span>{advice}</span>}
      {requestId === null ? null : (
        <span className={css.request}>
          Request id <code>{requestId}</code> <CopyButton text={requestId} what="the request id" />
        </span>
      )}
      {onRetry === undefined ? null : (
        <span>
          <Button isSmall onClick={onRetry}>
            Try again
          </Button>
        </span>
      )}
    </Notice>
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

const LOCAL = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

/** A time in the reader's zone, with UTC on hover. */
export function Time({ iso }: { readonly iso: string }): ReactNode {
  return (
    <time dateTime={iso} title={`${iso.replace('T', ' ').replace(/\.\d+Z$/, '')} UTC`}>
      {LOCAL.format(new Date(iso))}
    </time>
  );
}

export { css as ui };
