import { Field } from '@base-ui/react/field';
import { type ReactNode, type SubmitEvent, useState } from 'react';
import { Failure } from '../api/failure.js';
import { type FieldErrors, fieldErrorsOf, useWrong, WrongFields } from './field-errors.js';
import { buttonClass, FailureNotice, ui } from './ui.js';

interface FieldNotesProps {
  /** What belongs in it, or where to find that. */
  readonly hint?: string | undefined;
  /** What is wrong with what is in it. */
  readonly error?: string | undefined;
}

/** Under a field, and read with it. */
export function FieldNotes({ hint, error }: FieldNotesProps): ReactNode {
  return (
    <>
      {hint === undefined ? null : <Field.Description className={ui.hint}>{hint}</Field.Description>}
      {error === undefined ? null : (
        <Field.Error className={ui.wrong} match>
          {error}
        </Field.Error>
      )}
    </>
  );
}

interface TextFieldProps extends FieldNotesProps {
  readonly label: string;
  readonly name: string;
  readonly type?: 'text' | 'email' | 'password';
  /** `off` for what is no word and no name, such as an id: browsers neither fill it in nor mend its spelling. */
  readonly autoComplete: string;
  readonly defaultValue?: string;
  readonly required?: boolean;
  readonly maxLength?: number;
}

const NOT_PROSE = { autoCapitalize: 'none', spellCheck: false } as const;

/** A labelled field. */
export function TextField({ label, hint, error: own, ...input }: TextFieldProps): ReactNode {
  const wrong = useWrong(input.name);
  const error = own ?? wrong;
  return (
    <Field.Root name={input.name} className={ui.field} invalid={error !== undefined}>
      <Field.Label className={ui.label}>{label}</Field.Label>
      <Field.Control className={ui.input} required {...(input.autoComplete === 'off' ? NOT_PROSE : {})} {...input} />
      <FieldNotes hint={hint} error={error} />
    </Field.Root>
  );
}

interface CallFormProps {
  readonly action: string;
  /** Does the work; what it throws is shown. */
  readonly onSend: (field: (name: string) => string) => Promise<void>;
  readonly children?: ReactNode;
}

/** What is said of the whole form where the fields say the rest. */
const AT_FIELDS = new Failure('fields', '', null);

/** A form that sends once for a press, and shows what came of it: at a field of the same name where the API names one. */
export function CallForm({ action, onSend, children }: CallFormProps): ReactNode {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const [wrong, setWrong] = useState<FieldErrors>({});
  const send = async (event: SubmitEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    if (isBusy) return;
    const form = event.currentTarget;
    const data = new FormData(form);
    setBusy(true);
    setError(null);
    setWrong({});
    try {
      await onSend((name) => {
        const value = data.get(name);
        return typeof value === 'string' ? value : '';
      });
    } catch (thrown) {
      const fields = Object.entries(fieldErrorsOf(thrown)).filter(([name]) => form.elements.namedItem(name) !== null);
      setWrong(Object.fromEntries(fields));
      setError(fields.length === 0 ? thrown : AT_FIELDS);
    }
    setBusy(false);
  };
  return (
    <form className={ui.stack} onSubmit={(event) => void send(event)}>
      <WrongFields value={wrong}>{children}</WrongFields>
      <button type="submit" className={`${buttonClass('primary')} ${ui.submit ?? ''}`} disabled={isBusy}>
        {isBusy ? 'One moment…' : action}
      </button>
      {error === null ? null : <FailureNotice error={error} />}
    </form>
  );
}
