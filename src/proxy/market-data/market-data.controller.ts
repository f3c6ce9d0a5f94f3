import { Controller, Get, Param, Query, UseInterceptors } from '@nestjs/common';
import { ApiOkResponse, ApiParam, ApiTags } from '@nestjs/swagger';
import { AnswerDependsOn, RequireScope } from '../../access/access.decorators.js';
import { READ_ERRORS } from '../../exchanges/call.errors.js';
import { ApiExchangeOperation } from '../../exchanges/exchange-docs.js';
import type { Exchange } from '../../exchanges/exchange.js';
import { ApiExchangeParam, ExchangeParam } from '../../exchanges/exchange-param.decorator.js';
import { ApiErrors } from '../../platform/errors/api-errors.decorator.js';
import { CallContextInterceptor } from '../request/call-context.interceptor.js';
import {
  CandlestickListDto,
  CandlesticksQueryDto,
  EventAnswerDto,
  EventListDto,
  EventsQueryDto,
  MarketAnswerDto,
  MarketListDto,
  MarketsQueryDto,
  OrderBookAnswerDto,
  OrderBookQueryDto,
  OrderBooksDto,
  OrderBooksQueryDto,
  TradeListDto,
  TradesQueryDto,
} from './market-data.dto.js';
import { MarketDataService } from './market-data.service.js';

@AnswerDependsOn('target')
@UseInterceptors(CallContextInterceptor)
@Controller(':exchange')
export class MarketDataController {
  constructor(private readonly marketData: MarketDataService) {}

  @RequireScope('read', { orSession: true })
  @ApiExchangeOperation(
    'List markets',
    'One page of markets in one shape for all exchanges; a filter that the exchange lacks is `not_supported`.',
  )
  @ApiExchangeParam()
  @ApiOkResponse({ type: MarketListDto })
  @ApiErrors('not_supported', ...READ_ERRORS)
  @ApiTags('markets')
  @Get('markets')
  listMarkets(@ExchangeParam() exchange: Exchange, @Query() query: MarketsQueryDto): Promise<MarketListDto> {
    return this.marketData.listMarkets(exchange, query);
  }

  @RequireScope('read', { orSession: true })
  @ApiExchangeOperation('One market', 'By its id.')
  @ApiExchangeParam()
  @ApiParam({ name: 'market_id', description: 'The id of the market.', example: 'KXHIGHNY-26NOV20-B55.5' })
  @ApiOkResponse({ type: MarketAnswerDto })
  @ApiErrors('not_supported', ...READ_ERRORS)
  @ApiTags('markets')
  @Get('markets/:market_id')
  getMarket(@ExchangeParam() exchange: Exchange, @Param('market_id') marketId: string): Promise<MarketAnswerDto> {
    return this.marketData.getMarket(exchange, marketId);
  }

  @RequireScope('read', { orSession: true })
  @ApiExchangeOperation('The order book of one outcome', 'Both sides best first.', 'getOrderBook')
  @ApiExchangeParam()
  @ApiOkResponse({ type: OrderBookAnswerDto })
  @ApiErrors('not_supported', ...READ_ERRORS)
  @ApiTags('orderbooks')
  @Get('orderbooks')
  getOrderbook(@ExchangeParam() exchange: Exchange, @Query() query: OrderBookQueryDto): Promise<OrderBookAnswerDto> {
    return this.marketData.getOrderBook(exchange, query);
  }

  @RequireScope('read', { orSession: true })
  @ApiExchangeOperation(
    'The order books of up to 50 markets',
    'Each as the call for it alone, in the order asked, by one call of the exchange for all; a market without one has its error.',
    'getOrderBook',
  )
  @ApiExchangeParam()
  @ApiOkResponse({ type: OrderBooksDto })
  @ApiErrors('not_supported', ...READ_ERRORS)
  @ApiTags('orderbooks')
  @Get('orderbooks/batch')
  getOrderbooks(@ExchangeParam() exchange: Exchange, @Query() query: OrderBooksQueryDto): Promise<OrderBooksDto> {
    return this.marketData.getOrderBooks(exchange, query);
  }

  @RequireScope('read', { orSession: true })
  @ApiExchangeOperation('List events', 'An event is a group of markets that belong together.')
  @ApiExchangeParam()
  @ApiOkResponse({ type: EventListDto })
  @ApiErrors('not_supported', ...READ_ERRORS)
  @ApiTags('events')
  @Get('events')
  listEvents(@ExchangeParam() exchange: Exchange, @Query() query: EventsQueryDto): Promise<EventListDto> {
    return this.marketData.listEvents(exchange, query);
  }

  @RequireScope('read', { orSession: true })
  @ApiExchangeOperation('One event', 'With its markets.')
  @ApiExchangeParam()
  @ApiParam({ name: 'event_id', description: 'The id of the event.', example: 'KXHIGHNY-26NOV20' })
  @ApiOkResponse({ type: EventAnswerDto })
  @ApiErrors(...READ_ERRORS)
  @ApiTags('events')
  @Get('events/:event_id')
  getEvent(@ExchangeParam() exchange: Exchange, @Param('event_id') eventId: string): Promise<EventAnswerDto> {
    return this.marketData.getEvent(exchange, eventId);
  }

  @RequireScope('read', { orSession: true })
  @ApiExchangeOperation('Public trades of a market', 'Newest first. Nobody is named.')
  @ApiExchangeParam()
  @ApiOkResponse({ type: TradeListDto })
  @ApiErrors('not_supported', ...READ_ERRORS)
  @ApiTags('trades')
  @Get('trades')
  listTrades(@ExchangeParam() exchange: Exchange, @Query() query: TradesQueryDto): Promise<TradeListDto> {
    return this.marketData.listTrades(exchange, query);
  }

  @RequireScope('read', { orSession: true })
  @ApiExchangeOperation(
    'Candlesticks of one outcome',
    'At most 5,000. `source` says what they are made of: `trades`, or `price_points`, whose highs and lows are those ' +
      'of sampled prices; what happened between two samples is not in them.',
  )
  @ApiExchangeParam()
  @ApiOkResponse({ type: CandlestickListDto })
  @ApiErrors('not_supported', ...READ_ERRORS)
  @ApiTags('candlesticks')
  @Get('candlesticks')
  listCandlesticks(
    @ExchangeParam() exchange: Exchange,
    @Query() query: CandlesticksQueryDto,
  ): Promise<CandlestickListDto> {
    return this.marketData.listCandlesticks(exchange, query);
  }
}
