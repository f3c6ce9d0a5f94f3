import type { ReactNode } from 'react';
import { ui } from './ui.js';

/** Signs that order, hide or join others, and have no look of their own: control, direction, zero width, fillers. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\u{115F}\u{1160}\u{3164}\u{FFA0}]/gu;
/** The same, but for the ends of lines. */
const UNSEEN_IN_LINES = /[^\P{Cc}\n]|[\p{Cf}\p{Co}\p{Cs}\u{115F}\u{1160}\u{3164}\u{FFA0}]/gu;
const BLANKS = /[\s\u{2028}\u{2029}]+/gu;
/** More accents on one letter than any script has. */
const STACKED = /(\p{M}{3})\p{M}+/gu;

/** So many signs of a text are shown: more than two lines hold. */
const LONGEST = 500;
/** In a sentence of ours. */
const LONGEST_QUOTED = 120;

function cut(text: string, longest: number): string {
  if (text.length <= longest) return text;
  const signs = Array.from(text.slice(0, 2 * longest + 2));
  return signs.length <= longest ? text : `${signs.slice(0, longest).join('')}…`;
}

/**
 * A text of an exchange as one line, where no element can stand (a title of the page, an option, a label): no sign that
 * cannot be seen, no tower of accents, not longer than `longest` signs.
 */
export function plainText(text: string, longest: number = LONGEST): string {
  const seen = text.normalize('NFC').replace(BLANKS, ' ').replace(UNSEEN, '').replace(STACKED, '$1');
  return cut(seen.trim(), longest);
}

interface ForeignTextProps {
  readonly text: string;
  /** `quoted` within a sentence of ours, so that nobody takes it for ours; `whole` with its lines, however many. */
  readonly form?: 'quoted' | 'whole';
}

/** A text of an exchange: apart from ours in its direction, never wider than its place, in two lines at most. */
export function ForeignText({ text, form }: ForeignTextProps): ReactNode {
  if (form === 'quoted') {
    return (
      <span className={ui.quoted}>
        “<bdi>{plainText(text, LONGEST_QUOTED)}</bdi>”
      </span>
    );
  }
  if (form === 'whole') {
    return <bdi className={ui.foreignLines}>{text.replace(UNSEEN_IN_LINES, '').replace(STACKED, '$1')}</bdi>;
  }
  return <bdi className={ui.foreign}>{plainText(text)}</bdi>;
}
