import { createHash } from 'node:crypto';
import { Injectable, UnauthorizedException } from '@nestjs/common';
import { JwtService } from '@nestjs/jwt';
import { AuthGuard, PassportStrategy } from '@nestjs/passport';
import { InjectRepository } from '@nestjs/typeorm';
import bcrypt from 'bcrypt';
import type { Request } from 'express';
import { Strategy as CustomStrategy } from 'passport-custom';
import { ExtractJwt, Strategy as JwtStrategyBase } from 'passport-jwt';
import { IsNull, Repository } from 'typeorm';
import { ApiKey, User } from './entities.js';

const CACHE_MS = 1_000;
export const JWT_SECRET = 'bench-jwt-secret-0123456789abcdefghijkl';

export interface KeyUser {
  userId: string;
  scopes: string[];
}

/** The user of an API key, read at most once a second. */
@Injectable()
export class ApiKeyStrategy extends PassportStrategy(CustomStrategy, 'api-key') {
  private readonly known = new Map<string, { user: KeyUser | null; until: number }>();

  constructor(@InjectRepository(ApiKey) private readonly keys: Repository<ApiKey>) {
    super();
  }

  async validate(request: Request): Promise<KeyUser> {
    const [scheme, key] = request.headers.authorization?.split(' ') ?? [];
    if (scheme !== 'Bearer' || key === undefined) throw new UnauthorizedException();
    const hash = createHash('sha256').update(key).digest('base64');
    const user = await this.find(hash);
    if (user === null) throw new UnauthorizedException();
    return user;
  }

  private async find(hash: string): Promise<KeyUser | null> {
    const entry = this.known.get(hash);
    if (entry !== undefined && entry.until > Date.now()) return entry.user;
    const found = await this.keys.findOneBy({ hash, revokedAt: IsNull() });
    const user = found && { userId: found.userId, scopes: found.scopes };
    this.known.set(hash, { user, until: Date.now() + CACHE_MS });
    return user;
  }
}

@Injectable()
export class JwtStrategy extends PassportStrategy(JwtStrategyBase) {
  constructor() {
    super({ jwtFromRequest: ExtractJwt.fromAuthHeaderAsBearerToken(), secretOrKey: JWT_SECRET });
  }

  validate(payload: { sub: string }): { id: string } {
    return { id: payload.sub };
  }
}

@Injectable()
export class ApiKeyGuard extends AuthGuard('api-key') {}

@Injectable()
export class JwtGuard extends AuthGuard('jwt') {}

@Injectable()
export class AuthService {
  constructor(
    @InjectRepository(User) private readonly users: Repository<User>,
    private readonly jwt: JwtService,
  ) {}

  async logIn(email: string, password: string): Promise<{ access_token: string }> {
    const user = await this.users.findOneBy({ email });
    if (user === null || !(await bcrypt.compare(password, user.passwordHash))) throw new UnauthorizedException();
    return { access_token: await this.jwt.signAsync({ sub: user.id, email: user.email }) };
  }

  async profile(id: string): Promise<Omit<User, 'passwordHash'>> {
    const { passwordHash: _, ...profile } = await this.users.findOneByOrFail({ id });
    return profile;
  }
}
