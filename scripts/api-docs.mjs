import { readFileSync, writeFileSync } from 'node:fs';

/** Made of the OpenAPI document. */
const PAGE = 'docs/api.md';
const DOCUMENT = 'dist/openapi.json';

const INTRODUCTION = `\`npm run api:docs\` writes this page from the OpenAPI document ([contract.md](contract.md) 8); \`npm run check\` fails where it is out of
date. The name of an operation stays: one that changes breaks the clients that are generated from the document. [errors.md](errors.md) says
what each error means, and what to do about it.`;

const TABLE_HEAD = '| Call | Operation | Errors | Headers |\n| --- | --- | --- | --- |';

/** A header of an operation, and which of its answers have it: `Retry-After` (429, 503), `RateLimit` (not 413, 415). */
function headerText(name, responses) {
  const statuses = Object.keys(responses);
  const having = statuses.filter((status) => name in responses[status].headers);
  const lacking = statuses.filter((status) => !having.includes(status));
  if (lacking.length === 0) return `\`${name}\``;
  return `\`${name}\` (${lacking.length < having.length ? `not ${lacking.join(', ')}` : having.join(', ')})`;
}

/** What the page says of an operation: its errors with their statuses, and the headers of its answers. */
function rowOf(path, method, { operationId, tags: [tag], responses }) {
  const errors = Object.entries(responses).flatMap(([status, { content }]) =>
    Object.keys(content['application/json']?.examples ?? {}).map((code) => `${status} \`${code}\``),
  );
  const names = [...new Set(Object.values(responses).flatMap(({ headers }) => Object.keys(headers)))];
  const headers = names.map((name) => headerText(name, responses));
  return { call: `${method.toUpperCase()} ${path}`, operationId, tag, errors, headers };
}

function commonTo(lists) {
  return lists[0].filter((one) => lists.every((list) => list.includes(one)));
}

function without(list, shared) {
  return list.filter((one) => !shared.includes(one)).join(', ');
}

/** The table of one tag; in front of it what its operations have in common, where there are several. */
function section({ name, description }, rows, everywhere) {
  const shared = rows.length === 1 ? everywhere : commonTo(rows.map(({ errors, headers }) => [...errors, ...headers]));
  const said = without(shared, everywhere);
  const lines = rows.map(
    ({ call, operationId, errors, headers }) =>
      `| \`${call}\` | \`${operationId}\` | ${without(errors, shared)} | ${without(headers, shared)} |`,
  );
  return [
    `## ${name}`,
    said === '' ? description : `${description} All of them have ${said}.`,
    [TABLE_HEAD, ...lines].join('\n'),
  ];
}

/** The page, as it is to be. */
export function apiPage({ tags, paths, components }) {
  const rows = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => rowOf(path, method, operation)),
  );
  const everywhere = commonTo(rows.map(({ errors, headers }) => [...errors, ...headers]));
  const headers = Object.entries(components.headers).map(([name, { description }]) => `- \`${name}\`: ${description}`);
  return `${[
    '# The operations, and what they may answer',
    INTRODUCTION,
    `Every operation has ${everywhere.join(', ')}. The tables leave this out, and what the line above a table
names. The numbers after a header are the statuses of the answers that have it. The headers are:`,
    headers.join('\n'),
    ...tags.flatMap((tag) =>
      section(
        tag,
        rows.filter((row) => row.tag === tag.name),
        everywhere,
      ),
    ),
  ].join('\n\n')}\n`;
}

if (process.argv[1] === import.meta.filename) {
  const page = apiPage(JSON.parse(readFileSync(DOCUMENT, 'utf8')));
  if (process.argv[2] !== '--check') writeFileSync(PAGE, page);
  else if (readFileSync(PAGE, 'utf8') !== page) {
    process.stderr.write(`${PAGE} is out of date: npm run api:docs\n`);
    process.exitCode = 1;
  }
}
