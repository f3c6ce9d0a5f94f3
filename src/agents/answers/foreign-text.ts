/** Most characters of a foreign text, and of a description. */
export const MOST_CHARACTERS = 200;
export const MOST_IN_DESCRIPTION = 1_000;

/** Controls and separators of lines. */
const BREAKS = /[\p{Cc}\p{Zl}\p{Zp}\s]+/gu;
/** What nobody sees, and what turns writing around: zero-width, bidirectional and tag characters, variation selectors, halves of pairs. */
const UNSEEN = /[\p{Cf}\p{Co}\p{Cs}\p{Cn}\p{Default_Ignorable_Code_Point}]+/gu;
/** Of so many UTF-16 units for each character that is left, no more are looked at. */
const UNITS_PER_CHARACTER = 8;

/** A text from outside without the characters that nobody sees, its white space as single spaces, cut to so many code points. */
export function cleanForeign(text: string, most: number): string {
  const looked = text.slice(0, most * UNITS_PER_CHARACTER);
  const points = Array.from(looked.replaceAll(BREAKS, ' ').replaceAll(UNSEEN, '').trim());
  return points.length <= most ? points.join('') : `${points.slice(0, most - 1).join('')}…`;
}
