import { Injectable } from '@nestjs/common';
import { Metrics } from '../platform/metrics/metrics.js';
import { ACCOUNT_STATES, AccountFeeds } from './account-feeds.js';
import { ExchangeFeeds } from './exchange-feeds.js';

/** Shows how the feeds of the exchanges stand at this instance. */
@Injectable()
export class FeedMetrics {
  constructor(metrics: Metrics, feeds: ExchangeFeeds, accounts: AccountFeeds) {
    metrics.gauge(
      { name: 'feed_books', help: 'Books that are watched, by how they stand.', labelNames: ['exchange', 'state'] },
      () =>
        [...feeds.all].flatMap(([exchange, { bookStates }]) =>
          Object.entries(bookStates).map(([state, value]) => ({ labels: { exchange, state }, value })),
        ),
    );
    metrics.gauge(
      {
        name: 'feed_accounts',
        help: 'Accounts whose orders and fills are followed, by how they stand.',
        labelNames: ['exchange', 'state'],
      },
      () =>
        [...feeds.all].flatMap(([exchange]) => {
          const states = accounts.statesOf(exchange);
          return ACCOUNT_STATES.map((state) => ({ labels: { exchange, state }, value: states[state] }));
        }),
    );
    metrics.counter(
      { name: 'feed_losses_total', help: 'Times that a book was called stale.', labelNames: ['exchange', 'reason'] },
      () =>
        [...feeds.all].flatMap(([exchange, { losses }]) =>
          losses.samples.map(({ labels, value }) => ({ labels: { exchange, ...labels }, value })),
        ),
    );
  }
}
