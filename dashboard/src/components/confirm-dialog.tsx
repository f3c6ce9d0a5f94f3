import { AlertDialog } from '@base-ui/react/alert-dialog';
import { type ReactNode, useRef } from 'react';
import { RESULT } from './announcer.js';
import type { Question } from './confirm.js';
import { Button, buttonClass, FailureNotice, ui } from './ui.js';

/** The question itself, which begins on the way out. */
export default function ConfirmDialog(props: Question): ReactNode {
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
            <Button
              kind="dangerFull"
              onClick={() => {
                // Somebody may have kept it the time before.
                isKept.current = false;
                props.onConfirm();
              }}
              disabled={props.isPending}
            >
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
