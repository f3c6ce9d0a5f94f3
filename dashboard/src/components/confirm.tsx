import { AlertDialog } from '@base-ui/react/alert-dialog';
import type { ReactNode } from 'react';
import { Button, buttonClass, FailureNotice, ui } from './ui.js';

interface ConfirmProps {
  /** Of the button that opens it. */
  readonly trigger: string;
  /** Its name where several look the same; begins with what it shows. */
  readonly triggerLabel?: string;
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
  /** What will happen, in words of consequence. */
  readonly children: ReactNode;
}

/** A button of danger, and the question behind it; nothing is done before it is answered. */
export function Confirm(props: ConfirmProps): ReactNode {
  return (
    <AlertDialog.Root open={props.isOpen} onOpenChange={props.onOpenChange}>
      <AlertDialog.Trigger className={buttonClass('danger', 'small')} aria-label={props.triggerLabel}>
        {props.trigger}
      </AlertDialog.Trigger>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className={ui.backdrop} />
        <AlertDialog.Popup className={ui.dialog}>
          <AlertDialog.Title render={<h2 />}>{props.title}</AlertDialog.Title>
          <AlertDialog.Description render={<div className={ui.stack} />}>{props.children}</AlertDialog.Description>
          {props.error === null ? null : <FailureNotice error={props.error} />}
          <div className={ui.row}>
            <Button kind="dangerFull" onClick={props.onConfirm} disabled={props.isPending}>
              {props.isPending ? props.busy : props.action}
            </Button>
            <AlertDialog.Close className={buttonClass()}>{props.keep}</AlertDialog.Close>
          </div>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}
