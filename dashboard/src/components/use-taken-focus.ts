import { type RefObject, useEffect, useRef } from 'react';

/**
 * Takes the focus as it appears, where what had it has just gone, such as the button that brought it: the first field in it,
 * else itself. People at a keyboard go on where they were.
 */
export function useTakenFocus<T extends HTMLElement>(): RefObject<T | null> {
  const place = useRef<T>(null);
  useEffect(() => {
    if (document.activeElement !== document.body) return;
    const field = place.current?.querySelector<HTMLElement>('input, textarea');
    (field ?? place.current)?.focus();
  }, []);
  return place;
}
