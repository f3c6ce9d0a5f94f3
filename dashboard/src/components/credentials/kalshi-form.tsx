import type { ReactNode } from 'react';
import { TextField } from '../form.js';
import { ui } from '../ui.js';
import { PemField } from './pem-field.js';
import { type FormProps, StoreForm } from './store-form.js';

/** The two values of a Kalshi API key (kalshi.md 2.1). */
export function KalshiForm({ onDone }: FormProps): ReactNode {
  return (
    <StoreForm
      id="kalshi"
      name="Kalshi"
      ifRefused="Look whether key ID and private key belong together, and whether Kalshi still lists the key."
      bodyOf={(field) => ({ access_key: field('access_key').trim(), private_key: field('private_key').trim() })}
      onDone={onDone}
    >
      <p className={ui.soft}>
        At kalshi.com open your account settings, find <strong>API Keys</strong> and create one. The scopes{' '}
        <code>read</code> and <code>write::trade</code> are enough; take <code>write::transfer</code> only to move money
        between shards by program.
      </p>
      <TextField
        label="Key ID"
        name="access_key"
        autoComplete="off"
        hint="Stands beside the key in Kalshi’s list; it looks like a952bcbe-ec3b-4b5b-b8f9-11dae589608c."
      />
      <PemField />
    </StoreForm>
  );
}
