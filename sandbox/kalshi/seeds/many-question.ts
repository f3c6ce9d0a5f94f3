/** A series with its events and their markets, as texts. */
export interface Question {
  readonly series: string;
  readonly seriesTitle: string;
  readonly category: string;
  readonly tags: readonly string[];
  /** Behind the ticker of the series. */
  readonly event: string;
  readonly title: string;
  readonly subtitle: string;
  readonly exclusive: boolean;
  readonly days: number;
  readonly markets: readonly { readonly code: string; readonly title: string; readonly subtitle: string }[];
}
