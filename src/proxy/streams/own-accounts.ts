import { Injectable } from '@nestjs/common';
import { CredentialsService } from '../../credentials/credentials.service.js';
import { canonicalId, type Exchange } from '../../exchanges/exchange.js';
import type { Trading } from '../../exchanges/trading.contract.js';
import type { AccountFeed } from '../../feeds/account-feed.js';
import { AccountFeeds } from '../../feeds/account-feeds.js';
import { withCallContext } from '../../platform/upstream/call-context.js';
import { OrderNotes } from '../orders/order-notes.js';
import { OrderProofs } from '../orders/order-proofs.js';
import { BotObservations } from './bot-observations.js';
import { OwnEvents, type Owner } from './own-events.js';
import { credentialsChanged } from './stream-grants.js';

/** An account at an exchange that somebody reads, until it is released. */
export interface OwnAccount {
  /** Of the stored credentials that it hangs on. */
  readonly version: string;
  readonly feed: AccountFeed;
  readonly events: OwnEvents;
  /** Reads of the account, as calls of its user. Throws as `CredentialsService.trading`, `service_unavailable` where the credentials are others by now. */
  read<T>(work: (trading: Trading) => Promise<T>): Promise<T>;
  release(): void;
}

/** The accounts whose orders are streamed: all streams of one share what is looked up. */
@Injectable()
export class OwnAccounts {
  readonly #events = new WeakMap<AccountFeed, OwnEvents>();

  constructor(
    private readonly feeds: AccountFeeds,
    private readonly credentials: CredentialsService,
    private readonly notes: OrderNotes,
    private readonly proofs: OrderProofs,
  ) {}

  /** Throws as signed reads do, `credentials_rejected` too, and `exchange_timeout`. What is returned must be released. */
  async hold(userId: string, exchange: Exchange): Promise<OwnAccount> {
    const name = { userId, exchange: exchange.id };
    const version = await this.#versionOf(userId, exchange.id);
    if (version === null) {
      // Says that nothing is stored.
      await this.credentials.trading(userId, exchange);
      throw credentialsChanged();
    }
    const open = async (): Promise<Trading> => {
      const trading = await this.credentials.trading(userId, exchange);
      if ((await this.#versionOf(userId, exchange.id)) === version) return trading;
      throw credentialsChanged();
    };
    const run = <T>(work: () => Promise<T>): Promise<T> => withCallContext({ caller: userId, fresh: true }, work);
    const recorded = (id: string) => () => this.notes.find(userId, exchange.id, canonicalId(exchange, 'order', id));
    const skewMs = (): number => exchange.clockSkewMs ?? 0;
    const held = this.feeds.hold({ ...name, version }, { open, recorded, run, skewMs });
    const { feed } = held;
    const events = this.#eventsOf(feed, { userId, exchange });
    try {
      await this.feeds.whenSure(held);
    } catch (error) {
      held.release();
      throw error;
    }
    return {
      version,
      feed,
      events,
      read: (work) => run(async () => work(await open())),
      release: () => {
        held.release();
      },
    };
  }

  #eventsOf(feed: AccountFeed, owner: Owner): OwnEvents {
    const known = this.#events.get(feed);
    if (known !== undefined) return known;
    const { userId, exchange } = owner;
    const observations = new BotObservations((orderId, heard) =>
      withCallContext({ caller: userId, fresh: true }, () => this.proofs.observe(userId, exchange, orderId, heard)),
    );
    const events = new OwnEvents(feed, owner, this.notes, observations);
    this.#events.set(feed, events);
    return events;
  }

  async #versionOf(userId: string, exchange: string): Promise<string | null> {
    const versions = await this.credentials.versionsOf([userId]);
    return versions.find((one) => one.exchange === exchange)?.version ?? null;
  }
}
