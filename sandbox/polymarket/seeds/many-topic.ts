import type { TAGS } from './seed.js';

/** An event with its markets, as texts. */
export interface Topic {
  readonly title: string;
  readonly tags: readonly (keyof typeof TAGS)[];
  readonly exclusive: boolean;
  readonly days: number;
  readonly outcomes?: readonly [string, string];
  /** The label is empty in an event of one market. */
  readonly markets: readonly { readonly question: string; readonly label: string }[];
}
