import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import type { Request } from 'express';
import { Strategy } from 'passport-custom';
import { requireToken } from '../access/bearer.js';
import { CredentialStrategies } from '../access/credential-strategies.js';
import type { ApiKeyPrincipal } from '../access/principal.js';
import { callerAddress } from '../platform/http/caller-address.js';
import { ApiKeyAuthenticator } from './api-key-authenticator.js';

/** The Passport strategy `api-key`, which ApiKeyScopeGuard names (CONTRIBUTING.md 2). */
@Injectable()
export class ApiKeyStrategy extends PassportStrategy(Strategy, 'api-key') {
  constructor(
    private readonly authenticator: ApiKeyAuthenticator,
    strategies: CredentialStrategies,
  ) {
    super();
    strategies.add('api-key', this);
  }

  validate(request: Request): Promise<ApiKeyPrincipal> {
    return this.authenticator.authenticate(requireToken(request, 'api-key'), callerAddress(request));
  }
}
