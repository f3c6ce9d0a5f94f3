/** A schema of the service's own OpenAPI document, as far as it is told here. */
export interface DescribedSchema {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, DescribedSchema>>;
  readonly items?: DescribedSchema;
}

/** Paths of all members below a schema, each with what is said of it. */
export function membersOf({ properties = {}, items }: DescribedSchema, at = ''): [path: string, said: string][] {
  const own = Object.entries(properties).flatMap(([name, member]): [string, string][] => [
    [`${at}.${name}`, member.description ?? ''],
    ...membersOf(member, `${at}.${name}`),
  ]);
  return items === undefined ? own : [...own, ...membersOf(items, `${at}[]`)];
}

/** Paths of all members of a value, as `membersOf` writes them. */
export function pathsIn(value: unknown, at = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((one) => pathsIn(one, `${at}[]`));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => [`${at}.${name}`, ...pathsIn(member, `${at}.${name}`)]);
}
