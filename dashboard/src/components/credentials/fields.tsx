import { Field } from '@base-ui/react/field';
import { type ChangeEvent, type ReactNode, useState } from 'react';
import { buttonClass, ui } from '../ui.js';
import css from './credentials.module.css';

interface CredentialFieldProps {
  readonly label: string;
  readonly name: string;
  /** Where to find it. */
  readonly hint: ReactNode;
  readonly error: string | undefined;
  readonly isSecret?: boolean;
  readonly isOptional?: boolean;
  readonly defaultValue?: string;
}

/** A field that browsers neither fill in nor spell-check, with what is wrong with it in its place. */
export function CredentialField(props: CredentialFieldProps): ReactNode {
  const { label, name, hint, error, isSecret = false, isOptional = false, defaultValue = '' } = props;
  return (
    <Field.Root name={name} className={ui.field} invalid={error !== undefined}>
      <Field.Label className={ui.label}>{label}</Field.Label>
      <Field.Control
        className={ui.input}
        type={isSecret ? 'password' : 'text'}
        required={!isOptional}
        defaultValue={defaultValue}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
      />
      <FieldNotes hint={hint} error={error} />
    </Field.Root>
  );
}

function FieldNotes({ hint, error }: Pick<CredentialFieldProps, 'hint' | 'error'>): ReactNode {
  return (
    <>
      <Field.Description className={ui.hint}>{hint}</Field.Description>
      {error === undefined ? null : (
        <Field.Error className={css.wrong} match>
          {error}
        </Field.Error>
      )}
    </>
  );
}

/** More than any private key in PEM, in bytes. */
const MOST_BYTES = 20_000;

/** A private key in PEM: pasted, or read from its file, which goes into the field alone. */
export function PemField({ error }: Pick<CredentialFieldProps, 'error'>): ReactNode {
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
        : `${file.name} holds no private key in PEM. Choose the file that Kalshi gave you.`,
    );
    if (isPem) setPem(text);
    currentTarget.value = '';
  };
  return (
    <Field.Root name="private_key" className={ui.field} invalid={error !== undefined}>
      <Field.Label className={ui.label}>Private key</Field.Label>
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
      <FieldNotes
        hint="Kalshi shows it once, as the key is made, and downloads it as a text file. Paste all of it, with its first and last line, or choose that file."
        error={error && `${error} Take the whole file, from its BEGIN line to its END line.`}
      />
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
