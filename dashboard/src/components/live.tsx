import { type ReactNode, useEffect, useState } from 'react';
import { type Standing, useStandings } from '../api/live.js';
import type { Line } from '../streams/subscriptions.js';
import { Time } from './time.js';
import { Notice } from './ui.js';

/** Why something does not move by itself (feeds.md 1), in words that go on behind a colon. */
const REASONS: Readonly<Record<string, string>> = {
  exchange_disconnected: 'the exchange’s connection was lost',
  silent: 'the exchange has said nothing for too long',
  sequence_gap: 'a message of the exchange is missing',
  mismatch: 'the exchange contradicts what it said before',
  tick_size_changed: 'the steps of the prices have changed',
  market_resolved: 'the market is being resolved',
  market_closed: 'the market is being closed',
  unreachable: 'the connection to the service was lost',
  refused: 'the service does not follow it now',
  too_many: 'more is shown than one stream follows',
};

function whyOf({ reason }: Standing): string {
  return REASONS[reason ?? ''] ?? 'the service does not say why';
}

interface NotLiveProps {
  readonly lines: readonly Line[];
  /** What is not live, where there are several. */
  readonly nameOf?: (line: Line) => string;
}

/** What does not move by itself, and why. */
interface Still extends Standing {
  readonly text: string;
}

/** Of each line that does not move by itself why; nothing of those that do, or of which nothing was told yet. */
export function useStill({ lines, nameOf }: NotLiveProps): Still[] {
  const standings = useStandings(lines);
  const said = lines.flatMap((line, index) => {
    const standing = standings[index];
    if (standing?.state !== 'stale') return [];
    const name = nameOf?.(line);
    return [{ text: `${name === undefined ? 'Not live' : `${name} is not live`}: ${whyOf(standing)}.`, ...standing }];
  });
  // What many have in common is said once, from the first of them on.
  const each = new Map(said.sort((a, b) => b.since.localeCompare(a.since)).map((one) => [one.text, one]));
  return [...each.values()];
}

export function StillText({ text, since, reason }: Still): ReactNode {
  return (
    <span>
      <strong>{text}</strong> Since <Time iso={since} /> what you see may be out of date.{' '}
      {reason === 'too_many' ? 'It moves where less is shown.' : 'It moves again by itself.'}
    </span>
  );
}

export function NotLive(props: NotLiveProps): ReactNode {
  return useStill(props).map((still) => (
    <Notice key={still.text}>
      <StillText {...still} />
    </Notice>
  ));
}

/** Whether all of some lines move by themselves; of no lines not. */
export function useAreLive(lines: readonly Line[]): boolean {
  const standings = useStandings(lines);
  return lines.length > 0 && standings.every((standing) => standing?.state === 'live');
}

interface FreshnessProps {
  readonly line: Line;
  /** When it was read, in milliseconds of this machine's clock. */
  readonly readAt: number;
}

/** "live", or how long ago it was read; nothing where `NotLive` says since when it may be out of date. */
export function Freshness({ line, readAt }: FreshnessProps): ReactNode {
  const [standing] = useStandings([line]);
  if (standing?.state === 'stale') return null;
  return <>, {standing?.state === 'live' ? 'live' : <Age at={readAt} />}</>;
}

const MINUTE_S = 60;
const HOUR_S = 3_600;

/** A length of time in few signs. */
export function ageIn(seconds: number): string {
  if (seconds < MINUTE_S) return `${seconds} s`;
  if (seconds < HOUR_S) return `${Math.floor(seconds / MINUTE_S)} min`;
  return `${Math.floor(seconds / HOUR_S)} h`;
}

/** How long ago something was, by `at` in milliseconds of this machine's clock; counted on. */
export function useAge(at: number): string {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => {
      setNow(Date.now());
    }, 1_000);
    return () => {
      clearInterval(timer);
    };
  }, []);
  return ageIn(Math.max(0, Math.floor((now - at) / 1_000)));
}

/** How long ago something was read. */
export function Age({ at }: { readonly at: number }): ReactNode {
  return <>read {useAge(at)} ago</>;
}
