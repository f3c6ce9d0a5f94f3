import { type Json } from '../../wire/json.js';
import { type Token } from '../catalogue.js';
import { imageOf } from '../format.js';

/** What rows of the Data API say of a token in words. */
export function tokenLabels({ market: { seed, event }, outcome }: Token): Json {
  return {
    title: seed.question,
    slug: seed.slug,
    icon: imageOf(seed.slug),
    event_slug: event.slug,
    outcome: seed.outcomes[outcome],
    outcome_index: outcome,
  };
}

/** The profile name of a wallet. */
export function nameOf(wallet: string): string {
  return `trader-${wallet.slice(2, 8).toLowerCase()}`;
}
