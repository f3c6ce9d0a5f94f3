import { type ReactNode, useSyncExternalStore } from 'react';
import { Button, ui } from './ui.js';

let text = '';
const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Says the result of an action on whatever page is shown then; empty for nothing. */
export function announce(result: string): void {
  text = result;
  for (const listener of [...listeners]) listener();
}

/** The last result, heard by screen readers as it comes. */
export function Announcer(): ReactNode {
  const said = useSyncExternalStore(subscribe, () => text);
  return (
    <div role="status">
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
