import { createHash, timingSafeEqual } from 'node:crypto';
import { type IncomingMessage } from 'node:http';

/** Names that a page of the web cannot make its own address lead to (DNS rebinding), with or without a port. */
const LOOPBACK_HOST = /^(127\.0\.0\.1|localhost|\[::1\])(:\d{1,5})?$/i;

/** `/token/rest?query`; the token is as long as base64url of 32 bytes. */
const TARGET = /^\/([^/?]{0,64})(\/[^?]*)?(?:\?(.*))?$/s;

interface Refusal {
  readonly status: 401 | 403;
  readonly error: string;
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text, 'utf8').digest();
}

/** Who may use the control server: programs that were told its token, and no page of a browser (S-57). */
export class ControlAccess {
  readonly #expected: Buffer;

  constructor(token: string) {
    this.#expected = digest(token);
  }

  /** What is asked for, without the token; or why not. */
  admit({ headers, url = '/' }: IncomingMessage): { readonly url: URL } | Refusal {
    if (!LOOPBACK_HOST.test(headers.host ?? '')) return { status: 403, error: 'Host must be a loopback address.' };
    if (headers.origin !== undefined) return { status: 403, error: 'Pages of a browser may not ask here.' };
    const [, token = '', path = '/', query = ''] = TARGET.exec(url) ?? [];
    if (!timingSafeEqual(digest(token), this.#expected)) {
      return { status: 401, error: 'The path must begin with the token of control_url.' };
    }
    const target = new URL('http://localhost');
    target.pathname = path;
    target.search = query;
    return { url: target };
  }
}
