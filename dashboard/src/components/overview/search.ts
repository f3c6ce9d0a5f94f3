import { oneOf, written } from '../../address.js';

/** How far back the curve of the overview goes. */
export const OVERVIEW_SPANS = ['day', 'week', 'month'] as const;
export type OverviewSpan = (typeof OVERVIEW_SPANS)[number];

/** What the address of the overview says; what is left out is a week. */
interface OverviewSearch {
  readonly span?: OverviewSpan;
}

/** Reads an address that anybody may have written. */
export function overviewSearchOf(raw: Record<string, unknown>): OverviewSearch {
  return written<Required<OverviewSearch>>({ span: oneOf(raw.span, OVERVIEW_SPANS) });
}
