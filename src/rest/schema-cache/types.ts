/**
 * The schema cache: what a plan must know of the database, read from the catalogs once and immutable until the next
 * reload.
 *
 * Glossary. *Relation*: table, view, materialized view, foreign or partitioned table. *Relationship*: a way from one
 * relation to another, found by foreign key (on views by the columns they show) or declared by a function from row
 * to rows (*computed*). *Junction*: the table between two sides of many-to-many. *Data representation*: an implicit
 * cast between a domain and json or text.
 */

export interface QualifiedName {
  readonly schema: string;
  readonly name: string;
}

/** A map key; unambiguous since identifiers hold no NUL. */
export const keyOf = (schema: string, name: string): string => `${schema}\0${name}`;
export const sameName = (a: QualifiedName, b: QualifiedName): boolean =>
  a.schema === b.schema && a.name === b.name;

export interface Column {
  readonly name: string;
  readonly description: string | null;
  readonly nullable: boolean;
  /** Base type of domains over built-in types; built-in types without modifier. */
  readonly type: string;
  /** As declared, with modifier. */
  readonly nominalType: string;
  readonly maxLength: number | null;
  /** SQL text. */
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

/** Column here, column there. */
export type ColumnPair = readonly [string, string];

/** In the order in which ambiguous relationships are listed. */
export type Cardinality = 'one-to-many' | 'many-to-one' | 'one-to-one' | 'many-to-many';

export interface Junction {
  readonly table: QualifiedName;
  readonly constraint1: string;
  readonly constraint2: string;
  /** Column of the origin, column of the junction. */
  readonly sourceColumns: readonly ColumnPair[];
  /** Column of the target, column of the junction. */
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
  /** Empty for many-to-many. */
  readonly constraint: string;
  /** Column of `table`, column of `foreignTable`; empty for many-to-many. */
  readonly columns: readonly ColumnPair[];
  /** One-to-one seen from the referenced side. */
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
  /** The type without a length that would cut (`character` as `character varying`). */
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
  /** Settings of the function that also hold for its whole transaction. */
  readonly settings: readonly (readonly [string, string])[];
}

export type IsolationLevel = 'read committed' | 'repeatable read' | 'serializable';

export const returnsVoid = (routine: Routine): boolean =>
  !routine.returnsSet && routine.returns.schema === 'pg_catalog' && routine.returns.name === 'void';
export const returnsScalar = (routine: Routine): boolean => !routine.returnsSet && !routine.returnsComposite;
export const returnsSetOfScalar = (routine: Routine): boolean =>
  routine.returnsSet && !routine.returnsComposite;

/** A function or aggregate that makes a custom media type out of rows. */
export interface MediaHandler {
  readonly function: QualifiedName;
  /** The relation or function whose rows it takes; undefined: rows of anything. */
  readonly target: QualifiedName | undefined;
  readonly mediaType: string;
  /** What is answered; differs from `mediaType` for handlers of all types. */
  readonly resolvedType: string;
  /** What its domain is over. jsonb is answered in its binary form, with a version byte, as upstream reads it. */
  readonly base: 'bytea' | 'jsonb' | 'other';
}

export interface SchemaCache {
  /** By {@link keyOf}. */
  readonly relations: ReadonlyMap<string, Relation>;
  /** By the origin's {@link keyOf}, sorted; targets are in the origin's schema or computed. */
  readonly relationships: ReadonlyMap<string, readonly Relationship[]>;
  /** Overloads by {@link keyOf}, fewest parameters first. */
  readonly routines: ReadonlyMap<string, readonly Routine[]>;
  /** Function that converts, by source and target type. */
  readonly representations: ReadonlyMap<string, string>;
  /** By media type, those of a target by its {@link keyOf} too. */
  readonly mediaHandlers: ReadonlyMap<string, MediaHandler>;
  /** Whether any function mentions `response.headers` or `response.status`; else no read needs to ask for them. */
  readonly setsResponse: boolean;
}

export const handlerKey = (target: QualifiedName | undefined, mediaType: string): string =>
  `${target === undefined ? '' : keyOf(target.schema, target.name)}\0${mediaType}`;
export const representationKey = (from: string, to: string): string => `${from}\0${to}`;
