import { Module } from '@nestjs/common';
import { ActivityModule } from '../activity/activity.module.js';
import { ApiKeysModule } from '../api-keys/api-keys.module.js';
import { CredentialsModule } from '../credentials/credentials.module.js';
import { ExchangesModule } from '../exchanges/exchanges.module.js';
import { ProxyModule } from '../proxy/proxy.module.js';
import { MetricsModule } from '../platform/metrics/metrics.module.js';
import { Retention } from '../platform/retention/retention.js';
import { AccountBotsController } from './account-bots.controller.js';
import { BotChangesService } from './bot-changes.service.js';
import { BotEnds } from './bot-ends.js';
import { BotHalts } from './bot-halts.js';
import { BotHaltsRepository } from './bot-halts.repository.js';
import { BotMetrics } from './bot-metrics.js';
import { BotReads } from './bot-reads.js';
import { BotRoomService } from './bot-room.service.js';
import { BotRotationService } from './bot-rotation.service.js';
import { BotStopsService } from './bot-stops.service.js';
import { BotTermsCheck } from './bot-terms-check.js';
import { BotsAdminService } from './bots-admin.service.js';
import { BotsController } from './bots.controller.js';
import { BotsRepository } from './bots.repository.js';
import { HaltRounds } from './halt-rounds.js';
import { Halting } from './halting.js';
import { HeartbeatController } from './heartbeat.controller.js';
import { Heartbeats } from './heartbeats.js';
import { HeartbeatsRepository } from './heartbeats.repository.js';
import { HeldBots } from './held-bots.js';
import { MeController } from './me.controller.js';
import { MeService } from './me.service.js';
import { NewBotsService } from './new-bots.service.js';
import { UserKeysService } from './user-keys.service.js';

/** Bots: programs of a user with a key, limits and a switch each, and what a key is told of itself (contract.md 5.11). */
@Module({
  imports: [ActivityModule, ApiKeysModule, CredentialsModule, ExchangesModule, MetricsModule, ProxyModule],
  controllers: [AccountBotsController, BotsController, HeartbeatController, MeController],
  providers: [
    BotChangesService,
    BotEnds,
    BotHalts,
    BotHaltsRepository,
    BotMetrics,
    BotReads,
    BotRoomService,
    BotRotationService,
    BotStopsService,
    BotTermsCheck,
    BotsAdminService,
    BotsRepository,
    HaltRounds,
    Halting,
    Heartbeats,
    HeartbeatsRepository,
    HeldBots,
    MeService,
    NewBotsService,
    UserKeysService,
  ],
  exports: [BotRoomService, BotStopsService, BotsAdminService, MeService, UserKeysService],
})
export class BotsModule {
  constructor(retention: Retention, bots: BotsRepository) {
    retention.register('bots', (limit) => bots.removeLongRemoved(limit));
  }
}
