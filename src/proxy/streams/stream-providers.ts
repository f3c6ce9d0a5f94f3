import type { Provider } from '@nestjs/common';
import { BookChannel } from './book-channel.js';
import type { Channel } from './channel.contract.js';
import { FillChannel } from './fill-channel.js';
import { MarketShares } from './market-shares.js';
import { LiveStreams } from './live-streams.js';
import { OrderChannel } from './order-channel.js';
import { OwnAccounts } from './own-accounts.js';
import { QuoteChannel } from './quote-channel.js';
import { StreamGrants } from './stream-grants.js';
import { StreamIds } from './stream-ids.js';
import { STREAM_CHANNELS, StreamLines } from './stream-lines.js';
import { StreamMarkets } from './stream-markets.js';
import { StreamMetrics } from './stream-metrics.js';
import { StreamPlaces } from './stream-places.js';
import { StreamsService } from './streams.service.js';
import { TradeChannel } from './trade-channel.js';
import { Subscriptions } from './subscriptions.js';

/** Every channel: the one line to add. */
const CHANNEL_CLASSES = [BookChannel, QuoteChannel, TradeChannel, OrderChannel, FillChannel] as const;

/** The parts of streams (contract.md 5.14). */
export const STREAM_PROVIDERS: Provider[] = [
  ...CHANNEL_CLASSES,
  {
    provide: STREAM_CHANNELS,
    useFactory: (...channels: Channel[]): Channel[] => channels,
    inject: [...CHANNEL_CLASSES],
  },
  LiveStreams,
  MarketShares,
  OwnAccounts,
  StreamGrants,
  StreamIds,
  StreamLines,
  StreamMarkets,
  StreamMetrics,
  StreamPlaces,
  StreamsService,
  Subscriptions,
];
