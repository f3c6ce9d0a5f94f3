import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

/** A regular expression as a source file holds it. */
interface FoundExpression {
  /** `src/folder/file.ts:12` */
  readonly place: string;
  readonly expression: RegExp;
}

/** What the sources under a folder hold: the literals, and the places where an expression is put together at run time. */
export interface FoundExpressions {
  readonly literals: readonly FoundExpression[];
  readonly computed: readonly string[];
}

function toRegExp(literal: string): RegExp {
  const end = literal.lastIndexOf('/');
  return new RegExp(literal.slice(1, end), literal.slice(end + 1));
}

function isConstruction(node: ts.Node): boolean {
  return (ts.isNewExpression(node) || ts.isCallExpression(node)) && node.expression.getText() === 'RegExp';
}

/** Every TypeScript source below a folder, without its specs. */
export function sourceFiles(folder: string): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return names.filter((name) => name.endsWith('.ts') && !name.endsWith('.spec.ts')).map((name) => join(folder, name));
}

/** Every regular expression of the sources below a folder, read by the TypeScript compiler. */
export function regularExpressionsOf(folder: string): FoundExpressions {
  const literals: FoundExpression[] = [];
  const computed: string[] = [];
  for (const file of sourceFiles(folder)) {
    const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
    const visit = (node: ts.Node): void => {
      const place = `${file}:${source.getLineAndCharacterOfPosition(node.getStart()).line + 1}`;
      if (ts.isRegularExpressionLiteral(node)) literals.push({ place, expression: toRegExp(node.text) });
      if (isConstruction(node)) computed.push(place);
      ts.forEachChild(node, visit);
    };
    visit(source);
  }
  return { literals, computed };
}
