import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { RequireSession } from '../access/access.decorators.js';
import { ExchangeHostListDto } from './exchange-hosts.dto.js';
import { InstallationService } from './installation.service.js';

@ApiTags('account')
@Controller('account/exchange-hosts')
export class ExchangeHostsController {
  constructor(private readonly installation: InstallationService) {}

  @RequireSession()
  @ApiOperation({ summary: 'Where orders go', description: 'One host an exchange, as this installation is set up.' })
  @ApiOkResponse({ type: ExchangeHostListDto })
  @Get()
  listExchangeHosts(): ExchangeHostListDto {
    return { exchanges: this.installation.hosts() };
  }
}
