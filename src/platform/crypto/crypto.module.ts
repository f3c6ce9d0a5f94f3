import { Global, Module } from '@nestjs/common';
import { AuthenticatedText } from './authenticated-text.js';
import { CryptoService } from './crypto.service.js';
import { PasswordHasher } from './password-hasher.js';

const SERVICES = [AuthenticatedText, CryptoService, PasswordHasher];

@Global()
@Module({ providers: SERVICES, exports: SERVICES })
export class CryptoModule {}
