import { ApiProperty } from '@nestjs/swagger';
import { Matches, Validate, ValidatorConstraint, type ValidatorConstraintInterface } from 'class-validator';
import { compare, isDecimal } from '../../exchanges/decimal.js';
import { ABOVE_ZERO } from '../../exchanges/unified.properties.js';
import { TransferDto } from '../../exchanges/unified.trading.dto.js';
import { CursorListDto } from '../paging/paging.dto.js';

const SHARD = /^[A-Za-z0-9_-]{1,32}$/;
const SHARD_RULE = { message: 'must be the name of a shard, as a string' };

@ValidatorConstraint({ name: 'isAmount' })
class AmountConstraint implements ValidatorConstraintInterface {
  validate(value: unknown): boolean {
    return isDecimal(value) && compare(value, '0') > 0;
  }

  defaultMessage(): string {
    return 'must be a decimal string above 0';
  }
}

/** Body of `POST /{exchange}/transfers` (contract.md 5.8). */
export class TransferRequestDto {
  @ApiProperty({ description: 'Where the money lies, as `key` of the parts of your balance.', example: '0' })
  @Matches(SHARD, SHARD_RULE)
  from_shard: string;

  @ApiProperty({ description: 'Where it shall lie.', example: '2' })
  @Matches(SHARD, SHARD_RULE)
  to_shard: string;

  @ApiProperty({ ...ABOVE_ZERO, description: 'In dollars.', example: '25' })
  @Validate(AmountConstraint)
  amount: string;
}

export class TransferListDto extends CursorListDto {
  @ApiProperty({ type: [TransferDto] })
  data: TransferDto[];
}
