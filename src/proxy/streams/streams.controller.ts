import { Controller, Get, Query, Req, Res, UseInterceptors } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { ForOwnOrders, RequireScope } from '../../access/access.decorators.js';
import { READ_ERRORS, TRADING_ERRORS } from '../../exchanges/call.errors.js';
import { ApiExchangeOperation } from '../../exchanges/exchange-docs.js';
import type { Exchange } from '../../exchanges/exchange.js';
import { ApiExchangeParam, ExchangeParam } from '../../exchanges/exchange-param.decorator.js';
import { ApiErrors } from '../../platform/errors/api-errors.decorator.js';
import { CallContextInterceptor } from '../request/call-context.interceptor.js';
import type { ChannelName } from './channel.contract.js';
import { ApiStream } from './streams.docs.js';
import {
  FillsStreamQueryDto,
  MarketsStreamQueryDto,
  OrderbooksStreamQueryDto,
  OrdersStreamQueryDto,
} from './streams.dto.js';
import { type ReadRequest, StreamsService } from './streams.service.js';
import { Subscriptions } from './subscriptions.js';

interface Reader {
  readonly request: ReadRequest;
  readonly response: Response;
}

interface Wanted {
  readonly exchange: Exchange;
  readonly channel: ChannelName;
}

/** Streams of one exchange and channel (contract.md 5.14). */
@UseInterceptors(CallContextInterceptor)
@Controller(':exchange')
export class StreamsController {
  constructor(
    private readonly streams: StreamsService,
    private readonly subscriptions: Subscriptions,
  ) {}

  @RequireScope('read', { orSession: true })
  @ApiExchangeOperation(
    'Order books as they change',
    'Each book whole, then what changes of it, and whether it can be trusted.',
  )
  @ApiExchangeParam()
  @ApiStream(['orderbooks'])
  @ApiErrors('not_supported', ...READ_ERRORS)
  @ApiTags('streams')
  @Get('orderbooks/stream')
  streamOrderbooks(
    @ExchangeParam() exchange: Exchange,
    @Query() query: OrderbooksStreamQueryDto,
    @Req() request: ReadRequest,
    @Res() response: Response,
  ): Promise<void> {
    return this.#answer({ request, response }, { exchange, channel: 'orderbooks' }, query);
  }

  @RequireScope('read', { orSession: true })
  @ApiExchangeOperation(
    'Quotes as they change',
    'Best prices, volume and status of markets: the first at once, then each that differs.',
  )
  @ApiExchangeParam()
  @ApiStream(['markets'])
  @ApiErrors('not_supported', ...READ_ERRORS)
  @ApiTags('streams')
  @Get('markets/stream')
  streamMarkets(
    @ExchangeParam() exchange: Exchange,
    @Query() query: MarketsStreamQueryDto,
    @Req() request: ReadRequest,
    @Res() response: Response,
  ): Promise<void> {
    return this.#answer({ request, response }, { exchange, channel: 'markets' }, query);
  }

  @RequireScope('read', { orSession: true })
  @ApiExchangeOperation('Public trades as they happen', 'From now on; those before are at `GET /{exchange}/trades`.')
  @ApiExchangeParam()
  @ApiStream(['trades'])
  @ApiErrors('not_supported', ...READ_ERRORS)
  @ApiTags('streams')
  @Get('trades/stream')
  streamTrades(
    @ExchangeParam() exchange: Exchange,
    @Query() query: MarketsStreamQueryDto,
    @Req() request: ReadRequest,
    @Res() response: Response,
  ): Promise<void> {
    return this.#answer({ request, response }, { exchange, channel: 'trades' }, query);
  }

  @ForOwnOrders()
  @RequireScope('trade', { orSession: true })
  @ApiExchangeOperation('Your orders as they change', 'Open ones first, then each that changes; of a bot its own.')
  @ApiExchangeParam()
  @ApiStream(['orders'])
  @ApiErrors('not_supported', ...TRADING_ERRORS)
  @ApiTags('streams')
  @Get('orders/stream')
  streamOrders(
    @ExchangeParam() exchange: Exchange,
    @Query() query: OrdersStreamQueryDto,
    @Req() request: ReadRequest,
    @Res() response: Response,
  ): Promise<void> {
    return this.#answer({ request, response }, { exchange, channel: 'orders' }, query);
  }

  @ForOwnOrders()
  @RequireScope('trade', { orSession: true })
  @ApiExchangeOperation(
    'Your fills as they happen',
    'A fill comes again when its status changes. `Last-Event-ID` goes on where a stream ended.',
  )
  @ApiExchangeParam()
  @ApiStream(['fills'], { isResumable: true })
  @ApiErrors('not_supported', ...TRADING_ERRORS)
  @ApiTags('streams')
  @Get('fills/stream')
  streamFills(
    @ExchangeParam() exchange: Exchange,
    @Query() query: FillsStreamQueryDto,
    @Req() request: ReadRequest,
    @Res() response: Response,
  ): Promise<void> {
    return this.#answer({ request, response }, { exchange, channel: 'fills' }, query);
  }

  #answer({ request, response }: Reader, { exchange, channel }: Wanted, query: FillsStreamQueryDto): Promise<void> {
    const subscriptions = [this.subscriptions.ofQuery(exchange, channel, query)];
    return this.streams.answer({ request, response, subscriptions });
  }
}
