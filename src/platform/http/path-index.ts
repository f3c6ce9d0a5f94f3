interface PathNode<T> {
  readonly literals: Map<string, PathNode<T>>;
  /** Whatever segment comes here that no literal names. */
  other: PathNode<T> | undefined;
  readonly values: T[];
}

/** What is kept under a path, and the segments of its parameters, as they were sent. */
export interface Found<T> {
  readonly values: readonly T[];
  readonly taken: readonly string[];
}

function newNode<T>(): PathNode<T> {
  return { literals: new Map(), other: undefined, values: [] };
}

function isParameter(segment: string): boolean {
  return segment.startsWith(':');
}

/**
 * Values under paths such as `/:exchange/orders/:order_id`, found without a walk through all of them. A path is compared exactly:
 * case, percent codes and a slash at its end count. A parameter takes any segment but an empty one; where a literal segment leads
 * to a value too, that is found instead.
 *
 * Not `find-my-way`, which decodes a path before it compares: `/auth/log%69n` would be a route, and pass the limits that go by path.
 */
export class PathIndex<T> {
  readonly #root = newNode<T>();
  #depth = 0;

  add(path: string, value: T): void {
    const segments = path.split('/');
    this.#depth = Math.max(this.#depth, segments.length);
    let node = this.#root;
    for (const segment of segments) node = isParameter(segment) ? (node.other ??= newNode()) : literal(node, segment);
    node.values.push(value);
  }

  /** What was added under the path, in that order; null where nothing was. */
  find(path: string): Found<T> | null {
    const segments = path.split('/', this.#depth + 1);
    const taken: string[] = [];
    const node = search(this.#root, segments, 0, taken);
    return node === null ? null : { values: node.values, taken };
  }
}

function literal<T>(node: PathNode<T>, segment: string): PathNode<T> {
  const known = node.literals.get(segment);
  if (known !== undefined) return known;
  const created = newNode<T>();
  node.literals.set(segment, created);
  return created;
}

/** At most as many steps as there are places. */
function search<T>(node: PathNode<T>, segments: readonly string[], at: number, taken: string[]): PathNode<T> | null {
  const segment = segments[at];
  if (segment === undefined) return node.values.length > 0 ? node : null;
  const named = node.literals.get(segment);
  const found = named === undefined ? null : search(named, segments, at + 1, taken);
  if (found !== null || node.other === undefined || segment === '') return found;
  taken.push(segment);
  const below = search(node.other, segments, at + 1, taken);
  if (below === null) taken.pop();
  return below;
}
