/**
 * Defines plans, which are requests that have been resolved against the schema cache and can be compiled to SQL.
 *
 * Glossary. *Source*: the common table expression `pgrst_source`, which contains the result of a write or call and is
 * read by the request's read plan. *Aggregate alias*: the alias of an embed's joined rows.
 */
import type { MediaHandler, QualifiedName, Relationship, Routine } from '../../schema-cache/types.ts';
import type { MediaType } from '../parse/media-type.ts';
import type { Aggregate, Field, JoinType, JsonPath, OperatorExpression } from '../parse/types.ts';

export const SOURCE = 'pgrst_source';

/** A column or another named field, with the type information that its use requires. */
export interface PlanField {
  readonly name: string;
  readonly jsonPath: JsonPath;
  /** Whether the column must be converted with `to_jsonb` before the JSON path is applied. */
  readonly toJson: boolean;
  /** The language of the full-text search. If the language is set, the column is wrapped in `to_tsvector`. */
  readonly textSearch: { readonly language: string | undefined } | undefined;
  /** The name of the type. Empty if the type is unknown. */
  readonly type: string;
  /** The function that converts the value, if the column has a data representation. */
  readonly transform: string | undefined;
  readonly default: string | null;
  /** Whether the whole row is counted. A spread uses `count(row)` instead of `count(*)`. */
  readonly fullRow: boolean;
}

export interface PlanColumn {
  readonly field: PlanField;
  readonly alias: string | undefined;
  readonly cast: string | undefined;
  readonly aggregate: Aggregate | undefined;
  readonly aggregateCast: string | undefined;
}

export type PlanCondition =
  | { readonly kind: 'filter'; readonly field: PlanField; readonly expression: OperatorExpression }
  /** Tests whether an embed contains no rows (`is.null`) or, if `negated` is true, contains a row. */
  | { readonly kind: 'null-embed'; readonly negated: boolean; readonly aggregateAlias: string }
  | {
      readonly kind: 'logic';
      readonly negated: boolean;
      readonly operator: 'and' | 'or';
      readonly children: readonly PlanCondition[];
    };

export interface PlanOrder {
  /** The alias of the embed that contains the column. Undefined if the column belongs to the current level. */
  readonly relation: string | undefined;
  readonly field: PlanField;
  readonly direction: 'asc' | 'desc' | undefined;
  readonly nulls: 'nullsfirst' | 'nullslast' | undefined;
}

export interface JoinCondition {
  readonly left: readonly [QualifiedName, string];
  readonly right: readonly [QualifiedName, string];
}

export interface SpreadColumn {
  readonly name: string;
  readonly alias: string | undefined;
  readonly aggregate: Aggregate | undefined;
  readonly aggregateCast: string | undefined;
}

/** How an embed appears in the output of its parent. */
export type EmbedOutput =
  | {
      readonly kind: 'json';
      readonly name: string;
      readonly aggregateAlias: string;
      readonly mode: 'object' | 'array';
      /** Whether the embed selects no columns, so that it only affects the join. */
      readonly empty: boolean;
    }
  | { readonly kind: 'spread'; readonly columns: readonly SpreadColumn[]; readonly aggregateAlias: string };

export type Spread =
  | { readonly kind: 'to-one' }
  | {
      readonly kind: 'to-many';
      /** The columns that are only used for ordering, each with the embed that contains it. */
      readonly extra: readonly { readonly relation: string | undefined; readonly column: PlanColumn }[];
      readonly order: readonly PlanOrder[];
    };

/**
 * A level of a read. During planning, each stage replaces the parts that it resolves. After planning, the level doesn't
 * change.
 */
export interface ReadPlan {
  columns: PlanColumn[];
  from: QualifiedName;
  fromAlias: string | undefined;
  where: PlanCondition[];
  order: PlanOrder[];
  /** The key of the level's limit and offset in the request. If the key is undefined, all rows are selected. */
  rangeKey: string | undefined;
  /** The server's row limit, if it applies. */
  maxRows: number | undefined;
  readonly name: string;
  readonly alias: string | undefined;
  readonly hint: string | undefined;
  readonly join: JoinType | undefined;
  readonly depth: number;
  aggregateAlias: string;
  relationship: Relationship | undefined;
  /** The alias of the parent's row, which is passed to functions of computed relationships. */
  parentAlias: string | undefined;
  joinConditions: JoinCondition[];
  spread: Spread | undefined;
  outputs: EmbedOutput[];
  embeds: ReadPlan[];
  /** Whether the request referred to this embed by its relation name, even though the embed has an alias. */
  legacyName: boolean;
}

export type Mutation = 'insert' | 'update' | 'delete' | 'put';

export interface WriteBody {
  readonly columns: readonly PlanField[];
  readonly isObject: boolean;
  readonly applyDefaults: boolean;
}

export interface WritePlan {
  readonly mutation: Mutation;
  readonly table: QualifiedName;
  readonly body: WriteBody;
  readonly conflict:
    | { readonly resolution: 'merge-duplicates' | 'ignore-duplicates'; readonly columns: readonly string[] }
    | undefined;
  /** Whether the request contains the parameter `on_conflict`. */
  readonly hasOnConflict: boolean;
  readonly where: readonly PlanCondition[];
  readonly returning: readonly string[];
  /** The primary key columns, which the Location header contains. */
  readonly primaryKey: readonly string[];
}

export type CallArguments =
  /** Named arguments. A value is a string or, for a VARIADIC argument, a list of strings. */
  | { readonly kind: 'named'; readonly given: readonly string[] }
  /** The JSON body contains the arguments. */
  | { readonly kind: 'json'; readonly isObject: boolean }
  /** The whole body is the function's single unnamed argument. */
  | { readonly kind: 'single' };

export interface CallPlan {
  readonly routine: Routine;
  readonly parameters: Routine['parameters'];
  readonly arguments: CallArguments;
  readonly filterColumns: readonly string[];
  readonly returning: readonly string[];
}

/** Determines how the body is formatted. */
export type Handler =
  | { readonly kind: 'array'; readonly stripped: boolean }
  | { readonly kind: 'object'; readonly stripped: boolean }
  | { readonly kind: 'csv' }
  | { readonly kind: 'geojson' }
  | {
      readonly kind: 'custom';
      readonly function: QualifiedName;
      readonly target: QualifiedName | undefined;
      readonly base: MediaHandler['base'];
    }
  /** The response has no body. */
  | { readonly kind: 'none' };

interface Negotiated {
  readonly read: ReadPlan;
  readonly handler: Handler;
  readonly mediaType: MediaType;
}

export type CrudPlan =
  | (Negotiated & { readonly kind: 'read'; readonly target: QualifiedName; readonly headersOnly: boolean })
  | (Negotiated & { readonly kind: 'write'; readonly target: QualifiedName; readonly write: WritePlan })
  | (Negotiated & {
      readonly kind: 'call';
      readonly target: QualifiedName;
      readonly call: CallPlan;
      readonly headersOnly: boolean;
      readonly readOnly: boolean;
    });

export const emptyField = (field: Field): PlanField => ({
  name: field.name,
  jsonPath: field.jsonPath,
  toJson: true,
  textSearch: undefined,
  type: '',
  transform: undefined,
  default: null,
  fullRow: false,
});

/**
 * Returns the columns that a condition compares. A column that the condition contains more than once is returned more
 * than once.
 */
export function columnsOfFilter(condition: PlanCondition): string[] {
  switch (condition.kind) {
    case 'filter':
      return [condition.field.name];
    case 'null-embed':
      return [];
    case 'logic':
      return condition.children.flatMap(columnsOfFilter);
  }
}
