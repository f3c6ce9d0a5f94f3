import { ApiOkResponse } from '@nestjs/swagger';
import { type Column, headOf } from './csv.js';

/** Documents an answer that is a CSV file. */
export function ApiCsv<Row>(columns: readonly Column<Row>[]): MethodDecorator {
  const description = 'Lines that end with CRLF: the names of the columns, then one a row. Unknown is an empty field.';
  const schema = { type: 'string', description };
  return ApiOkResponse({ description, content: { 'text/csv': { schema, example: headOf(columns) } } });
}
