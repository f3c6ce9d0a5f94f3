import type { ReactNode } from 'react';
import { Failure } from '../api/failure.js';
import { type ApiKey, whoIs } from '../api/queries.js';
import { keyring } from '../session/keyring.js';
import { CallForm, TextField } from './form.js';
import { Card } from './ui.js';

/** Takes a key into this tab's memory once it is seen to be the account's own. */
async function adopt(key: string, own: ApiKey): Promise<void> {
  const me = await whoIs(key);
  if (me.key_prefix !== own.prefix) throw new Failure('other_key', 'This is the key of another account.', null);
  keyring.keep(key, false);
}

interface PasteKeyProps {
  readonly apiKey: ApiKey;
  /** What is read with it, in the plural: `balances`. */
  readonly what: string;
}

/** Asks for the key that the account has, where this tab does not know it. */
export function PasteKey({ apiKey, what }: PasteKeyProps): ReactNode {
  return (
    <Card title={what.charAt(0).toUpperCase() + what.slice(1)}>
      <p>
        The {what} are read as your programs read them: with the API key. Paste <code>{apiKey.prefix}…</code> to see
        them. It stays in this tab&rsquo;s memory, and is gone when you reload or close it.
      </p>
      <CallForm action={`Show the ${what}`} onSend={(field) => adopt(field('key').trim(), apiKey)}>
        <TextField label="API key" name="key" type="password" autoComplete="off" />
      </CallForm>
    </Card>
  );
}
