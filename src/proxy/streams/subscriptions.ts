import { Injectable } from '@nestjs/common';
import type { Exchange } from '../../exchanges/exchange.js';
import { ExchangeRegistry } from '../../exchanges/exchange.registry.js';
import { badField } from '../../platform/errors/app-error.js';
import { checkFieldId } from '../request/request-ids.js';
import { type ChannelName, CHANNELS, OWN_CHANNELS, type Subscription } from './channel.contract.js';
import type { FillsStreamQueryDto, OrderbooksStreamQueryDto } from './streams.dto.js';

const MOST_MARKETS = 50;

type StreamQuery = Partial<Pick<OrderbooksStreamQueryDto, 'outcome'>> & Partial<FillsStreamQueryDto>;

/** Reads what streams ask for. */
@Injectable()
export class Subscriptions {
  constructor(private readonly registry: ExchangeRegistry) {}

  /** Of a checked query of `GET /{exchange}/{channel}/stream`; throws `bad_request`. */
  ofQuery(exchange: Exchange, channel: ChannelName, query: StreamQuery): Subscription {
    const ids = query.market_id?.split(',') ?? [];
    return {
      exchange,
      channel,
      marketIds: marketIds(exchange, 'market_id', ids),
      outcome: query.outcome ?? '0',
      orderId: checkFieldId(exchange, 'order', 'order_id', query.order_id) ?? null,
    };
  }

  /** Of `GET /stream`: `{exchange}.orderbooks:A,B`, `{exchange}.fills`. Throws `bad_request`, also where something is named twice. */
  ofTexts(texts: readonly string[]): Subscription[] {
    const all = texts.map((text) => this.#ofText(text));
    const seen = new Set<string>();
    for (const { exchange, channel, marketIds } of all) {
      for (const id of OWN_CHANNELS.includes(channel) ? ['*'] : marketIds) {
        const name = `${exchange.id}.${channel}:${id}`;
        if (seen.has(name))
          throw badField('subscribe', 'must not name a market of a channel twice, nor orders or fills of an exchange');
        seen.add(name);
      }
    }
    return all;
  }

  #ofText(text: string): Subscription {
    const colon = text.indexOf(':');
    const { exchange, channel } = this.#named(colon === -1 ? text : text.slice(0, colon));
    const ids = colon === -1 ? [] : text.slice(colon + 1).split(',');
    if (ids.length === 0 && !OWN_CHANNELS.includes(channel))
      throw badField('subscribe', `must name markets of ${channel}`);
    if (ids.length > MOST_MARKETS) throw badField('subscribe', `must name at most ${MOST_MARKETS} markets each`);
    return { exchange, channel, marketIds: marketIds(exchange, 'subscribe', ids), outcome: '0', orderId: null };
  }

  #named(name: string): Pick<Subscription, 'exchange' | 'channel'> {
    for (const exchange of this.registry.all) {
      const channel = CHANNELS.find((known) => name === `${exchange.id}.${known}`);
      if (channel !== undefined) return { exchange, channel };
    }
    throw badField('subscribe', 'must begin with an exchange, a point and a channel');
  }
}

function marketIds(exchange: Exchange, field: string, ids: readonly string[]): string[] {
  return [...new Set(ids.map((id) => checkFieldId(exchange, 'market', field, id)))];
}
