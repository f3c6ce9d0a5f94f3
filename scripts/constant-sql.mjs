import ts from 'typescript';

/** Methods whose first argument is SQL: of TypeORM and pg, of Transactions, and of TypeORM's query builder. */
const TAKES_SQL = new Set([
  ...['query', 'modify'],
  ...['where', 'andWhere', 'orWhere', 'having', 'andHaving', 'orHaving'],
  ...['select', 'addSelect', 'orderBy', 'addOrderBy', 'groupBy', 'addGroupBy'],
]);
const CONSTANT_NAME = /^[A-Z][A-Z0-9_]*$/;
const KNOWN_TYPES = ts.TypeFlags.StringLiteral | ts.TypeFlags.NumberLike;

function nameOf({ callee }) {
  return callee.type === 'MemberExpression' && !callee.computed ? callee.property.name : undefined;
}

/** A finite choice of texts that stand in the source, or a number. */
function isKnownType(type) {
  return type.isUnion() ? type.types.every(isKnownType) : (type.flags & KNOWN_TYPES) !== 0;
}

function definitionOf(scope, name) {
  for (let at = scope; at !== null; at = at.upper) {
    const found = at.set.get(name);
    if (found !== undefined) return { variable: found, isOfModule: at.type === 'module' };
  }
  return undefined;
}

/**
 * SQL is a text of the source (S-35): put together only from constants of a module (`LIKE_THIS`), values whose type is a choice of
 * literals, numbers, and functions of a module that take nothing else.
 */
export default {
  meta: {
    type: 'problem',
    schema: [],
    messages: {
      made: 'SQL is put together from "{{ part }}": pass it as a value ($1), or name the exception and its reason.',
    },
  },
  create(context) {
    const { parserServices } = context.sourceCode;

    function isOfModule(node) {
      const found = definitionOf(context.sourceCode.getScope(node), node.name);
      return found !== undefined && found.isOfModule;
    }

    function isConstant(node) {
      if (node.type === 'Literal') return true;
      if (node.type === 'TemplateLiteral') return node.expressions.every(isConstant);
      if (node.type === 'Identifier' && CONSTANT_NAME.test(node.name) && isOfModule(node)) return true;
      if (node.type === 'CallExpression' && node.callee.type === 'Identifier' && isOfModule(node.callee)) {
        return node.arguments.length > 0 && node.arguments.every(isConstant);
      }
      return isKnownType(parserServices.getTypeAtLocation(node));
    }

    /** The parts of a text that is put together here, or in the constant that is given by its name, and are not constant. */
    function madeParts(node) {
      if (node.type === 'TemplateLiteral') return node.expressions.flatMap(madePart);
      if (node.type === 'BinaryExpression' && node.operator === '+') return [node.left, node.right].flatMap(madePart);
      if (node.type === 'CallExpression') return node.arguments.flatMap(madeParts);
      if (node.type !== 'Identifier') return [];
      const [definition] = definitionOf(context.sourceCode.getScope(node), node.name)?.variable.defs ?? [];
      const made =
        definition?.type === 'Variable' && definition.node.id.type === 'Identifier' ? definition.node.init : null;
      return made?.type === 'TemplateLiteral' || made?.type === 'BinaryExpression' ? madeParts(made) : [];
    }

    function madePart(node) {
      if (node.type === 'BinaryExpression' || node.type === 'TemplateLiteral') return madeParts(node);
      return isConstant(node) ? [] : [node];
    }

    return {
      CallExpression(node) {
        const [sql] = node.arguments;
        if (sql === undefined || !TAKES_SQL.has(nameOf(node))) return;
        const [made] = madeParts(sql);
        if (made === undefined) return;
        context.report({ node: sql, messageId: 'made', data: { part: context.sourceCode.getText(made) } });
      },
    };
  },
};
