import type { QueryRunner } from 'typeorm';

/** Statements of a migration that an older version never notices, by how they begin; the rest is looked at. */
const NEW_THINGS = /^CREATE (?:TABLE|SEQUENCE|FUNCTION|INDEX) /;
/** Statements about a table, which may be anything where the migration has made that table itself. */
const ABOUT_TABLE = [
  /^ALTER TABLE (?<table>\w+) /,
  /^CREATE UNIQUE INDEX \w+ ON (?<table>\w+) /,
  /^CREATE TRIGGER .*? ON (?<table>\w+) /,
];
const MADE_TABLE = /^CREATE TABLE (?<table>\w+) /;
const ADDED_COLUMNS = /^ALTER TABLE \w+ (?<actions>ADD COLUMN .*)$/;
/** What a row that an older version writes could break. */
const DEMAND = /\b(?:CHECK|UNIQUE|REFERENCES|PRIMARY KEY|CONSTRAINT|GENERATED)\b/;

/** Commas between actions, not those within brackets. */
function actionsOf(text: string): string[] {
  let depth = 0;
  const actions = [''];
  for (const character of text) {
    if (character === '(') depth += 1;
    if (character === ')') depth -= 1;
    if (character === ',' && depth === 0) actions.push('');
    else actions.push(`${actions.pop() ?? ''}${character}`);
  }
  return actions.map((action) => action.trim());
}

function isAddition(action: string): boolean {
  if (!action.startsWith('ADD COLUMN ') || DEMAND.test(action)) return false;
  return !/\bNOT NULL\b/.test(action) || /\bDEFAULT\b/.test(action);
}

function tableOf(statement: string, forms: readonly RegExp[]): string | undefined {
  return forms.map((form) => form.exec(statement)?.groups?.table).find((table) => table !== undefined);
}

function isExpansion(statement: string, made: ReadonlySet<string>): boolean {
  if (NEW_THINGS.test(statement)) return true;
  const table = tableOf(statement, ABOUT_TABLE);
  if (table !== undefined && made.has(table)) return true;
  const actions = ADDED_COLUMNS.exec(statement)?.groups?.actions;
  return actions !== undefined && actionsOf(actions).every(isAddition);
}

/** Of the statements of one migration those that do more than add what an older version ignores. */
export function narrowingOf(statements: readonly string[]): string[] {
  const plain = statements.map((statement) => statement.replace(/\s+/g, ' ').trim());
  const made = new Set(plain.flatMap((statement) => tableOf(statement, [MADE_TABLE]) ?? []));
  return plain.filter((statement) => !isExpansion(statement, made));
}

/** The statements that a migration runs, none of which is run. */
export async function statementsOf(migration: { up(runner: QueryRunner): Promise<unknown> }): Promise<string[]> {
  const statements: string[] = [];
  const query = (statement: string): Promise<never[]> => {
    statements.push(statement);
    return Promise.resolve([]);
  };
  await migration.up({ query } as unknown as QueryRunner);
  return statements;
}
