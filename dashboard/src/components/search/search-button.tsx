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
  readonly isOpen: boolean;
  readonly onOpenChange: (isOpen: boolean) => void;
}

/** The box is a script of its own, which comes once there is time, or when it is first needed. */
let Box: ((props: SearchBoxProps) => ReactNode) | undefined;

async function loadBox(): Promise<void> {
  Box ??= (await import('./search-box.js')).default;
}

alsoLoad(loadBox);

/** The one box of the dashboard, which finds and does: opened by its button, and by keys from anywhere. */
export function SearchButton({ onStopAll }: SearchButtonProps): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const [start, setStart] = useState<Start>('words');
  /** Before the next key is read, which is for its field. */
  const show = (wanted: Start): void => {
    flushSync(() => {
      setStart(wanted);
      setOpen(true);
    });
  };
  const open = (wanted: Start): void => {
    if (Box !== undefined) {
      show(wanted);
      return;
    }
    loadBox().then(
      () => {
        show(wanted);
      },
      () => {
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
      {Box === undefined ? null : <Box start={start} isOpen={isOpen} onOpenChange={setOpen} onStopAll={onStopAll} />}
    </>
  );
}
