import { type ApiDocument, type Operation, resolve, type Schema } from './document.js';

function close(document: ApiDocument, outer: Schema): void {
  const schema = resolve(document, outer);
  const { properties, items, oneOf = [], allOf = [] } = schema;
  if (properties !== undefined) schema.additionalProperties ??= false;
  const inner = [...Object.values(properties ?? {}), ...oneOf, ...allOf, ...(items === undefined ? [] : [items])];
  for (const one of inner) close(document, one);
}

/** Closes all objects of a body, for the service refuses members that it does not know (S-33). */
export function closeBody(document: ApiDocument, { requestBody }: Operation): void {
  for (const { schema } of Object.values(requestBody?.content ?? {})) close(document, schema);
}
