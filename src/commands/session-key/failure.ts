/** Why the command ends without having done what it was asked; the message says what to do. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure';

  /** `exitCode` 2 is for a command that was called in the wrong way, 1 for everything else. */
  constructor(
    message: string,
    readonly exitCode: 1 | 2 = 1,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
