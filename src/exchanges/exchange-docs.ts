import { applyDecorators } from '@nestjs/common';
import {
  ApiBody,
  ApiExtraModels,
  ApiOperation,
  ApiProperty,
  ApiPropertyOptional,
  getSchemaPath,
} from '@nestjs/swagger';
import { describeDetail } from '../platform/errors/error.dto.js';
import type { ExchangeDocs, FieldDocs, RareErrorDetail, SpecialOrderField } from './docs.contract.js';
import type { ExchangeClass } from './exchange.js';
import { EXCHANGES } from './exchange.registry.js';
import { MOST_ORDERS_OF_BATCH } from './order-batch.js';
import { PlainOrder } from './plain-order.dto.js';
import { EventRefsDto, MarketRefsDto, TradeDto } from './unified.market-data.dto.js';

/* What the OpenAPI document says of single exchanges, gathered from their classes. */

const ALL: readonly ExchangeClass[] = EXCHANGES;

function namesOf(exchanges: readonly ExchangeClass[]): string {
  return new Intl.ListFormat('en').format(exchanges.map(({ docs }) => docs.name));
}

/** The names of all exchanges, as a sentence has them. */
export const EXCHANGE_NAMES = namesOf(ALL);

/** What the exchanges with session keys say of them, in the order of the list. */
export const SESSION_KEY_TEXTS = ALL.flatMap(({ id, docs: { sessionKeys }, presentation: { session_keys: shown } }) =>
  sessionKeys !== undefined && shown !== null ? [{ id, ...sessionKeys, command: shown.command }] : [],
);

/** Returns `text`, then what is special about each exchange. */
function withNotes(text: string, about: keyof ExchangeDocs['notes']): string {
  return [text, ...ALL.flatMap(({ docs }) => docs.notes[about] ?? [])].join(' ');
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
  const forms = ALL.flatMap(({ docs }) => docs.orderForms);
  const bodies = [...new Set(forms.map(({ body }) => body))];
  const oneOf = bodies.map((body) => ({ $ref: getSchemaPath(body) }));
  const examples = Object.fromEntries(forms.map(({ title, example }) => [title, { summary: title, value: example }]));
  return applyDecorators(ApiExtraModels(...bodies), ApiBody({ schema: { oneOf }, examples }));
}

/** Documents the body of a batch: a list of such orders, and an example of each exchange. */
export function ApiOrderBatchBody(): MethodDecorator {
  const forms = ALL.flatMap(({ docs }) => docs.orderForms);
  const bodies = [...new Set(forms.map(({ body }) => body))];
  const items = { oneOf: bodies.map((body) => ({ $ref: getSchemaPath(body) })) };
  const orders = { type: 'array', minItems: 1, maxItems: MOST_ORDERS_OF_BATCH, items } as const;
  const examples = Object.fromEntries(
    forms.map(({ title, example }) => [title, { summary: title, value: { orders: [example] } }]),
  );
  const schema = { type: 'object', additionalProperties: false, required: ['orders'], properties: { orders } };
  return applyDecorators(ApiExtraModels(...bodies), ApiBody({ schema, examples }));
}

/** Documents fields of a DTO that not every exchange has. */
export function documentFields(dto: { readonly prototype: object }, fields: FieldDocs, description?: string): void {
  for (const [name, field] of Object.entries(fields)) {
    ApiPropertyOptional({ ...field, ...(description !== undefined && { description }) })(dto.prototype, name);
  }
}

/** Describes a parameter of an order: `text`, after each `joint` what is special about an exchange, and the `end`. */
function describeOrderField(field: SpecialOrderField, text: string, joint: string, end: string): void {
  const description = [text, ...ALL.flatMap(({ docs }) => docs.orderFields[field] ?? [])].join(joint) + end;
  ApiProperty({ description })(PlainOrder.prototype, field);
}

/** Describes a parameter of an order that not every exchange takes. */
function describeRareOrderField(field: SpecialOrderField): void {
  const takers = ALL.filter(({ docs }) => docs.orderFields[field] !== undefined);
  const where = takers.length === 1 ? ' alone' : '';
  const texts = takers.map(({ docs }) => `At ${docs.name}${where}: ${docs.orderFields[field] ?? ''}`);
  ApiProperty({ description: texts.join(' ') })(PlainOrder.prototype, field);
}

const STANDS_IN =
  '`gtc` where left out. `gtd` needs `expires_at`. `ioc` with a limit price stands in for a market order';

describeOrderField('outcome', '`0` or `yes`, `1` or `no`, the id of the outcome', ', ', '.');
describeOrderField('time_in_force', STANDS_IN, '; ', '.');
describeOrderField('post_only', 'Refuse the order if it would trade at once.', ' ', '');
describeOrderField('expires_at', 'With `gtd` alone', '; ', '. Fractions of a second are cut.');
describeRareOrderField('reduce_only');
describeRareOrderField('client_order_id');
ApiProperty({ description: withNotes("The exchange's own id.", 'tradeId') })(TradeDto.prototype, 'id');
for (const { docs } of ALL) {
  documentFields(MarketRefsDto, docs.marketRefs);
  documentFields(EventRefsDto, docs.eventRefs);
}

/** What members of `details` are at the exchanges that have them, in one sentence. */
const RARE_DETAILS: Readonly<Record<RareErrorDetail, (names: string) => string>> = {
  client_order_id: (names) => `${names}’s name of an order that may exist, or that was refused: look for it by this.`,
  shard: (names) => `Of \`insufficient_funds\` at ${names}: where money is missing, and where there is some.`,
};
for (const [member, text] of Object.entries(RARE_DETAILS) as [RareErrorDetail, (names: string) => string][]) {
  const having = ALL.filter(({ docs }) => docs.errorDetails.includes(member));
  if (having.length > 0) describeDetail(member, text(namesOf(having)));
}
