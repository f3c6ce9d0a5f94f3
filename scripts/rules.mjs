import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import ts from 'typescript';

/** Made of docs/rules.md and of what the code and its tests cite. */
const PAGE = 'docs/rules-index.md';

const KEEPING = ['src', 'dashboard/src', 'sandbox', 'migrations', 'scripts', 'deploy'];
const KEEPING_FILES = ['Dockerfile', 'docker-compose.yml', 'eslint.config.mjs'];
const TESTING = ['src', 'sandbox', 'test'];
const SPEC = /[.-]spec\.ts$/;
/** Is there only after a build. */
const BUILT = 'dashboard/src/api/schema.d.ts';

/** One number, or the first and the last of several; a comment may break its line between them. */
const CITATION = /\b([SR])-(\d+)(?:[\s*]+to[\s*]+\1-(\d+))?\b/g;
/** The functions that make a test or a group of tests, also those that depend on the machine: `itWithRedis`. */
const TEST_FUNCTION = /^(?:it|test|describe)(?:[A-Z]\w*)?$/;
const FIRST_NUMBERS = /^(?:[SR]-\d+,? )+(?=\S)/;

const INTRODUCTION = `\`npm run rules\` writes this page; \`npm run check\` fails where it is out of date. A file keeps a rule where it cites the
number. A test proves a rule where its name, or the name of its group, bears the number: \`npm test -- FILE -t S-30\` runs those of a file.`;

function filesBelow(folder) {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return names.map((name) => `${folder}/${name}`).filter((file) => file !== BUILT && statSync(file).isFile());
}

/** The rules that a text cites. */
export function rulesIn(text) {
  return new Set(
    [...text.matchAll(CITATION)].flatMap(([, letter, first, last = first]) =>
      Array.from({ length: Number(last) - Number(first) + 1 }, (_, index) => `${letter}-${Number(first) + index}`),
    ),
  );
}

/** The name of the function that a call begins with: `it` in `it.each([])('…')`. */
function firstName({ expression, tag }) {
  const inner = expression ?? tag;
  return inner === undefined || ts.isIdentifier(inner) ? inner?.text : firstName(inner);
}

/** What makes a test or a group. */
function isTestCall(node) {
  return ts.isCallExpression(node) && node.arguments.length > 1 && TEST_FUNCTION.test(firstName(node));
}

/**
 * The names of tests and groups, and other texts that begin with the number of a rule, of which names are put together; each with
 * the rules that it or a group around it cites.
 */
function titlesIn(file) {
  const titles = [];
  const visit = (node, around) => {
    const isText = ts.isStringLiteralLike(node) || ts.isTemplateExpression(node);
    const text = isText ? node.getText().slice(1, -1).replaceAll("\\'", "'") : '';
    const isTitle = isTestCall(node.parent) && node.parent.arguments[0] === node;
    if (isText && (isTitle || FIRST_NUMBERS.test(text))) titles.push({ text, rules: rulesIn(`${around} ${text}`) });
    const inside = isTestCall(node) ? `${around} ${node.arguments[0].getText()}` : around;
    ts.forEachChild(node, (child) => visit(child, inside));
  };
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
  ts.forEachChild(source, (child) => visit(child, ''));
  return titles;
}

/** Each rule of docs/rules.md in its order: its section, the files that cite it, and its tests by file. */
export function readRules() {
  const keeping = [...KEEPING.flatMap(filesBelow).filter((file) => !SPEC.test(file)), ...KEEPING_FILES].sort();
  const cited = keeping.map((file) => ({ file, rules: rulesIn(readFileSync(file, 'utf8')) }));
  const testing = TESTING.flatMap(filesBelow).filter((file) => SPEC.test(file));
  const tested = testing.sort().map((file) => ({ file, titles: titlesIn(file) }));
  const sections = readFileSync('docs/rules.md', 'utf8').split(/^(?=##)/m);
  return sections.flatMap((section) => {
    const [, heading, rule] = /^### (([SR]-\d+) .+)/.exec(section) ?? [];
    if (rule === undefined) return [];
    const tests = tested.map(({ file, titles }) => ({
      file,
      titles: [...new Set(titles.filter(({ rules }) => rules.has(rule)).map(({ text }) => text))],
    }));
    return {
      rule,
      heading,
      section,
      files: cited.filter(({ rules }) => rules.has(rule)).map(({ file }) => file),
      tests: tests.filter(({ titles }) => titles.length > 0),
    };
  });
}

function linkTo(file) {
  return `[${file}](../${file})`;
}

/** The page, as it is to be. */
export function rulesIndex() {
  const parts = readRules().map(({ heading, files, tests }) => {
    const anchor = heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-');
    return [
      `## [${heading}](rules.md#${anchor})`,
      files.length === 0 ? 'Kept by no file: the rule says why.' : `Kept by ${files.map(linkTo).join(', ')}.`,
      `Proved by ${tests.map(({ file }) => linkTo(file)).join(', ')}.`,
    ].join('\n\n');
  });
  return `${['# Where each rule is kept and proved', INTRODUCTION, ...parts].join('\n\n')}\n`;
}

if (process.argv[1] === import.meta.filename) {
  if (process.argv[2] !== '--check') writeFileSync(PAGE, rulesIndex());
  else if (readFileSync(PAGE, 'utf8') !== rulesIndex()) {
    process.stderr.write(`${PAGE} is out of date: npm run rules\n`);
    process.exitCode = 1;
  }
}
