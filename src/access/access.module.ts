import { Global, Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { RouteTable } from './route-table.js';
import { ScopeRefusals } from './scope-refusals.js';

/** Who may call what: the decorators, the guards and the list of routes. */
@Global()
@Module({
  imports: [DiscoveryModule],
  providers: [RouteTable, ScopeRefusals],
  exports: [RouteTable, ScopeRefusals],
})
export class AccessModule {}
