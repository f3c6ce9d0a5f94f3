import { type ReactNode, useSyncExternalStore } from 'react';
import { Button, ui } from './ui.js';

let text = '';
/** In milliseconds of this machine's clock. */
let saidAt = 0;
const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Takes the focus where an action has removed what had it. */
export const RESULT = 'result';

/** Says the result of an action on whatever page is shown then; empty for nothing. */
export function announce(result: string): void {
  text = result;
  saidAt = Date.now();
  for (const listener of [...listeners]) listener();
}

/** What is said on the way to a page, in milliseconds before it, is for that page. */
const ON_THE_WAY_MS = 500;

/** The page changes: what was said on the one before is over. */
export function leaveAnnouncement(): void {
  if (text !== '' && Date.now() - saidAt > ON_THE_WAY_MS) announce('');
}

/** The last result, heard by screen readers as it comes. */
export function Announcer(): ReactNode {
  const said = useSyncExternalStore(subscribe, () => text);
  return (
    <div role="status" id={RESULT} tabIndex={-1}>
      {said === '' ? null : (
        <div className={ui.notice} data-kind="good">
          <div className={ui.cardHead}>
            <span>{said}</span>
            <Button
              isSmall
              onClick={() => {
                announce('');
              }}
            >
              Close
            </Button>
          </div>
        </div>
      )}
    </div>
  );
}
