import { Body, Controller, Get, HttpCode, Post, Query, Req, UseGuards } from '@nestjs/common';
import { ApiKeyGuard, AuthService, JwtGuard, type KeyUser } from './auth.js';
import { LogInDto, MarketsQuery, OrderBookQuery, OrderDto } from './dtos.js';
import { KalshiService } from './kalshi.js';

@UseGuards(ApiKeyGuard)
@Controller()
export class KalshiController {
  constructor(private readonly kalshi: KalshiService) {}

  @Get('me')
  me(@Req() { user }: { user: KeyUser }): object {
    return { user_id: user.userId, scopes: user.scopes };
  }

  @Get('kalshi/orderbooks')
  orderBook(@Query() query: OrderBookQuery): Promise<unknown> {
    return this.kalshi.orderBook(query.market_id);
  }

  @Get('kalshi/markets')
  markets(@Query() query: MarketsQuery): Promise<unknown> {
    return this.kalshi.markets(query);
  }

  @Post('kalshi/orders')
  createOrder(@Req() { user }: { user: KeyUser }, @Body() order: OrderDto): Promise<unknown> {
    return this.kalshi.createOrder(user.userId, order);
  }
}

@Controller()
export class AccountController {
  constructor(private readonly auth: AuthService) {}

  @HttpCode(200)
  @Post('auth/login')
  logIn(@Body() { email, password }: LogInDto): Promise<object> {
    return this.auth.logIn(email, password);
  }

  @UseGuards(JwtGuard)
  @Get('account/profile')
  profile(@Req() { user }: { user: { id: string } }): Promise<object> {
    return this.auth.profile(user.id);
  }
}
