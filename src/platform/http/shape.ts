import { getMetadataStorage, IS_ARRAY, IS_OBJECT, ValidationTypes } from 'class-validator';
import { badField } from '../errors/app-error.js';

export type Constructor<T extends object = object> = new () => T;

/** What a class accepts in one of its fields, beside texts, numbers and flags. */
type FieldShape = 'list' | 'whole' | { readonly nested: Constructor };

type Rule = ReturnType<ReturnType<typeof getMetadataStorage>['getTargetValidationMetadatas']>[number];

/** What one rule says of the shape of its field; undefined where it says nothing. */
function shapeBy(Class: Constructor, { propertyName, type, name, each }: Rule): FieldShape | undefined {
  if (type === ValidationTypes.NESTED_VALIDATION) {
    if (each) return 'whole';
    return { nested: Reflect.getMetadata('design:type', Class.prototype as object, propertyName) as Constructor };
  }
  if (name === IS_OBJECT) return 'whole';
  return name === IS_ARRAY ? 'list' : undefined;
}

/** Combines the rules of a field: a nested class counts before `whole`, and `whole` before `list`. */
function shapeOf(Class: Constructor, rules: readonly Rule[]): FieldShape | undefined {
  const shapes = rules.map((rule) => shapeBy(Class, rule));
  const nested = shapes.find((shape) => typeof shape === 'object');
  return nested ?? (['whole', 'list'] as const).find((shape) => shapes.includes(shape));
}

function emptied(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  return Array.isArray(value) ? [] : {};
}

/**
 * Returns the body with every list and object emptied where its class has none, before anything walks through them: validation
 * refuses them by their kind alone (S-34, S-53). Throws `bad_request` for a list where an object belongs.
 */
export function inShapeOf(Class: Constructor, body: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const rules = getMetadataStorage().getTargetValidationMetadatas(Class, '', false, false);
  const members = Object.entries(body).map(([field, value]) => {
    const own = rules.filter(({ propertyName }) => propertyName === field);
    return [field, fieldInShape(field, value, shapeOf(Class, own))] as const;
  });
  return Object.fromEntries(members);
}

function fieldInShape(field: string, value: unknown, shape: FieldShape | undefined): unknown {
  if (typeof value !== 'object' || value === null || shape === 'whole') return value;
  if (typeof shape === 'object') {
    if (Array.isArray(value)) throw badField(field, 'must be an object');
    return inShapeOf(shape.nested, value as Record<string, unknown>);
  }
  return shape === 'list' && Array.isArray(value) ? value.map(emptied) : emptied(value);
}
