/**
 * Defines the schema cache, which contains the database metadata that planning requires. The cache is read from the
 * catalogs and doesn't change until the next reload.
 *
 * Glossary. *Relation*: a table, view, materialized view, foreign table or partitioned table. *Relationship*: a link
 * between two relations, from a foreign key (for views, through the columns they include) or from a function that maps
 * a row to rows (*computed*). *Junction*: the table between both sides of a many-to-many relationship. *Data
 * representation*: an implicit cast between a domain and json or text.
 */

export interface QualifiedName {
  readonly schema: string;
  readonly name: string;
}

/**
 * Returns the key that the schema cache's maps use for a name. The key is unambiguous because identifiers can't contain
 * NUL.
 */
export const keyOf = (schema: string, name: string): string => `${schema}\0${name}`;
export const sameName = (a: QualifiedName, b: QualifiedName): boolean =>
  a.schema === b.schema && a.name === b.name;

export interface Column {
  readonly name: string;
  readonly description: string | null;
  readonly nullable: boolean;
  /**
   * The type. A domain over a built-in type is replaced with its base type. For built-in types, the modifier is
   * omitted.
   */
  readonly type: string;
  /** The declared type with its modifier. */
  readonly nominalType: string;
  readonly maxLength: number | null;
  /** The default expression as SQL text. */
  readonly default: string | null;
  readonly enumValues: readonly string[];
}

export interface Relation extends QualifiedName {
  readonly description: string | null;
  readonly isView: boolean;
  readonly insertable: boolean;
  readonly updatable: boolean;
  readonly deletable: boolean;
  readonly primaryKey: readonly string[];
  readonly columns: ReadonlyMap<string, Column>;
}

/** A column of this relation, and the corresponding column of the other relation. */
export type ColumnPair = readonly [string, string];

/** The cardinalities, in the order in which errors list ambiguous relationships. */
export type Cardinality = 'one-to-many' | 'many-to-one' | 'one-to-one' | 'many-to-many';

export interface Junction {
  readonly table: QualifiedName;
  readonly constraint1: string;
  readonly constraint2: string;
  /** The pairs of origin column and junction column. */
  readonly sourceColumns: readonly ColumnPair[];
  /** The pairs of target column and junction column. */
  readonly targetColumns: readonly ColumnPair[];
}

export interface KeyRelationship {
  readonly kind: 'key';
  readonly table: QualifiedName;
  readonly foreignTable: QualifiedName;
  readonly isSelf: boolean;
  readonly tableIsView: boolean;
  readonly foreignTableIsView: boolean;
  readonly cardinality: Cardinality;
  /** The name of the foreign key constraint. Empty for a many-to-many relationship. */
  readonly constraint: string;
  /** The pairs of `table` column and `foreignTable` column. Empty for a many-to-many relationship. */
  readonly columns: readonly ColumnPair[];
  /** Whether the relationship is one-to-one and its origin is the table that the foreign key references. */
  readonly isParent: boolean;
  readonly junction: Junction | undefined;
}

export interface ComputedRelationship {
  readonly kind: 'computed';
  readonly function: QualifiedName;
  readonly table: QualifiedName;
  readonly foreignTable: QualifiedName;
  readonly toOne: boolean;
  readonly isSelf: boolean;
}

export type Relationship = KeyRelationship | ComputedRelationship;

export const isToOne = (relationship: Relationship): boolean =>
  relationship.kind === 'computed'
    ? relationship.toOne
    : relationship.cardinality === 'many-to-one' || relationship.cardinality === 'one-to-one';

export interface RoutineParameter {
  readonly name: string;
  readonly type: string;
  /**
   * The type without its length limit, which would truncate values. For example, `character` becomes `character
   * varying`.
   */
  readonly unboundedType: string;
  readonly required: boolean;
  readonly variadic: boolean;
}

export interface Routine extends QualifiedName {
  readonly description: string | null;
  readonly parameters: readonly RoutineParameter[];
  readonly returns: QualifiedName;
  readonly returnsSet: boolean;
  readonly returnsComposite: boolean;
  readonly volatility: 'immutable' | 'stable' | 'volatile';
  readonly hasVariadic: boolean;
  readonly isolation: IsolationLevel | undefined;
  /** The function's settings that apply to the whole transaction. */
  readonly settings: readonly (readonly [string, string])[];
}

export type IsolationLevel = 'read committed' | 'repeatable read' | 'serializable';

export const returnsVoid = (routine: Routine): boolean =>
  !routine.returnsSet && routine.returns.schema === 'pg_catalog' && routine.returns.name === 'void';
export const returnsScalar = (routine: Routine): boolean => !routine.returnsSet && !routine.returnsComposite;
export const returnsSetOfScalar = (routine: Routine): boolean =>
  routine.returnsSet && !routine.returnsComposite;

/** A function or aggregate that converts rows to a custom media type. */
export interface MediaHandler {
  readonly function: QualifiedName;
  /**
   * The relation or function whose rows the handler accepts. If the target is undefined, the handler accepts any rows.
   */
  readonly target: QualifiedName | undefined;
  readonly mediaType: string;
  /** The media type of the response. This media type differs from `mediaType` if the handler accepts all types. */
  readonly resolvedType: string;
  /**
   * The base type of the handler's domain. jsonb is returned in its binary format with a version byte, as in PostgREST.
   */
  readonly base: 'bytea' | 'jsonb' | 'other';
}

export interface SchemaCache {
  /** The relations, keyed by {@link keyOf}. */
  readonly relations: ReadonlyMap<string, Relation>;
  /**
   * The relationships, keyed by {@link keyOf} of the origin, in sorted order. The target is in the origin's schema,
   * unless the relationship is computed.
   */
  readonly relationships: ReadonlyMap<string, readonly Relationship[]>;
  /** The overloads of each function, keyed by {@link keyOf}. Overloads with fewer parameters are first. */
  readonly routines: ReadonlyMap<string, readonly Routine[]>;
  /** The conversion functions by source type and target type. */
  readonly representations: ReadonlyMap<string, string>;
  /** The handlers by media type. If a handler has a target, its key also contains the target's {@link keyOf}. */
  readonly mediaHandlers: ReadonlyMap<string, MediaHandler>;
  /**
   * Whether any function in the database uses `response.headers` or `response.status`. If no function uses these
   * settings, reads don't need to query them.
   */
  readonly setsResponse: boolean;
  /** Whether the database uses Citus, which supports fewer forms of a statement. */
  readonly isDistributed: boolean;
}

export const handlerKey = (target: QualifiedName | undefined, mediaType: string): string =>
  `${target === undefined ? '' : keyOf(target.schema, target.name)}\0${mediaType}`;
export const representationKey = (from: string, to: string): string => `${from}\0${to}`;
