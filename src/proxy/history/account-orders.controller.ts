import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Caller, RequireSession } from '../../access/access.decorators.js';
import type { SessionPrincipal } from '../../access/principal.js';
import { AccountOrderListDto, AccountOrdersQueryDto } from './account-orders.dto.js';
import { AccountOrdersService } from './account-orders.service.js';

@ApiTags('account')
@Controller('account/orders')
export class AccountOrdersController {
  constructor(private readonly orders: AccountOrdersService) {}

  @ApiOperation({
    summary: 'What you asked for',
    description:
      'Orders and transfers that were asked of this service, newest first, refused ones with the reason. It is what the service knows; ' +
      'how an order stands now, its exchange says.',
  })
  @ApiOkResponse({ type: AccountOrderListDto })
  @RequireSession()
  @Get()
  listAccountOrders(
    @Caller() caller: SessionPrincipal,
    @Query() query: AccountOrdersQueryDto,
  ): Promise<AccountOrderListDto> {
    return this.orders.list(caller.userId, query);
  }
}
