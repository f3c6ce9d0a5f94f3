import { type Exchange, installation } from '../../installation.js';
import { listed } from '../names.js';
import type { MarketSearch } from './search.js';

const OR = new Intl.ListFormat('en', { type: 'disjunction' });
const { exchanges } = installation;

/** Those that find words of a title. */
const finders = exchanges.filter(({ search }) => search.words);
/** Those that do not: people go by the lists of their events. */
const browsed = exchanges.filter(({ search }) => !search.words);
/** Those whose markets stand in series. */
const withSeries = exchanges.filter(({ search }) => search.series !== null);

function namesOf(some: readonly Exchange[]): string {
  return listed(some.map(({ name }) => name));
}

function find(some: readonly Exchange[]): string {
  return some.length === 1 ? 'finds' : 'find';
}

/** Whether an exchange can be asked with these filters; the id of an event does not say which exchange has it. */
export function canAsk(
  { id, search: takes }: Exchange,
  { exchange: chosen, words, series, event }: MarketSearch,
): boolean {
  if (chosen !== undefined && chosen !== id) return false;
  if (words !== undefined && !takes.words) return false;
  if (series !== undefined && takes.series === null) return false;
  return event === undefined || (words === undefined && (chosen === id || !takes.words));
}

/** Those whose events are listed for people to go by. */
export function browsedIn({ exchange: chosen }: MarketSearch): readonly Exchange[] {
  return browsed.filter(({ id }) => chosen === undefined || chosen === id);
}

function onlyAt(some: readonly Exchange[]): string | undefined {
  return some.length === exchanges.length ? undefined : `${namesOf(some)} only`;
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function sentence(parts: readonly (string | undefined)[], separator: string): string | undefined {
  const said = parts.filter((part) => part !== undefined);
  return said.length === 0 ? undefined : `${capitalised(said.join(separator))}.`;
}

const seriesNames = [...new Set(withSeries.map(({ search }) => `its ${search.series ?? ''}`))];
const eventNames = [...browsed, ...finders].map(({ name, search }) =>
  search.words ? `its ${search.event} where ${name} is chosen` : `its ${search.event} at ${name}`,
);

/** What stands under the fields of the search. */
export const HINTS = {
  words: sentence([onlyAt(finders)], ''),
  series: sentence([onlyAt(withSeries), OR.format(seriesNames)], ', '),
  event: sentence(eventNames, '; '),
};

/** Why no exchange can be asked. */
export const NONE_CAN =
  `No exchange can do all of this: words are found at ${namesOf(finders)} alone, without an event, and series at ` +
  `${namesOf(withSeries)} alone. Clear one.`;

/** Why an exchange is not in the list; null where none is missing, or there is no list. */
export function whyLeftOut(
  { exchange: chosen, words, series, event }: MarketSearch,
  asked: readonly Exchange[],
): string | null {
  if (chosen !== undefined || asked.length === 0 || asked.length === exchanges.length) return null;
  const alone = `so this list is ${namesOf(asked)}’s alone.`;
  if (words !== undefined) {
    return `${namesOf(browsed)} ${find(browsed)} no words, ${alone} Look below for events of ${namesOf(browsed)}.`;
  }
  if (series === undefined && event === undefined) return null;
  return `Series and events are looked for at ${namesOf(asked)} where no exchange is chosen, ${alone}`;
}
