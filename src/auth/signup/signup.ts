/** What a person gives to get an account; the address is canonical. */
export interface SignUp {
  readonly email: string;
  readonly name: string;
  readonly password: string;
}

/** The same, once its password was found good. */
export interface CheckedSignUp {
  readonly email: string;
  readonly name: string;
  readonly passwordHash: string;
}
