import { applyDecorators } from '@nestjs/common';
import {
  ApiBody,
  ApiExtraModels,
  ApiOperation,
  ApiProperty,
  ApiPropertyOptional,
  getSchemaPath,
} from '@nestjs/swagger';
import type { ExchangeDocs, FieldDocs } from './docs.contract.js';
import { EXCHANGES } from './exchange.registry.js';
import { EventRefsDto, MarketRefsDto, TradeDto } from './unified.market-data.dto.js';

/* What the OpenAPI document says of single exchanges, gathered from their classes. */

/** The names of all exchanges, as a sentence has them. */
export const EXCHANGE_NAMES = new Intl.ListFormat('en').format(EXCHANGES.map(({ docs }) => docs.name));

/** Returns `text`, then what is special about each exchange. */
function withNotes(text: string, about: keyof ExchangeDocs['notes']): string {
  return [text, ...EXCHANGES.flatMap(({ docs }: { docs: ExchangeDocs }) => docs.notes[about] ?? [])].join(' ');
}

/**
 * Documents a route below `/{exchange}`: `description`, then what is special about each exchange at the method that the route
 * calls, the one of its own name where left out.
 */
export function ApiExchangeOperation(
  summary: string,
  description: string,
  calls?: keyof ExchangeDocs['notes'],
): MethodDecorator {
  return (target, name, descriptor) => {
    const about = calls ?? (name as keyof ExchangeDocs['notes']);
    ApiOperation({ summary, description: withNotes(description, about) })(target, name, descriptor);
  };
}

/** Documents the body of an order: the shapes that it may have, and an example of each form of each exchange. */
export function ApiOrderBody(): MethodDecorator {
  const forms = EXCHANGES.flatMap(({ docs }: { docs: ExchangeDocs }) => docs.orderForms);
  const bodies = [...new Set(forms.map(({ body }) => body))];
  const oneOf = bodies.map((body) => ({ $ref: getSchemaPath(body) }));
  const examples = Object.fromEntries(forms.map(({ title, example }) => [title, { summary: title, value: example }]));
  return applyDecorators(ApiExtraModels(...bodies), ApiBody({ schema: { oneOf }, examples }));
}

/** Documents fields of a DTO that not every exchange has. */
export function documentFields(dto: { readonly prototype: object }, fields: FieldDocs, description?: string): void {
  for (const [name, field] of Object.entries(fields)) {
    ApiPropertyOptional({ ...field, ...(description !== undefined && { description }) })(dto.prototype, name);
  }
}

ApiProperty({ description: withNotes("The exchange's own id.", 'tradeId') })(TradeDto.prototype, 'id');
for (const { docs } of EXCHANGES) {
  documentFields(MarketRefsDto, docs.marketRefs);
  documentFields(EventRefsDto, docs.eventRefs);
}
