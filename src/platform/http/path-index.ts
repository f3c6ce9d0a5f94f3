interface Place<T> {
  readonly literals: Map<string, Place<T>>;
  /** Whatever segment comes here that no literal names. */
  other: Place<T> | undefined;
  readonly values: T[];
}

/** What is kept under a path, and the segments of its parameters, as they were sent. */
export interface Found<T> {
  readonly values: readonly T[];
  readonly taken: readonly string[];
}

function newPlace<T>(): Place<T> {
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
  readonly #root = newPlace<T>();
  #depth = 0;

  add(path: string, value: T): void {
    const segments = path.split('/');
    this.#depth = Math.max(this.#depth, segments.length);
    let place = this.#root;
    for (const segment of segments)
      place = isParameter(segment) ? (place.other ??= newPlace()) : literal(place, segment);
    place.values.push(value);
  }

  /** What was added under the path, in that order; null where nothing was. */
  find(path: string): Found<T> | null {
    const segments = path.split('/', this.#depth + 1);
    const taken: string[] = [];
    const place = search(this.#root, segments, 0, taken);
    return place === null ? null : { values: place.values, taken };
  }
}

function literal<T>(place: Place<T>, segment: string): Place<T> {
  const known = place.literals.get(segment);
  if (known !== undefined) return known;
  const created = newPlace<T>();
  place.literals.set(segment, created);
  return created;
}

/** At most as many steps as there are places. */
function search<T>(place: Place<T>, segments: readonly string[], at: number, taken: string[]): Place<T> | null {
  const segment = segments[at];
  if (segment === undefined) return place.values.length > 0 ? place : null;
  const named = place.literals.get(segment);
  const found = named === undefined ? null : search(named, segments, at + 1, taken);
  if (found !== null || place.other === undefined || segment === '') return found;
  taken.push(segment);
  const below = search(place.other, segments, at + 1, taken);
  if (below === null) taken.pop();
  return below;
}
