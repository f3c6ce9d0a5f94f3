import { type ReactNode, useEffect, useState } from 'react';
import { alsoLoad } from '../parts.js';
import { announce } from './announcer.js';
import { Button } from './ui.js';

export interface Question {
  /** What is asked. */
  readonly title: string;
  readonly isOpen: boolean;
  readonly onOpenChange: (isOpen: boolean) => void;
  /** What confirming does, on its button. */
  readonly action: string;
  /** What that button says while it is done. */
  readonly busy: string;
  readonly keep: string;
  readonly isPending: boolean;
  readonly error: unknown;
  readonly onConfirm: () => void;
  /** Id of what takes the focus once it is done, as what opened the question may be gone; left out for what was announced. */
  readonly resultId?: string;
  /** What will happen, in words of consequence. */
  readonly children: ReactNode;
}

interface ConfirmProps extends Question {
  /** Of the button that opens it; left out where others ask. */
  readonly trigger?: string;
}

/** The dialog is a script of its own, which comes once there is time, or when it is first needed. */
let Dialog: ((props: Question) => ReactNode) | undefined;

async function loadDialog(): Promise<void> {
  Dialog ??= (await import('./confirm-dialog.js')).default;
}

alsoLoad(loadDialog);

/** A question of danger, with its button; nothing is done before it is answered. */
export function Confirm({ trigger, ...question }: ConfirmProps): ReactNode {
  const { isOpen, onOpenChange } = question;
  const [isReady, setReady] = useState(Dialog !== undefined);
  useEffect(() => {
    if (!isOpen || isReady) return;
    loadDialog().then(
      () => {
        setReady(true);
      },
      () => {
        onOpenChange(false);
        announce('The question could not be loaded, and nothing was done. Try again, or load this page again.');
      },
    );
  }, [isOpen, isReady, onOpenChange]);
  return (
    <>
      {trigger === undefined ? null : (
        <Button
          kind="danger"
          isSmall
          aria-haspopup="dialog"
          onClick={() => {
            onOpenChange(true);
          }}
        >
          {trigger}
        </Button>
      )}
      {isReady && Dialog !== undefined ? <Dialog {...question} /> : null}
    </>
  );
}
