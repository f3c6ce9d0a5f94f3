import { badCursor } from '../../page-walk.js';

/** Returns the number in a cursor; throws `bad_request` for anything else. */
export function parseOffset(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw badCursor();
  return Number(text);
}
