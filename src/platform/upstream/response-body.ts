import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, inflateRaw, type ZlibOptions } from 'node:zlib';
import { isBeyondBounds } from '../json/json-bounds.js';
import { codeOf, withoutText } from './failure-cause.js';
import type { RawAnswer } from './upstream-attempt.js';
import { ANSWER_BOUNDS, COUNTED_BYTES } from './upstream.constants.js';
import { UpstreamError, type Withdrawal } from './upstream-client.js';

/** The longest notice in a header line that is kept. */
const LONGEST_NOTICE = 100;

type Decoder = (bytes: Buffer, options: ZlibOptions) => Promise<Buffer>;

const gunzipBytes: Decoder = promisify(gunzip);
const inflateBytes: Decoder = promisify(inflate);
const inflateRawBytes: Decoder = promisify(inflateRaw);
const brotliBytes: Decoder = promisify(brotliDecompress);

/** `deflate` is meant to be a zlib stream (RFC 1950), but some servers send it bare. */
const isZlib = (bytes: Buffer): boolean => ((bytes[0] ?? 0) & 0x0f) === 8;

const DECODERS: ReadonlyMap<string, Decoder> = new Map([
  ['gzip', gunzipBytes],
  ['x-gzip', gunzipBytes],
  ['deflate', (bytes, options) => (isZlib(bytes) ? inflateBytes : inflateRawBytes)(bytes, options)],
  ['br', brotliBytes],
]);

/** The value of a header that an answer has once at most; null where absent. */
export function headerOf(headers: RawAnswer['headers'], name: string): string | null {
  const value = headers[name];
  return (Array.isArray(value) ? value[0] : value) ?? null;
}

/** Returns what the header lines say of an end of the route; null where they say nothing. */
export function withdrawalIn({ headers }: Pick<RawAnswer, 'headers'>): Withdrawal | null {
  const notice = (name: string): string | null => headerOf(headers, name)?.slice(0, LONGEST_NOTICE) ?? null;
  const withdrawal = { deprecation: notice('deprecation'), sunset: notice('sunset') };
  return withdrawal.deprecation === null && withdrawal.sunset === null ? null : withdrawal;
}

function fail(failure: 'too_large' | 'unreadable', status: number, cause?: unknown): UpstreamError {
  return new UpstreamError(failure, true, { status, ...(cause !== undefined && { cause: withoutText(cause) }) });
}

function encodingOf({ headers }: RawAnswer): string {
  return headerOf(headers, 'content-encoding')?.trim().toLowerCase() ?? '';
}

/** Whether the bytes of an answer must be decoded before they can be read. */
export function isEncoded(answer: RawAnswer): boolean {
  const encoding = encodingOf(answer);
  return encoding !== '' && encoding !== 'identity';
}

/**
 * The decoded bytes of an answer. Throws UpstreamError `too_large` where they are more than `maxBytes`, `unreadable` where they do
 * not fit their encoding.
 */
export async function decode(answer: RawAnswer, maxBytes: number): Promise<Buffer> {
  const { status, bytes } = answer;
  const decoder = DECODERS.get(encodingOf(answer));
  if (decoder === undefined) throw fail('unreadable', status);
  if (bytes.length === 0) return bytes;
  try {
    return await decoder(bytes, { maxOutputLength: maxBytes });
  } catch (error) {
    throw fail(codeOf(error) === 'ERR_BUFFER_TOO_LARGE' ? 'too_large' : 'unreadable', status, error);
  }
}

/**
 * The JSON of an answer's decoded bytes; undefined where there are none, or no JSON on a status that is not 2xx. Throws
 * UpstreamError `unreadable` for a 2xx that is not JSON (a page of HTML included, whatever it holds; R-15, S-50). What holds more than
 * `ANSWER_BOUNDS` is not JSON that can be read (S-53).
 */
export function parseBody({ status, headers }: Pick<RawAnswer, 'status' | 'headers'>, bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined;
  const good = status >= 200 && status < 300;
  const isPage = /^text\/html\b/i.test(headerOf(headers, 'content-type') ?? '');
  if (good && isPage) throw fail('unreadable', status);
  try {
    if (bytes.length > COUNTED_BYTES && isBeyondBounds(bytes, ANSWER_BOUNDS)) throw new RangeError('beyond bounds');
    return JSON.parse(bytes.toString('utf8'));
  } catch (error) {
    if (good) throw fail('unreadable', status, error);
    return undefined;
  }
}
