import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { ESLint } from 'eslint';
import ts from 'typescript';
import tseslint from 'typescript-eslint';
import constantSql from '../../scripts/constant-sql.mjs';

const ROOT = join(import.meta.dirname, '../..');
const RULE = 'own/constant-sql';
const FILE = join(ROOT, 'sql.ts');

/** The types of the text and of what it imports: those of the whole project take ten times as long. */
function typesOf(source) {
  const options = {
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.NodeNext,
    strict: true,
    types: [],
    noEmit: true,
  };
  const host = ts.createCompilerHost(options);
  const { readFile, fileExists } = host;
  host.readFile = (path) => (path === FILE ? source : readFile.call(host, path));
  host.fileExists = (path) => path === FILE || fileExists.call(host, path);
  return ts.createProgram([FILE], options, host);
}

const source = await text(process.stdin);
const alone = new ESLint({
  cwd: ROOT,
  overrideConfigFile: true,
  overrideConfig: [
    {
      files: ['**/*.ts'],
      languageOptions: { parser: tseslint.parser, parserOptions: { programs: [typesOf(source)] } },
      plugins: { own: { rules: { 'constant-sql': constantSql } } },
      rules: { [RULE]: 'error' },
    },
  ],
});
const [{ messages }] = await alone.lintText(source, { filePath: FILE });
const { rules } = await new ESLint({ cwd: ROOT }).calculateConfigForFile('src/users/users.repository.ts');
const lines = messages.map(({ ruleId, line, message }) => (ruleId === RULE ? line : message));
process.stdout.write(JSON.stringify({ severity: rules[RULE][0], lines }));
