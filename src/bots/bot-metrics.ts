import { Injectable } from '@nestjs/common';
import { Metrics } from '../platform/metrics/metrics.js';
import { HALT_REASONS } from './bot.js';
import { BotHalts } from './bot-halts.js';

/** Shows why bots were halted. */
@Injectable()
export class BotMetrics {
  constructor(metrics: Metrics, halts: BotHalts) {
    for (const reason of HALT_REASONS) halts.marked.expect(reason);
    metrics.tally({ name: 'bot_halts_total', help: 'Bots that were halted, by why.' }, halts.marked);
  }
}
