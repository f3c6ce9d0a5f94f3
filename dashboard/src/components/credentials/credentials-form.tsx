import { Field } from '@base-ui/react/field';
import { type ReactNode, useState } from 'react';
import type {
  ChosenCredentialField,
  CredentialField,
  TypedCredentialField,
} from '../../../../src/exchanges/presentation.contract.js';
import type { Exchange } from '../../installation.js';
import { useWrong } from '../field-errors.js';
import { FieldNotes, TextField } from '../form.js';
import { Marked } from '../marked.js';
import { ui } from '../ui.js';
import css from './credentials.module.css';
import { PemField } from './pem-field.js';
import { type FormProps, StoreForm } from './store-form.js';

interface ChoiceFieldProps {
  readonly field: ChosenCredentialField;
  readonly value: number | undefined;
  readonly onChange: (value: number) => void;
}

function ChoiceField({ field: { name, label, hint, options }, value, onChange }: ChoiceFieldProps): ReactNode {
  const error = useWrong(name);
  return (
    <Field.Root name={name} className={ui.field} invalid={error !== undefined}>
      <Field.Label className={ui.label}>{label}</Field.Label>
      <Field.Control
        className={`${ui.input ?? ''} ${css.kind ?? ''}`}
        value={String(value)}
        onValueChange={(chosen) => {
          onChange(Number(chosen));
        }}
        render={
          <select>
            {options.map((option) => (
              <option key={option.value} value={option.value}>
                {option.label}
              </option>
            ))}
          </select>
        }
      />
      <FieldNotes hint={hint} error={error} />
    </Field.Root>
  );
}

interface OneTypedFieldProps {
  readonly field: TypedCredentialField;
  readonly exchangeName: string;
}

function OneTypedField({ field: { kind, name, label, hint }, exchangeName }: OneTypedFieldProps): ReactNode {
  if (kind === 'private_key') return <PemField name={name} label={label} hint={hint} exchangeName={exchangeName} />;
  const type = kind === 'secret' ? 'password' : 'text';
  return <TextField label={label} name={name} autoComplete="off" type={type} hint={hint} />;
}

/** What is chosen, by the names of fields; at first the first option of each. */
type Choices = Readonly<Record<string, number | undefined>>;

function firstChoices(fields: readonly CredentialField[]): Choices {
  return Object.fromEntries(
    fields.flatMap((field) => (field.kind === 'choice' ? [[field.name, field.options[0]?.value]] : [])),
  );
}

function isLeftOut(field: CredentialField, choices: Choices): boolean {
  if (field.kind === 'choice' || field.unless === undefined) return false;
  return choices[field.unless.choice] === field.unless.value;
}

interface CredentialsFormProps extends FormProps {
  readonly exchange: Exchange;
}

/** The fields that an exchange asks for, as the service describes them; a session key has a card of its own. */
export function CredentialsForm({ exchange, onDone }: CredentialsFormProps): ReactNode {
  const { fields, introduction, if_refused: ifRefused } = exchange.credentials;
  const [choices, setChoices] = useState(() => firstChoices(fields));
  const asked = fields.filter((field) => !isLeftOut(field, choices));
  return (
    <StoreForm
      exchange={exchange}
      ifRefused={ifRefused}
      bodyOf={(valueOf) =>
        Object.fromEntries(
          asked.map(({ kind, name }) => [name, kind === 'choice' ? choices[name] : valueOf(name).trim()]),
        )
      }
      onDone={onDone}
    >
      <p className={ui.soft}>
        <Marked text={introduction} />
      </p>
      {asked.map((field) =>
        field.kind === 'choice' ? (
          <ChoiceField
            key={field.name}
            field={field}
            value={choices[field.name]}
            onChange={(value) => {
              setChoices({ ...choices, [field.name]: value });
            }}
          />
        ) : (
          <OneTypedField key={field.name} field={field} exchangeName={exchange.name} />
        ),
      )}
    </StoreForm>
  );
}
