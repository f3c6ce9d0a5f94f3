import { installation } from '../installation.js';
import { plainText } from './foreign-text.js';

/** What people call an exchange. */
export function exchangeName(id: string | null): string {
  return installation.exchanges.find((exchange) => exchange.id === id)?.name ?? id ?? 'an exchange';
}

const AND = new Intl.ListFormat('en');

/** Names as a sentence lists them, each once. */
export function listed(names: readonly string[]): string {
  return AND.format(new Set(names));
}

/** A title as a market has it, in one line that can be read: an exchange may mark words as bold, `**so**`. */
export function plainTitle(title: string): string {
  return plainText(title.replaceAll('**', ''));
}
