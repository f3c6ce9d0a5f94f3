import { Field } from '@base-ui/react/field';
import { type ReactNode, useState } from 'react';
import type { Schemas } from '../../api/client.js';
import { useWrong } from '../field-errors.js';
import { TextField } from '../form.js';
import { ui } from '../ui.js';
import css from './credentials.module.css';
import { type FormProps, StoreForm } from './store-form.js';

type SignatureType = NonNullable<Schemas['PolymarketCredentialsDto']['signature_type']>;

const PLAIN: SignatureType = 0;

/** Kinds of account wallets, the usual ones first (polymarket.md 3). */
const KINDS: readonly { readonly id: SignatureType; readonly name: string }[] = [
  { id: 3, name: 'Deposit wallet: accounts made since May 2026' },
  { id: 2, name: 'Safe: older accounts of a browser wallet' },
  { id: 1, name: 'Proxy: older accounts of an e-mail or Google sign-in' },
  { id: PLAIN, name: 'Plain wallet: its own key holds the funds' },
];

interface KindFieldProps {
  readonly kind: SignatureType;
  readonly onChange: (kind: SignatureType) => void;
}

function KindField({ kind, onChange }: KindFieldProps): ReactNode {
  return (
    <Field.Root name="signature_type" className={ui.field}>
      <Field.Label className={ui.label}>Kind of wallet</Field.Label>
      <Field.Control
        className={`${ui.input ?? ''} ${css.kind ?? ''}`}
        value={String(kind)}
        onValueChange={(value) => {
          onChange(Number(value) as SignatureType);
        }}
        render={
          <select>
            {KINDS.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        }
      />
      <Field.Description className={ui.hint}>
        With the wrong one Polymarket refuses the credentials, or your positions look empty.
      </Field.Description>
    </Field.Root>
  );
}

function SignerField(): ReactNode {
  const address = useWrong('signer_address');
  const kind = useWrong('signature_type');
  return (
    <TextField
      label="Signer address"
      name="signer_address"
      autoComplete="off"
      hint="Of the wallet whose key made the API credentials: the one that you sign in with. It is not the wallet that holds the funds."
      error={address ?? kind}
    />
  );
}

/** The API credentials of an account, with its wallet; a session key has a card of its own. */
export function PolymarketForm({ onDone }: FormProps): ReactNode {
  const [kind, setKind] = useState<SignatureType>(3);
  const isPlain = kind === PLAIN;
  return (
    <StoreForm
      id="polymarket"
      name="Polymarket"
      ifRefused="Look whether key, secret and passphrase came together, and whether the address that created them is right."
      bodyOf={(field) => ({
        api_key: field('api_key').trim(),
        secret: field('secret').trim(),
        passphrase: field('passphrase').trim(),
        wallet_address: field('wallet_address').trim(),
        signature_type: kind,
        ...(isPlain ? {} : { signer_address: field('signer_address').trim() }),
      })}
      onDone={onDone}
    >
      <p className={ui.soft}>
        Polymarket&rsquo;s site does not show key, secret and passphrase. The official clients make them with your
        wallet&rsquo;s key, on your own machine: <code>createOrDeriveApiKey()</code> of{' '}
        <code>@polymarket/clob-client-v2</code>. They read and cancel; each order you sign yourself, or let a session
        key sign (below on this page), which needs none of this.
      </p>
      <TextField label="API key" name="api_key" autoComplete="off" hint="The client names it apiKey or key." />
      <TextField label="Secret" name="secret" autoComplete="off" type="password" hint="Came with the key, as base64." />
      <TextField
        label="Passphrase"
        name="passphrase"
        autoComplete="off"
        type="password"
        hint="Came with the key too."
      />
      <TextField
        label="Wallet address"
        name="wallet_address"
        autoComplete="off"
        hint="Where your funds are: the address that polymarket.com shows in your profile."
      />
      <KindField kind={kind} onChange={setKind} />
      {isPlain ? null : <SignerField />}
    </StoreForm>
  );
}
