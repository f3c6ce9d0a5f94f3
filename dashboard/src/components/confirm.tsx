import { AlertDialog } from '@base-ui/react/alert-dialog';
import { type ReactNode, useRef } from 'react';
import { RESULT } from './announcer.js';
import { Button, buttonClass, FailureNotice, ui } from './ui.js';

interface ConfirmProps {
  /** Of the button that opens it; left out where others ask. */
  readonly trigger?: string;
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

/** A question of danger, with its button, which begins on the way out; nothing is done before it is answered. */
export function Confirm(props: ConfirmProps): ReactNode {
  const { resultId = RESULT } = props;
  const keep = useRef<HTMLButtonElement>(null);
  /** Whether the person closed it. */
  const isKept = useRef(false);
  return (
    <AlertDialog.Root
      open={props.isOpen}
      onOpenChange={(isOpen) => {
        isKept.current = !isOpen;
        props.onOpenChange(isOpen);
      }}
    >
      {props.trigger === undefined ? null : (
        <AlertDialog.Trigger className={buttonClass('danger', 'small')}>{props.trigger}</AlertDialog.Trigger>
      )}
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className={ui.backdrop} />
        <AlertDialog.Popup
          className={ui.dialog}
          initialFocus={keep}
          finalFocus={() => isKept.current || (document.getElementById(resultId) ?? false)}
        >
          <AlertDialog.Title render={<h2 />}>{props.title}</AlertDialog.Title>
          <AlertDialog.Description render={<div className={ui.stack} />}>{props.children}</AlertDialog.Description>
          {props.error === null ? null : <FailureNotice error={props.error} />}
          <div className={ui.row}>
            <Button kind="dangerFull" onClick={props.onConfirm} disabled={props.isPending}>
              {props.isPending ? props.busy : props.action}
            </Button>
            <AlertDialog.Close ref={keep} className={buttonClass()}>
              {props.keep}
            </AlertDialog.Close>
          </div>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}
