import { Field } from '@base-ui/react/field';
import { type ChangeEvent, type ReactNode, useState } from 'react';
import { useWrong } from '../field-errors.js';
import { FieldNotes } from '../form.js';
import { buttonClass, ui } from '../ui.js';
import css from './credentials.module.css';

/** More than any private key in PEM, in bytes. */
const MOST_BYTES = 20_000;

interface PemFieldProps {
  readonly name: string;
  readonly label: string;
  readonly hint: string;
  readonly exchangeName: string;
}

/** A private key in PEM: pasted, or read from its file, which goes into the field alone. */
export function PemField({ name, label, hint, exchangeName }: PemFieldProps): ReactNode {
  const error = useWrong(name);
  const [pem, setPem] = useState('');
  const [said, say] = useState('');
  const read = async ({ currentTarget }: ChangeEvent<HTMLInputElement>): Promise<void> => {
    const file = currentTarget.files?.[0];
    if (file === undefined) return;
    const text = file.size > MOST_BYTES ? '' : await file.text();
    const isPem = text.includes('-----BEGIN');
    say(
      isPem
        ? `Read from ${file.name}.`
        : `${file.name} holds no private key in PEM. Choose the file that ${exchangeName} gave you.`,
    );
    if (isPem) setPem(text);
    currentTarget.value = '';
  };
  return (
    <Field.Root name={name} className={ui.field} invalid={error !== undefined}>
      <Field.Label className={ui.label}>{label}</Field.Label>
      <Field.Control
        className={css.pem}
        required
        value={pem}
        onValueChange={setPem}
        autoComplete="off"
        spellCheck={false}
        placeholder="-----BEGIN PRIVATE KEY-----"
        render={<textarea rows={6} />}
      />
      <FieldNotes hint={hint} error={error && `${error} Take the whole file, from its BEGIN line to its END line.`} />
      <div className={ui.row}>
        <label className={`${buttonClass('plain', 'small')} ${css.file ?? ''}`}>
          Choose the file
          <input
            type="file"
            className={ui.srOnly}
            accept=".pem,.key,.txt,text/plain"
            onChange={(event) => void read(event)}
          />
        </label>
        <span className={ui.hint} role="status">
          {said}
        </span>
      </div>
    </Field.Root>
  );
}
