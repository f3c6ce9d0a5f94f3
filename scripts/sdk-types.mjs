import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import openapiTS, { astToString } from 'openapi-typescript';
import prettier from 'prettier';
import ts from 'typescript';
import { operationsOf } from './sdk-operations.mjs';

/** Writes what clients are made of from the OpenAPI document: the types of the TypeScript package, and examples of answers for the conformance cases. */
const ROOT = join(import.meta.dirname, '..');
const TYPES = 'sdk/typescript/src/generated.ts';
const EXAMPLES = 'sdk/conformance/examples.json';

const HEAD = `// Made by \`npm run sdk:types\` from the OpenAPI document. Do not change it by hand.\nimport type { Decimal } from './decimal.js';\n\n`;

function decimalOf({ format, type }) {
  if (format !== 'decimal') return undefined;
  const decimal = ts.factory.createTypeReferenceNode('Decimal');
  const isNullable = Array.isArray(type) && type.includes('null');
  const nothing = ts.factory.createLiteralTypeNode(ts.factory.createNull());
  return isNullable ? ts.factory.createUnionTypeNode([decimal, nothing]) : decimal;
}

/** The document without its errors, headers and examples: one class tells all errors, and the core knows the headers. */
function withoutErrors(document) {
  const { paths, ...rest } = structuredClone(document);
  for (const operation of Object.values(paths).flatMap((methods) => Object.values(methods))) {
    const [status, { description, content }] = successOf(operation);
    for (const each of Object.values(content)) Object.assign(each, { examples: undefined, example: undefined });
    operation.responses = { [status]: { description, content } };
  }
  const { schemas } = rest.components;
  // It is ahead of whenever the document is made: another one each day.
  delete schemas.SessionKeyActivationDto.properties.valid_until.example;
  return { ...rest, paths, components: { schemas } };
}

function successOf({ responses }) {
  return Object.entries(responses).find(([status]) => status.startsWith('2'));
}

async function typesOf(document) {
  const ast = await openapiTS(withoutErrors(document), {
    transform: decimalOf,
    defaultNonNullable: false,
    alphabetize: true,
  });
  return [HEAD + astToString(ast), namesOf(document), partsOf(document), pathsOf(document)].join('\n\n');
}

/** The name of each schema as clients write it. One that the package or the language has already has none. */
function namesOf({ components: { schemas } }) {
  const names = new Map(['Error', 'BatchOrder', 'BatchError', 'BatchResults'].map((name) => [name, null]));
  for (const schema of Object.keys(schemas)) {
    const name = schema.replace(/^Read(?=Order|Fill)|(?:Answer)?Dto$/g, '');
    if (!names.has(name) && (name === schema || !(name in schemas))) names.set(name, schema);
  }
  const named = [...names].filter(([, schema]) => schema !== null);
  return named.map(([name, schema]) => `export type ${name} = components['schemas']['${schema}'];`).join('\n');
}

/** What each operation answers, and the body and the query that it takes. */
function partsOf({ paths }) {
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  const lines = { Answers: [], Bodies: [], Queries: [] };
  for (const { operationId, requestBody, parameters = [], ...operation } of operations) {
    const [status, { content }] = successOf(operation);
    const type = `operations['${operationId}']`;
    lines.Answers.push(`${operationId}: ${type}['responses'][${status}]['content']['${Object.keys(content)[0]}'];`);
    if (requestBody !== undefined)
      lines.Bodies.push(`${operationId}: NonNullable<${type}['requestBody']>['content']['application/json'];`);
    if (parameters.some((each) => each.in === 'query'))
      lines.Queries.push(`${operationId}: NonNullable<${type}['parameters']['query']>;`);
  }
  return Object.entries(lines)
    .map(([name, each]) => `export interface ${name} {\n${each.join('\n')}\n}`)
    .join('\n\n');
}

/** Method, path and proof of each operation. */
function pathsOf(document) {
  const calls = operationsOf(document).map(({ id, method, path, proof }) => [id, [method, path, proof]]);
  const says = "Method and path of each operation, and the member without which its answer is not the service's.";
  return `/** ${says} */\nexport const OPERATIONS = ${JSON.stringify(Object.fromEntries(calls))} as const;\n`;
}

/** One answer of each operation that answers JSON, by the operation's name. */
function examplesOf({ paths }) {
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  const answers = operations.flatMap(({ operationId, ...operation }) => {
    const [, success] = successOf(operation);
    const { example, examples = {} } = success.content['application/json'] ?? {};
    const value = example ?? Object.values(examples)[0]?.value;
    return value === undefined ? [] : [[operationId, value]];
  });
  return JSON.stringify(Object.fromEntries(answers));
}

async function formatted(path, text) {
  const options = await prettier.resolveConfig(join(ROOT, path));
  return prettier.format(text, { ...options, filepath: path });
}

const document = JSON.parse(readFileSync(join(ROOT, 'dist/openapi.json'), 'utf8'));
const files = { [TYPES]: await typesOf(document), [EXAMPLES]: examplesOf(document) };
for (const [path, text] of Object.entries(files)) {
  const wanted = await formatted(path, text);
  if (!process.argv.includes('--check')) writeFileSync(join(ROOT, path), wanted);
  else if (readFileSync(join(ROOT, path), 'utf8') !== wanted) {
    console.error(`${path} is out of date: npm run sdk:types`);
    process.exitCode = 1;
  }
}
