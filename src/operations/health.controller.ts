import { Controller, Get, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProperty, ApiServiceUnavailableResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Public } from '../access/access.decorators.js';
import { HealthService, type Readiness } from './health.service.js';

class HealthDto {
  @ApiProperty({ enum: ['ok', 'unavailable', 'draining'] })
  status: Readiness;
}

/** 503 tells load balancers to send nothing here. */
function answerReadiness(response: Response, status: Readiness): HealthDto {
  response.status(status === 'ok' ? 200 : 503);
  return { status };
}

@ApiTags('operations')
@Controller('health')
export class HealthController {
  constructor(private readonly health: HealthService) {}

  @Public()
  @ApiOperation({ summary: 'Is the process alive', description: 'Looks at nothing else.' })
  @ApiOkResponse({ type: HealthDto })
  @Get('live')
  getLiveness(): HealthDto {
    return { status: 'ok' };
  }

  @Public()
  @ApiOperation({ summary: 'Should it get traffic', description: 'Database reachable, not shutting down.' })
  @ApiOkResponse({ type: HealthDto })
  @ApiServiceUnavailableResponse({ type: HealthDto, example: { status: 'draining' } })
  @Get('ready')
  async getReadiness(@Res({ passthrough: true }) response: Response): Promise<HealthDto> {
    return answerReadiness(response, await this.health.readiness());
  }
}
