import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ERROR_CODES, type ErrorCode } from './error-codes.js';

class ErrorMemberDto {
  @ApiProperty({ enum: Object.keys(ERROR_CODES), description: 'Stable; branch on this.', example: 'forbidden' })
  code: ErrorCode;

  @ApiProperty({ description: 'For people; names the way out.', example: 'This API key lacks the trade scope.' })
  message: string;

  @ApiProperty({ description: 'Also the X-Request-Id header.', example: 'req_01KAMXB3T6Y7W2S4Q8Z0C1V5N9' })
  request_id: string;

  @ApiProperty({ description: 'Whether repeating the same call can help.', example: false })
  retryable: boolean;

  @ApiPropertyOptional({ type: 'object', additionalProperties: true, example: { required_scope: 'trade' } })
  details?: object;
}

/** The one body of every error (contract.md 3). */
export class ErrorDto {
  @ApiProperty({ type: ErrorMemberDto })
  error: ErrorMemberDto;
}
