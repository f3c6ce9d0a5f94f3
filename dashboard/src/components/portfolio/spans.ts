import { DAY_MS } from '../../api/account.js';
import type { Span } from './search.js';

export const SPAN_LABELS: Readonly<Record<Span, string>> = { day: 'Day', week: 'Week', month: 'Month', all: 'All' };
/** In days before today; the service keeps points for 400. */
const SPAN_DAYS: Readonly<Record<Span, number>> = { day: 1, week: 7, month: 30, all: 400 };

/** When a course of equity begins, in milliseconds, by when the reader's day began. */
export function spanStart(span: Span, midnight: number): number {
  return midnight - SPAN_DAYS[span] * DAY_MS;
}
