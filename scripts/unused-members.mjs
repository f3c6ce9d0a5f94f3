import { join, relative } from 'node:path';
import ts from 'typescript';

/** Names members of classes, and settings, that nothing reads; a library for this does not exist for TypeScript 6 (CONTRIBUTING.md). */
const ROOT = join(import.meta.dirname, '..');

/** Read by the language itself. */
const EXCEPTIONS = new Set(['Secret.toJSON', 'Secret.toString']);

const { fileNames, options } = ts.getParsedCommandLineOfConfigFile(join(ROOT, 'tsconfig.json'), {}, ts.sys);
const program = ts.createProgram(fileNames, options);
const checker = program.getTypeChecker();
const sources = program.getSourceFiles().filter(({ fileName }) => !fileName.includes('/node_modules/'));

const members = new Map();
const used = new Set();
/** Names that are read of an interface, and words in quotes, by which a setting may be read. */
const words = new Set();

function use(symbol) {
  if (symbol === undefined) return;
  for (const { declarations = [] } of [symbol, ...checker.getRootSymbols(symbol)]) {
    for (const declaration of declarations) {
      used.add(declaration);
      // Any class may be what an interface stands for.
      if (ts.isPropertySignature(declaration) || ts.isMethodSignature(declaration)) words.add(symbol.name);
    }
  }
}

function isWrite(node) {
  const { parent } = node;
  return (
    ts.isBinaryExpression(parent) && parent.left === node && parent.operatorToken.kind === ts.SyntaxKind.EqualsToken
  );
}

function collectClass(node) {
  for (const member of node.members) {
    const parameters = ts.isConstructorDeclaration(member) ? member.parameters : [];
    const properties = parameters.filter((parameter) => ts.isParameterPropertyDeclaration(parameter, member));
    for (const each of ts.isConstructorDeclaration(member) ? properties : [member]) {
      const isNamed = each.name !== undefined && !ts.isComputedPropertyName(each.name);
      if (isNamed && !ts.isSetAccessor(each) && !ts.getDecorators(each))
        members.set(each, `${node.name?.text}.${each.name.text}`);
    }
  }
}

function collectSettings(node) {
  const value = ts.isAsExpression(node.initializer) ? node.initializer.expression : node.initializer;
  for (const each of value.properties ?? []) {
    if (ts.isPropertyAssignment(each)) members.set(each, `${node.name.text}.${each.name.text}`);
  }
}

function visit(node) {
  if (ts.isClassDeclaration(node)) collectClass(node);
  if (ts.isVariableDeclaration(node) && node.initializer && /^[A-Z]+_SETTINGS$/.test(node.name.text))
    collectSettings(node);
  if (ts.isStringLiteral(node)) words.add(node.text);
  if (ts.isPropertyAccessExpression(node) && !isWrite(node)) use(checker.getSymbolAtLocation(node.name));
  if (ts.isBindingElement(node) && ts.isIdentifier(node.propertyName ?? node.name)) {
    use(checker.getTypeAtLocation(node.parent).getProperty((node.propertyName ?? node.name).text));
  }
  ts.forEachChild(node, visit);
}

/** What a base class or an interface of the member's class declares under its name. */
function inherited(member) {
  const owner = ts.isParameter(member) ? member.parent.parent : member.parent;
  const types = (owner.heritageClauses ?? []).flatMap((clause) => clause.types);
  const properties = types.map((type) => checker.getTypeAtLocation(type).getProperty(member.name.text));
  return properties.flatMap((property) => property?.declarations ?? []);
}

function isUsed(member) {
  if (used.has(member) || words.has(member.name.text)) return true;
  return inherited(member).some((each) => used.has(each) || each.getSourceFile().isDeclarationFile);
}

for (const source of sources) if (!source.isDeclarationFile) visit(source);
const unused = [...members].filter(([member, name]) => !EXCEPTIONS.has(name) && !isUsed(member));
for (const [member, name] of unused)
  console.error(`${relative(ROOT, member.getSourceFile().fileName)}: nothing reads ${name}`);
process.exitCode = unused.length > 0 ? 1 : 0;
