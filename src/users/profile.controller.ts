import { Body, Controller, Get, Patch } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Caller, RequireSession } from '../access/access.decorators.js';
import type { SessionPrincipal } from '../access/principal.js';
import { ProfileChangesDto, ProfileDto } from './profile.dto.js';
import type { SignedInCaller } from './user.js';
import { UsersService } from './users.service.js';

@ApiTags('account')
@Controller('account/profile')
export class ProfileController {
  constructor(private readonly users: UsersService) {}

  @ApiOperation({ summary: 'Your profile', description: 'Who you are signed in as, and what signs you in.' })
  @ApiOkResponse({ type: ProfileDto })
  @RequireSession()
  @Get()
  getProfile(@Caller() caller: SignedInCaller): ProfileDto {
    return this.users.getProfile(caller);
  }

  @ApiOperation({
    summary: 'Change your profile',
    description: 'Changes only the fields that are sent and answers the whole profile. `avatar_url: null` clears it.',
  })
  @ApiBody({ type: ProfileChangesDto, required: false })
  @ApiOkResponse({ type: ProfileDto })
  @RequireSession()
  @Patch()
  changeProfile(@Caller() caller: SessionPrincipal, @Body() changes: ProfileChangesDto): Promise<ProfileDto> {
    return this.users.changeProfile(caller, changes);
  }
}
