import { useNavigate } from '@tanstack/react-router';
import { useEffect, useEffectEvent, useRef } from 'react';
import { PAGES } from '../pages.js';

/** What the box begins with: the words of the page, or all that can be done. */
export type Start = 'words' | 'commands';

/** Where a key is a sign that somebody types, and where a question is open. */
const TAKEN = 'input, textarea, select, [contenteditable], [role$=dialog]';
const ASKED = '[role$=dialog][data-open]';
/** After `g` the key of a page is waited for, in milliseconds. */
const SECOND_KEY_MS = 1_500;

function isTaken({ target }: KeyboardEvent): boolean {
  return (target instanceof Element && target.closest(TAKEN) !== null) || document.querySelector(ASKED) !== null;
}

/** Which box a key opens; null for none. */
function startOf({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): Start | null {
  if (altKey) return null;
  if (ctrlKey || metaKey) return key.toLowerCase() === 'k' ? 'commands' : null;
  if (key === '/') return 'words';
  return key === '?' ? 'commands' : null;
}

/** The keys of every page: `/`, Ctrl or Cmd K and `?` open the box, `g` and a letter a page. Never while somebody types or is asked. */
export function useKeys(open: (start: Start) => void): void {
  const navigate = useNavigate();
  const begunAt = useRef(-Infinity);
  const press = useEffectEvent((event: KeyboardEvent): void => {
    const isSecond = event.timeStamp - begunAt.current < SECOND_KEY_MS;
    begunAt.current = -Infinity;
    if (isTaken(event)) return;
    const start = startOf(event);
    if (start !== null) {
      event.preventDefault();
      open(start);
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const page = PAGES.find(({ key }) => key === event.key);
    if (isSecond && page !== undefined) void navigate({ to: page.to });
    else if (event.key === 'g') begunAt.current = event.timeStamp;
  });
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => {
      press(event);
    };
    addEventListener('keydown', listen);
    return () => {
      removeEventListener('keydown', listen);
    };
  }, []);
}
