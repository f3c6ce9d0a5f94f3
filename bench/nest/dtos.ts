import { Type } from 'class-transformer';
import { IsEmail, IsIn, IsInt, IsNumberString, IsOptional, IsString, Length, Max, Min } from 'class-validator';

export class OrderBookQuery {
  @IsString()
  @Length(1, 200)
  market_id: string;
}

export class MarketsQuery {
  @IsOptional()
  @IsString()
  series_ticker?: string;

  @IsOptional()
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(1_000)
  limit?: number;
}

export class OrderDto {
  @IsString()
  @Length(1, 200)
  market_id: string;

  @IsIn(['yes', 'no'])
  outcome: string;

  @IsIn(['buy', 'sell'])
  side: string;

  @IsNumberString()
  price: string;

  @IsNumberString()
  size: string;

  @IsOptional()
  @IsString()
  client_order_id?: string;
}

export class LogInDto {
  @IsEmail()
  email: string;

  @IsString()
  password: string;
}
