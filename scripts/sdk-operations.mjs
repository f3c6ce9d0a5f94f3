/** The calls of the OpenAPI document, as the clients are made of them. */
export function operationsOf({ paths, components: { schemas } }) {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId: id, summary, parameters = [], requestBody, responses }]) => {
      const [, { content }] = Object.entries(responses).find(([status]) => status.startsWith('2'));
      const answer = content['application/json']?.schema;
      const shape = schemas[answer?.$ref?.split('/').at(-1)] ?? {};
      return {
        id,
        method: method.toUpperCase(),
        path,
        summary: `${summary}.`,
        isKeyed: parameters.some(({ name }) => name === 'Idempotency-Key'),
        query: parameters.filter((one) => one.in === 'query'),
        body: requestBody?.content['application/json'].schema,
        isBodyNeeded: requestBody?.required !== false,
        answer,
        /** The schema of one item, of lists that are read page by page. */
        item: shape.properties?.next_cursor && shape.properties.data.items,
        proof: proofOf(shape),
        /** Schemas of the messages of a stream. */
        messages: content['text/event-stream']?.schema.oneOf,
      };
    }),
  );
}

/** The member without which an answer is not the service's: its id, its list, else the first text or object that is never null. */
function proofOf({ properties = {}, required = [] }) {
  const sure = required.filter((name) => {
    const { type, $ref, allOf } = properties[name];
    return ['string', 'array', 'object'].includes(type) || $ref !== undefined || allOf !== undefined;
  });
  return ['id', 'data'].find((name) => sure.includes(name)) ?? sure[0] ?? '';
}
