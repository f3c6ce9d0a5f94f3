/** An answer that says no, with the exchange's own status and body; the router sends it. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly body: unknown,
    message = `refused with ${status}`,
  ) {
    super(message);
  }
}
