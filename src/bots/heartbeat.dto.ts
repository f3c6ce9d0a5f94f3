import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsInt, Max, Min } from 'class-validator';
import { MAYBE_TIME } from '../exchanges/unified.properties.js';
import { ON_MISS, type OnMiss } from './bot.js';

const SHORTEST_SECONDS = 10;
const LONGEST_SECONDS = 3_600;

/** Body of `PUT /bot/heartbeat`. */
export class BeatDto {
  @ApiProperty({
    type: 'integer',
    minimum: SHORTEST_SECONDS,
    maximum: LONGEST_SECONDS,
    description: 'In how many seconds the next beat must come.',
    example: 30,
  })
  @IsInt({ message: 'must be a whole number of seconds' })
  @Min(SHORTEST_SECONDS, { message: `must be at least ${SHORTEST_SECONDS}` })
  @Max(LONGEST_SECONDS, { message: `must be at most ${LONGEST_SECONDS}` })
  ttl_seconds: number;

  @ApiPropertyOptional({
    enum: ON_MISS,
    default: 'halt',
    description:
      '`halt`: only the owner resumes it. `cancel`: its orders are cancelled, and it goes on with its next beat.',
  })
  @IsIn(ON_MISS, { message: `must be one of ${ON_MISS.join(', ')}` })
  on_miss: OnMiss = 'halt';
}

/** The switch as it is armed now. */
export class ArmedDto {
  @ApiProperty({ type: 'integer', example: 30 })
  ttl_seconds: number;

  @ApiProperty({ enum: ON_MISS, example: 'halt' })
  on_miss: OnMiss;

  @ApiProperty({
    type: String,
    format: 'date-time',
    description: 'When it fires, unless the next beat comes before.',
    example: '2026-11-20T15:00:30.000Z',
  })
  expires_at: string;
}

/** The switch is off. */
export class DisarmedDto {
  @ApiProperty({ ...MAYBE_TIME, example: null })
  expires_at: null;
}
