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

/** A call that was not answered as hoped. */
export class Failure extends Error {
  override readonly name = 'Failure';

  constructor(
    /** A code of the API, or `unreachable`. */
    readonly code: string,
    message: string,
    /** Null where no answer came. */
    readonly requestId: string | null,
    readonly details: Readonly<Record<string, unknown>> = {},
  ) {
    super(message);
  }

  static of(body: unknown, response: Response): Failure {
    if (isErrorBody(body)) {
      const { code, message, request_id: requestId, details } = body.error;
      return new Failure(code, message, requestId, details);
    }
    return new Failure('unreadable', `The service answered ${response.status}.`, response.headers.get('X-Request-Id'));
  }

  static unreachable(): Failure {
    return new Failure('unreachable', 'The service cannot be reached.', null);
  }
}

const PASSWORD_REASONS: Readonly<Record<string, string>> = {
  too_short: 'It needs at least 12 characters.',
  too_long: 'It may have at most 128 characters.',
  common: 'It is one of the most common passwords.',
  personal: 'It is your e-mail address.',
};

/** What to do about a code; where the API's own message says it already, nothing. */
const ADVICE: Readonly<Record<string, string>> = {
  unreachable: 'Check your connection, then try again. Nothing was lost.',
  invalid_credentials: 'Check the address and the password, or set a new password.',
  email_not_verified: 'Open the link in the mail that we sent. To get a new one, sign up again with the same address.',
  invalid_token: 'Links work once, and for a limited time. Ask for a new one.',
  signup_not_allowed: 'This installation lets in approved addresses only. Ask its operator to approve yours.',
  api_key_exists: 'An account has one key. Revoke it first.',
  credentials_not_configured: 'Store your credentials for this exchange first.',
  credentials_rejected: 'The exchange refused the stored credentials. Replace them with ones that are valid.',
  rate_limited: 'Wait a moment, then try again.',
  exchange_rate_limited: 'The exchange asks for a pause. Wait a moment, then try again.',
  exchange_unavailable: 'The exchange does not answer. Try again in a minute.',
  exchange_timeout: 'The exchange took too long. Try again in a minute.',
  exchange_error: 'The exchange gave an answer that cannot be used. Try again in a minute.',
  service_unavailable: 'The service is starting or short of something it needs. Try again in a minute.',
  oauth_failed: 'Begin the sign-in again.',
  oauth_provider_error: 'The sign-in provider has a fault. Try again, or sign in with your password.',
  oauth_provider_timeout: 'The sign-in provider took too long. Try again, or sign in with your password.',
  internal_error: 'Tell the operator the request id.',
  unauthorized: 'The key or session is no longer valid. Sign in again, or use another key.',
};

function reasonsOf({ details }: Failure): string[] {
  const { reasons } = details;
  return Array.isArray(reasons) ? reasons.map((reason) => PASSWORD_REASONS[String(reason)] ?? String(reason)) : [];
}

/** An error in words: what happened, and what to do. */
export interface Explanation {
  readonly happened: string;
  readonly advice: string;
  readonly requestId: string | null;
}

/** The one place that turns errors into words. */
export function explain(error: unknown): Explanation {
  if (!(error instanceof Failure)) {
    return { happened: 'This page made a mistake.', advice: 'Load it again.', requestId: null };
  }
  const { requestId } = error;
  if (error.code === 'weak_password') {
    return { happened: 'Choose another password.', advice: reasonsOf(error).join(' '), requestId };
  }
  return { happened: error.message, advice: ADVICE[error.code] ?? '', requestId };
}
