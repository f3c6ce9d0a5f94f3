import { type ReactNode, useState } from 'react';
import { flushSync } from 'react-dom';
import { alsoLoad } from '../../parts.js';
import { announce } from '../announcer.js';
import { Button, ui } from '../ui.js';
import { type Start, useKeys } from './use-keys.js';

interface SearchButtonProps {
  /** Asks whether all bots are to be stopped. */
  readonly onStopAll: () => void;
}

export interface SearchBoxProps extends SearchButtonProps {
  readonly start: Start;
  /** What was typed before it was there. */
  readonly typed: string;
  readonly isOpen: boolean;
  readonly onOpenChange: (isOpen: boolean) => void;
}

/** The box is a script of its own, which comes once there is time, or when it is first needed. */
let Box: ((props: SearchBoxProps) => ReactNode) | undefined;

async function loadBox(): Promise<void> {
  Box ??= (await import('./search-box.js')).default;
}

alsoLoad(loadBox);

/** From now on letters are for the box, which is on its way; the end of that returns them. */
function keepTyped(): () => string {
  let typed = '';
  const keep = (event: KeyboardEvent): void => {
    const { key, ctrlKey, metaKey, altKey } = event;
    if (ctrlKey || metaKey || altKey) return;
    if (key === 'Backspace') typed = typed.slice(0, -1);
    else if (key.length === 1) typed += key;
    else return;
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  addEventListener('keydown', keep, { capture: true });
  return () => {
    removeEventListener('keydown', keep, { capture: true });
    return typed;
  };
}

/** The one box of the dashboard, which finds and does: opened by its button, and by keys from anywhere. */
export function SearchButton({ onStopAll }: SearchButtonProps): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const [shown, setShown] = useState<Pick<SearchBoxProps, 'start' | 'typed'>>({ start: 'words', typed: '' });
  /** Before the next key is read, which is for its field. */
  const show = (start: Start, typed: string): void => {
    flushSync(() => {
      setShown({ start, typed });
      setOpen(true);
    });
  };
  const open = (start: Start): void => {
    if (Box !== undefined) {
      show(start, '');
      return;
    }
    const typedMeanwhile = keepTyped();
    loadBox().then(
      () => {
        show(start, typedMeanwhile());
      },
      () => {
        typedMeanwhile();
        announce('The search could not be loaded. Try again, or load this page again.');
      },
    );
  };
  useKeys(open);
  return (
    <>
      <Button
        isSmall
        aria-haspopup="dialog"
        aria-keyshortcuts="/ Control+K Meta+K"
        onClick={() => {
          open('words');
        }}
      >
        Search <kbd className={ui.hint}>/</kbd>
      </Button>
      {Box === undefined ? null : <Box {...shown} isOpen={isOpen} onOpenChange={setOpen} onStopAll={onStopAll} />}
    </>
  );
}
