import { Global, Module } from '@nestjs/common';
import { ProviderHttp } from './provider-http.js';
import { UpstreamClients } from './upstream-clients.js';

/** The only way to other servers (CONTRIBUTING.md 2); needs `Settings` from a global module. */
@Global()
@Module({ providers: [ProviderHttp, UpstreamClients], exports: [ProviderHttp, UpstreamClients] })
export class UpstreamModule {}
