import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { isRecord, type Json, parseJson } from '../../wire/json.js';
import { invalid } from './errors.js';

/** Signed, opaque cursors, each good for the list that made it (polymarket.md 6.1). */
export class Cursors {
  readonly #key = randomBytes(32);

  seal(list: string, content: Json): string {
    const text = Buffer.from(JSON.stringify({ list, ...content }), 'utf8').toString('base64url');
    return `${text}.${this.#sign(text)}`;
  }

  /** What was sealed; a foreign or changed cursor is a 400. */
  open(list: string, cursor: string): Json {
    const [text = '', signature = ''] = cursor.split('.');
    const [given, expected] = [Buffer.from(signature, 'utf8'), Buffer.from(this.#sign(text), 'utf8')];
    const isOurs = given.length === expected.length && timingSafeEqual(given, expected);
    const content = isOurs ? parseJson(Buffer.from(text, 'base64url').toString('utf8')) : undefined;
    if (!isRecord(content) || content.list !== list) throw invalid('invalid cursor', 'cursor');
    return content;
  }

  #sign(text: string): string {
    return createHmac('sha256', this.#key).update(text).digest('base64url');
  }
}
