import { Module } from '@nestjs/common';
import { JwtModule } from '@nestjs/jwt';
import { AccessTokenKeys } from '../../platform/crypto/access-token-keys.js';
import {
  ACCESS_TOKEN_ALGORITHM,
  ACCESS_TOKEN_AUDIENCE,
  ACCESS_TOKEN_ISSUER,
  ACCESS_TOKEN_TYPE,
  AccessTokens,
} from './access-tokens.js';
import { ActivityModule } from '../../activity/activity.module.js';
import { UsersModule } from '../../users/users.module.js';
import { KnownDevices } from './known-devices.js';
import { KnownDevicesRepository } from './known-devices.repository.js';
import { RefreshController } from './refresh.controller.js';
import { RefreshService } from './refresh.service.js';
import { RefreshTokens } from './refresh-tokens.js';
import { ReuseDetection } from './reuse-detection.js';
import { SessionTokens } from './session-tokens.js';
import { SessionsController } from './sessions.controller.js';
import { SignedInDevices } from './signed-in-devices.js';
import { SuccessorSweep } from './successor-sweep.js';
import { JwtStrategy } from './jwt.strategy.js';
import { SessionsRepository } from './sessions.repository.js';
import { SessionsService } from './sessions.service.js';

@Module({ providers: [AccessTokenKeys], exports: [AccessTokenKeys] })
class AccessTokenKeysModule {}

/** Signed-in devices and their tokens. */
@Module({
  imports: [
    ActivityModule,
    UsersModule,
    AccessTokenKeysModule,
    JwtModule.registerAsync({
      imports: [AccessTokenKeysModule],
      inject: [AccessTokenKeys],
      useFactory: ({ current }: AccessTokenKeys) => ({
        secret: current.key,
        signOptions: {
          algorithm: ACCESS_TOKEN_ALGORITHM,
          issuer: ACCESS_TOKEN_ISSUER,
          audience: ACCESS_TOKEN_AUDIENCE,
          header: { alg: ACCESS_TOKEN_ALGORITHM, typ: ACCESS_TOKEN_TYPE, kid: current.id },
        },
      }),
    }),
  ],
  controllers: [RefreshController, SessionsController],
  providers: [
    AccessTokens,
    JwtStrategy,
    KnownDevices,
    KnownDevicesRepository,
    RefreshService,
    RefreshTokens,
    ReuseDetection,
    SessionTokens,
    SessionsRepository,
    SessionsService,
    SignedInDevices,
    SuccessorSweep,
  ],
  exports: [KnownDevices, KnownDevicesRepository, SessionsService, SignedInDevices],
})
export class SessionsModule {}
