import type { SyntaxNode } from '@lezer/common';
import { parser } from '@prometheus-io/lezer-promql';

/** One condition on a label. */
interface Matcher {
  readonly label: string;
  readonly operator: string;
  readonly value: string;
}

/** What one part of a query reads. */
interface Selector {
  readonly metric: string;
  readonly matchers: readonly Matcher[];
}

/** A query as far as a test looks at it. */
interface Query {
  readonly selectors: readonly Selector[];
  /** Labels that something is grouped by, and what is read below that. */
  readonly groupings: readonly { readonly labels: readonly string[]; readonly metrics: readonly string[] }[];
}

function nodesOf(root: SyntaxNode, name: string): SyntaxNode[] {
  const found: SyntaxNode[] = [];
  root.cursor().iterate((node) => {
    if (node.name === name) found.push(node.node);
  });
  return found;
}

/** Parses PromQL with the parser of Prometheus' own editor; throws where that finds an error. */
export function parseQuery(expression: string): Query {
  const tree = parser.parse(expression).topNode;
  tree.cursor().iterate((node) => {
    if (node.type.isError) throw new Error(`no PromQL, at ${node.from}: ${expression}`);
  });
  const textOf = ({ from, to }: SyntaxNode): string => expression.slice(from, to);
  const selectorOf = (node: SyntaxNode): Selector => {
    const metric = node.getChild('Identifier');
    if (metric === null) throw new Error(`a selector without a metric: ${textOf(node)}`);
    const matchers = nodesOf(node, 'UnquotedLabelMatcher').map((matcher): Matcher => {
      const [label, operator, value] = ['LabelName', 'MatchOp', 'StringLiteral'].map((name) => matcher.getChild(name));
      if (!label || !operator || !value) throw new Error(`a matcher that is none: ${textOf(matcher)}`);
      return { label: textOf(label), operator: textOf(operator), value: JSON.parse(textOf(value)) as string };
    });
    return { metric: textOf(metric), matchers };
  };
  const groupings = nodesOf(tree, 'GroupingLabels').map((labels) => {
    const scope = labels.parent?.parent ?? tree;
    return {
      labels: nodesOf(labels, 'LabelName').map(textOf),
      metrics: nodesOf(scope, 'VectorSelector').map((node) => selectorOf(node).metric),
    };
  });
  return { selectors: nodesOf(tree, 'VectorSelector').map(selectorOf), groupings };
}
