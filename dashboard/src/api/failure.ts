/** The one body of every error of the API. */
interface ErrorBody {
  readonly error: {
    readonly code: string;
    readonly message: string;
    readonly request_id: string;
    readonly details?: Readonly<Record<string, unknown>>;
  };
}

function isErrorBody(body: unknown): body is ErrorBody {
  return typeof body === 'object' && body !== null && 'error' in body && typeof body.error === 'object';
}

/** Seconds that the service asks to wait; null where it names none. */
function retryAfterOf({ headers }: Response): number | null {
  const text = headers.get('Retry-After') ?? '';
  return /^\d+$/.test(text) ? Number(text) : null;
}

/** A call that was not answered as hoped. */
export class Failure extends Error {
  override readonly name = 'Failure';
  /** When it was known, in milliseconds of this machine's clock. */
  readonly at = Date.now();

  constructor(
    /** A code of the API, or one of this dashboard. */
    readonly code: string,
    message: string,
    /** Null where no answer came. */
    readonly requestId: string | null,
    readonly details: Readonly<Record<string, unknown>> = {},
    readonly retryAfter: number | null = null,
  ) {
    super(message);
  }

  static of(body: unknown, response: Response): Failure {
    if (isErrorBody(body)) {
      const { code, message, request_id: requestId, details } = body.error;
      return new Failure(code, message, requestId, details, retryAfterOf(response));
    }
    return new Failure('unreadable', `The service answered ${response.status}.`, response.headers.get('X-Request-Id'));
  }

  static unreachable(): Failure {
    return new Failure('unreachable', 'The service cannot be reached.', null);
  }

  /** In the words of whoever made the call, with all else that is known. */
  inWords(text: string): Failure {
    return new Failure('in_words', text, this.requestId, this.details, this.retryAfter);
  }
}
