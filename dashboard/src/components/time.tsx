import type { ReactNode } from 'react';
import { useTip } from './tip.js';

const CLOCK = { hour: 'numeric', minute: '2-digit', second: '2-digit' } as const;
const DAY = { year: 'numeric', month: 'short', day: 'numeric' } as const;
const MS = { fractionalSecondDigits: 3 } as const;

const FORMATS = {
  today: new Intl.DateTimeFormat(undefined, CLOCK),
  todayMs: new Intl.DateTimeFormat(undefined, { ...CLOCK, ...MS }),
  day: new Intl.DateTimeFormat(undefined, { ...DAY, ...CLOCK }),
  dayMs: new Intl.DateTimeFormat(undefined, { ...DAY, ...CLOCK, ...MS }),
} as const;

interface TimeProps {
  readonly iso: string;
  /** On the page of one order, where what happened within a second has an order. */
  readonly withMs?: boolean;
}

/** A time in the reader's zone, today's without the date; UTC where it has the focus, is touched or pointed at. */
export function Time({ iso, withMs = false }: TimeProps): ReactNode {
  const [handlers, tip] = useTip(iso.replace('T', ' ').replace('Z', ' UTC'));
  const time = new Date(iso);
  const isToday = time.toDateString() === new Date().toDateString();
  const format = FORMATS[`${isToday ? 'today' : 'day'}${withMs ? 'Ms' : ''}`];
  return (
    <>
      <time dateTime={iso} {...handlers}>
        {format.format(time)}
      </time>
      {tip}
    </>
  );
}
