/** Compares properties that are each set by a single statement, such as a column's storage. */

/** A property that differs from its default. */
export interface Property {
  /** The schema of the object. The value is null for a publication. */
  readonly schema: string | null;
  /** The table, sequence, view or publication. An empty string if the object is the schema. */
  readonly relation: string;
  readonly column: string | null;
  readonly property: string;
  readonly set: string;
  /** The statement that restores the default. */
  readonly reset: string;
}

/**
 * Whether the statement that sets the property can run more than once. The statement for an option of a foreign table's
 * column fails if the option has already been added.
 */
const isRepeatable = ({ property }: Property): boolean => !property.startsWith('foreign option ');

const keyOf = ({ schema, relation, column, property }: Property): string =>
  JSON.stringify([schema, relation, column, property]);

/**
 * Determines whether a property's relation or column exists in the new schema, and whether the plan creates or changes
 * it.
 */
export interface Changes {
  readonly isTouched: (property: Property) => boolean;
  readonly exists: (property: Property) => boolean;
}

export interface PropertyStatements {
  /**
   * Statements that must run first. These statements reset trigger states, because later changes to a parent table's
   * trigger overwrite them, and set schema owners, because a new owner takes over the old owner's privileges.
   */
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/**
 * Compares two lists of properties. Changing a column can reset its properties to their defaults, so the properties of
 * changed columns are set again.
 */
export function compareProperties(
  from: readonly Property[],
  to: readonly Property[],
  { isTouched, exists }: Changes,
): PropertyStatements {
  const before = new Map(from.map((property) => [keyOf(property), property]));
  const after = new Set(to.map(keyOf));
  const unset = from.filter(
    (property) => !after.has(keyOf(property)) && exists(property) && property.reset !== '',
  );
  const changes = (property: Property): string[] => {
    if (property.property === 'virtual' && isTouched(property)) return [];
    const previous = before.get(keyOf(property));
    if (isTouched(property) && isRepeatable(property)) return [property.set];
    if (previous?.set === property.set) return [];
    return previous === undefined || isRepeatable(property)
      ? [property.set]
      : [previous.reset, property.set].filter((text) => text !== '');
  };
  const isOwner = ({ property }: Property): boolean => property === 'owner';
  const isEarly = (property: Property): boolean =>
    property.property.startsWith('trigger ') || isOwner(property);
  return {
    before: [...unset.filter(isEarly).map(({ reset }) => reset), ...to.filter(isOwner).flatMap(changes)],
    after: [
      ...unset.filter((property) => !isEarly(property)).map(({ reset }) => reset),
      ...to.filter((property) => !isOwner(property)).flatMap(changes),
    ],
  };
}
