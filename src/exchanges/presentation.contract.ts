import type { CredentialWarning } from './unified.words.js';

/** One field of the body of `PUT /account/credentials/{id}`, as a form asks for it. */
interface CredentialFieldBase<Name extends string> {
  readonly name: Name;
  readonly label: string;
  /** What belongs in the field, or where to find that. */
  readonly hint: string;
}

/** A field that is typed or pasted in; a `secret` is not shown meanwhile, and a `private_key` is PEM, perhaps from a file. */
export interface TypedCredentialField<Name extends string = string> extends CredentialFieldBase<Name> {
  readonly kind: 'text' | 'secret' | 'private_key';
  /** The form leaves the field out where this choice has this value. */
  readonly unless?: { readonly choice: Name; readonly value: number };
}

/** A field that is one of a list, the usual one first. */
export interface ChosenCredentialField<Name extends string = string> extends CredentialFieldBase<Name> {
  readonly kind: 'choice';
  readonly options: readonly { readonly value: number; readonly label: string }[];
}

export type CredentialField<Name extends string = string> = TypedCredentialField<Name> | ChosenCredentialField<Name>;

/** What a warning means to the owner of credentials, and what to do: whole sentences. */
export interface WarningWords {
  readonly means: string;
  readonly todo: string;
}

/** What pages say of the session keys of an exchange. */
interface SessionKeyPresentation {
  /** Whole paragraphs: what such a key is good for, and what it needs. */
  readonly introduction: readonly string[];
  /** The account that a key trades for. */
  readonly wallet: { readonly label: string; readonly hint: string };
  /** The command of this project that the owner of the account runs, without its arguments. */
  readonly command: string;
  /** What the command asks for, in whole sentences. */
  readonly authorization: string;
  /** How long a key lasts, such as `about 180 days`. */
  readonly lifetime: string;
}

/**
 * What pages for people say of one exchange, and what they offer there; it stands in the dashboard's page, for everybody to see. In
 * texts a `word` is code, and a **word** is strong. `Field` is a field of the exchange's credentials.
 */
export interface ExchangePresentation<Field extends string = string> {
  /** Where people find the exchange, such as `example.com`. */
  readonly site: string;
  /** What its money is called, as in every amount of it. */
  readonly currency: string;
  /** A whole sentence about the list of public trades; null where there is nothing to say. */
  readonly trades_note: string | null;
  /** Whether orders and fills are all stated as purchases: a sale of one outcome as that of the other (unified-schema.md 7). */
  readonly purchases_alone: boolean;
  /** Whether the balance has parts (unified-schema.md 8). */
  readonly has_shards: boolean;
  readonly credentials: {
    /** Where the owner of an account finds the credentials. */
    readonly introduction: string;
    /** What to look at where the exchange refuses the credentials. */
    readonly if_refused: string;
    readonly fields: readonly CredentialField<Field>[];
    /** Those that its `warningsOf` returns (contract.md 4). */
    readonly warnings: Readonly<Partial<Record<CredentialWarning, WarningWords>>>;
  };
  /** Null where the exchange has no `sessionKeys`. */
  readonly session_keys: SessionKeyPresentation | null;
}
