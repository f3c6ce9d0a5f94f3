import { type ReactNode, useState } from 'react';
import type { TimeSpan } from '../../api/portfolio.js';
import { Time } from '../time.js';
import { ui } from '../ui.js';

export function isBounded({ start, end }: TimeSpan): boolean {
  return start !== undefined || end !== undefined;
}

function dayOf(time: Date): string {
  const [month, day] = [time.getMonth() + 1, time.getDate()].map((part) => String(part).padStart(2, '0'));
  return `${String(time.getFullYear()).padStart(4, '0')}-${month ?? ''}-${day ?? ''}`;
}

/** When a day of the reader's zone begins, or one of so many days after it; as ISO 8601. */
function midnightOf(day: string, daysAfter = 0): string {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  return new Date(year, month - 1, date + daysAfter).toISOString();
}

/** Years before this are some that is still typed. */
const FIRST_DAY = '2000-01-01';

interface DayProps {
  readonly label: string;
  /** Empty for none. */
  readonly value: string;
  readonly onChange: (day: string) => void;
}

/** A day, which is told once it is whole. */
function Day({ label, value, onChange }: DayProps): ReactNode {
  const [known, setKnown] = useState(value);
  const [typed, setTyped] = useState(value);
  if (known !== value) {
    setKnown(value);
    setTyped(value);
  }
  return (
    <label className={ui.field}>
      <span className={ui.label}>{label}</span>
      <input
        className={ui.input}
        type="date"
        value={typed}
        onChange={({ target }) => {
          setTyped(target.value);
          if (target.value === '' || target.value >= FIRST_DAY) onChange(target.value);
        }}
      />
    </label>
  );
}

interface DaysProps {
  readonly span: TimeSpan;
  /** Empty for no bound. */
  readonly onChange: (change: { readonly start?: string; readonly end?: string }) => void;
}

/** Days of the reader's zone, both of them with all that they hold. */
export function Days({ span: { start, end }, onChange }: DaysProps): ReactNode {
  const last = end === undefined ? '' : dayOf(new Date(Date.parse(end) - 1));
  return (
    <>
      <Day
        label="From"
        value={start === undefined ? '' : dayOf(new Date(start))}
        onChange={(day) => {
          onChange({ start: day === '' ? '' : midnightOf(day) });
        }}
      />
      <Day
        label="To"
        value={last}
        onChange={(day) => {
          onChange({ end: day === '' ? '' : midnightOf(day, 1) });
        }}
      />
    </>
  );
}

/** Which time it is, to the second: an address may name any. */
export function SpanText({ start, end }: TimeSpan): ReactNode {
  return (
    <>
      {start === undefined ? '' : <>from {<Time iso={start} />}</>}
      {start === undefined || end === undefined ? '' : ' '}
      {end === undefined ? '' : <>until {<Time iso={end} />}</>}
    </>
  );
}
