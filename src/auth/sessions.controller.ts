import { Controller, Delete, Get, Param } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { Caller, RequireSession } from '../access/access.decorators.js';
import type { SessionPrincipal } from '../access/principal.js';
import { EndedSessionDto, SessionListDto, toEndedSessionDto, toSessionListDto } from './account.dto.js';
import { messageAfter } from './auth.answers.js';
import { MessageDto } from './auth.dto.js';
import { SessionsService } from './sessions/sessions.service.js';

@ApiTags('sessions')
@Controller('account/sessions')
export class SessionsController {
  constructor(private readonly sessions: SessionsService) {}

  @ApiOperation({
    summary: 'Your sessions',
    description: 'One for each device that is signed in and may go on, newest first; at most 50.',
  })
  @ApiOkResponse({ type: SessionListDto })
  @RequireSession()
  @Get()
  async listSessions(@Caller() { userId, sessionId }: SessionPrincipal): Promise<SessionListDto> {
    return toSessionListDto(await this.sessions.list(userId), sessionId);
  }

  @ApiOperation({
    summary: 'End one session',
    description: 'Ends the session at once, with its access and refresh tokens. It may be your own.',
  })
  @ApiParam({ name: 'id', description: 'The id of a session.', example: 'ses_01KAMXB3T6Y7W2S4Q8Z0C1V5N9' })
  @ApiOkResponse({ type: EndedSessionDto })
  @RequireSession()
  @Delete(':id')
  async revokeSession(@Caller() caller: SessionPrincipal, @Param('id') id: string): Promise<EndedSessionDto> {
    return toEndedSessionDto(await this.sessions.revoke(caller, id));
  }

  @ApiOperation({ summary: 'End all other sessions', description: 'Ends every session but the one that asks.' })
  @ApiOkResponse({ type: MessageDto })
  @RequireSession()
  @Delete()
  revokeOtherSessions(@Caller() caller: SessionPrincipal): Promise<MessageDto> {
    return messageAfter(this.sessions.revokeOthers(caller), 'All other sessions have ended.');
  }
}
