import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '../../access/principal.js';
import { Settings } from '../../platform/config/settings.js';
import { AppError } from '../../platform/errors/app-error.js';
import { within } from '../../platform/time/within.js';
import type { Channel, ChannelName, OpenLine, Subscription } from './channel.contract.js';
import type { Need } from './stream-grants.js';
import { StreamIds } from './stream-ids.js';

/** Token of all channels. */
export const STREAM_CHANNELS = Symbol('stream channels');

/** What a reader of each needs. */
const SCOPES = { orderbooks: 'read', markets: 'read', trades: 'read', orders: 'trade', fills: 'trade' } as const;

/** A line that is sure to begin, and of which exchange and channel it is. */
export interface NamedLine {
  readonly name: string;
  readonly channel: ChannelName;
  readonly isResumable: boolean;
  readonly line: OpenLine;
}

/** Returns what a caller needs for a subscription. */
export function needOf({ exchange, channel }: Subscription): Need {
  return { exchangeId: exchange.id, scope: SCOPES[channel], credentialsVersion: null };
}

/** Opens the lines of streams by their channels. */
@Injectable()
export class StreamLines {
  constructor(
    @Inject(STREAM_CHANNELS) private readonly channels: readonly Channel[],
    private readonly settings: Settings,
    private readonly ids: StreamIds,
  ) {}

  /**
   * Opens all of them or none, in the order of the subscriptions. Throws as the routes of the same data do, `exchange_timeout` where that
   * takes longer than `UPSTREAM_TIMEOUT`, and `bad_request` for an id that is not this caller's.
   */
  async open(
    subscriptions: readonly Subscription[],
    caller: Principal,
    lastEventId: string | null,
  ): Promise<readonly NamedLine[]> {
    const wanted = subscriptions.map((subscription) => ({ subscription, channel: this.#channelOf(subscription) }));
    const isResumed = lastEventId !== null && wanted.some(({ channel }) => channel.isResumable);
    const positions = isResumed ? this.ids.read(lastEventId, caller) : {};
    const opened: OpenLine[] = [];
    let isOver = false;
    const opening = wanted.map(async ({ subscription, channel }): Promise<NamedLine> => {
      const name = nameOf(subscription);
      const line = await channel.open(subscription, { caller, position: positions[name] ?? null });
      opened.push(line);
      if (isOver) line.close();
      return { name, channel: channel.name, isResumable: channel.isResumable, line };
    });
    try {
      return await within(this.settings.upstreamTimeoutMs, Promise.all(opening), () => {
        throw new AppError('exchange_timeout', 'The exchange did not confirm the subscription in time. Try again.');
      });
    } catch (error) {
      isOver = true;
      for (const line of opened) line.close();
      throw error;
    }
  }

  /** The `id` behind which a client may go on; null where none of these lines resumes. */
  idOf(caller: Principal, lines: readonly NamedLine[]): string | null {
    const resumable = lines.filter(({ isResumable }) => isResumable);
    if (resumable.length === 0) return null;
    return this.ids.write(caller, Object.fromEntries(resumable.map(({ name, line }) => [name, line.position])));
  }

  #channelOf({ channel: wanted, exchange }: Subscription): Channel {
    const channel = this.channels.find(({ name }) => name === wanted);
    if (channel !== undefined) return channel;
    throw new AppError('not_supported', `${exchange.name} has no stream of ${wanted} here.`);
  }
}

function nameOf({ exchange, channel }: Subscription): string {
  return `${exchange.id}.${channel}`;
}
