import { Module } from '@nestjs/common';
import { ActivityModule } from '../../activity/activity.module.js';
import { ExchangesModule } from '../../exchanges/exchanges.module.js';
import { ProxyModule } from '../../proxy/proxy.module.js';
import { KeptPreviews } from './kept-previews.repository.js';
import { PreviewFates } from './preview-fates.js';
import { PreviewMaking } from './preview-making.js';
import { PreviewPlacing } from './preview-placing.js';
import { PreviewRetention } from './preview-retention.js';

/** Previews of bots that can be placed by their ids. */
@Module({
  imports: [ActivityModule, ExchangesModule, ProxyModule],
  providers: [KeptPreviews, PreviewFates, PreviewMaking, PreviewPlacing, PreviewRetention],
  exports: [PreviewFates, PreviewMaking, PreviewPlacing],
})
export class PreviewsModule {}
