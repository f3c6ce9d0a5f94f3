import { Field } from '@base-ui/react/field';
import { type ReactNode, type SubmitEvent, useState } from 'react';
import { Button, FailureNotice, ui } from './ui.js';

interface TextFieldProps {
  readonly label: string;
  readonly name: string;
  readonly type?: 'text' | 'email' | 'password';
  readonly autoComplete: string;
  readonly hint?: string;
  readonly defaultValue?: string;
  readonly required?: boolean;
}

/** A labelled field; its hint is read with it. */
export function TextField({ label, hint, ...input }: TextFieldProps): ReactNode {
  return (
    <Field.Root name={input.name} className={ui.field}>
      <Field.Label className={ui.label}>{label}</Field.Label>
      <Field.Control className={ui.input} required {...input} />
      {hint === undefined ? null : <Field.Description className={ui.hint}>{hint}</Field.Description>}
    </Field.Root>
  );
}

interface CallFormProps {
  readonly action: string;
  /** Does the work; what it throws is shown. */
  readonly onSend: (field: (name: string) => string) => Promise<void>;
  readonly children?: ReactNode;
}

/** A form that sends once for a press, and shows what came of it. */
export function CallForm({ action, onSend, children }: CallFormProps): ReactNode {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const send = async (event: SubmitEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    if (isBusy) return;
    const data = new FormData(event.currentTarget);
    setBusy(true);
    setError(null);
    try {
      await onSend((name) => {
        const value = data.get(name);
        return typeof value === 'string' ? value : '';
      });
    } catch (thrown) {
      setError(thrown);
    }
    setBusy(false);
  };
  return (
    <form className={ui.stack} onSubmit={(event) => void send(event)}>
      {children}
      <Button kind="primary" type="submit" disabled={isBusy}>
        {isBusy ? 'One moment…' : action}
      </Button>
      {error === null ? null : <FailureNotice error={error} />}
    </form>
  );
}
