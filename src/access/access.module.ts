import { Global, Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { AccountLocksRepository } from './account-locks.repository.js';
import { ApiKeyScopeGuard } from './api-key-scope.guard.js';
import { Confirmation } from './confirmation.js';
import { CredentialStrategies } from './credential-strategies.js';
import { JwtGuard } from './jwt.guard.js';
import { RouteTable } from './route-table.js';
import { ScopeRefusals } from './scope-refusals.js';
import { SessionWrites } from './session-writes.js';

/** Who may call what, and who may write: the decorators, the guards, the list of routes, the locks of accounts. */
@Global()
@Module({
  imports: [DiscoveryModule],
  providers: [
    AccountLocksRepository,
    ApiKeyScopeGuard,
    Confirmation,
    CredentialStrategies,
    JwtGuard,
    RouteTable,
    ScopeRefusals,
    SessionWrites,
  ],
  exports: [
    AccountLocksRepository,
    Confirmation,
    CredentialStrategies,
    ApiKeyScopeGuard,
    JwtGuard,
    RouteTable,
    ScopeRefusals,
    SessionWrites,
  ],
})
export class AccessModule {}
