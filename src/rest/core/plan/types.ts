/**
 * Plans: a request with everything resolved against the schema cache, ready to be written as SQL.
 *
 * Glossary. *Source*: the common table expression `pgrst_source` that holds what a write or a call returned; the
 * read plan of such a request reads from it. *Aggregate alias*: the name under which an embed's rows are joined.
 */

import type { MediaHandler, QualifiedName, Relationship, Routine } from '../../schema-cache/types.ts';
import type { MediaType } from '../parse/media-type.ts';
import type { Aggregate, Field, JoinType, JsonPath, OperatorExpression } from '../parse/types.ts';

export const SOURCE = 'pgrst_source';

/** A column (or anything else with a name), with what is known of its type in the place where it stands. */
export interface PlanField {
  readonly name: string;
  readonly jsonPath: JsonPath;
  /** A JSON path on it needs `to_jsonb` first. */
  readonly toJson: boolean;
  /** Wrapped in to_tsvector, with this language, for full-text search. */
  readonly textSearch: { readonly language: string | undefined } | undefined;
  /** Empty when unknown. */
  readonly type: string;
  /** Function of a data representation. */
  readonly transform: string | undefined;
  readonly default: string | null;
  /** The whole row: `count(row)` of a spread rather than `count(*)`. */
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
  /** `negated`: the embed must have a row. */
  | { readonly kind: 'null-embed'; readonly negated: boolean; readonly aggregateAlias: string }
  | {
      readonly kind: 'logic';
      readonly negated: boolean;
      readonly operator: 'and' | 'or';
      readonly children: readonly PlanCondition[];
    };

export interface PlanOrder {
  /** Alias of the embed whose column it is; undefined for a column of this level. */
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

/** How a parent shows an embed. */
export type EmbedOutput =
  | {
      readonly kind: 'json';
      readonly name: string;
      readonly aggregateAlias: string;
      readonly mode: 'object' | 'array';
      /** Nothing is selected in it: it joins, but shows nothing. */
      readonly empty: boolean;
    }
  | { readonly kind: 'spread'; readonly columns: readonly SpreadColumn[]; readonly aggregateAlias: string };

export type Spread =
  | { readonly kind: 'to-one' }
  | {
      readonly kind: 'to-many';
      /** Columns that are only there to order by; from the embed named, if any. */
      readonly extra: readonly { readonly relation: string | undefined; readonly column: PlanColumn }[];
      readonly order: readonly PlanOrder[];
    };

/** One level of a read. Built in stages, each of which replaces what it resolves; not changed afterwards. */
export interface ReadPlan {
  columns: PlanColumn[];
  from: QualifiedName;
  fromAlias: string | undefined;
  where: PlanCondition[];
  order: PlanOrder[];
  /** Key of its limit and offset in the request; undefined: all rows. */
  rangeKey: string | undefined;
  /** The server's maximum, where it applies. */
  maxRows: number | undefined;
  readonly name: string;
  readonly alias: string | undefined;
  readonly hint: string | undefined;
  readonly join: JoinType | undefined;
  readonly depth: number;
  aggregateAlias: string;
  relationship: Relationship | undefined;
  /** Name of the parent's row, for the call of a computed relationship. */
  parentAlias: string | undefined;
  joinConditions: JoinCondition[];
  spread: Spread | undefined;
  outputs: EmbedOutput[];
  embeds: ReadPlan[];
  /** It has an alias but was addressed by the relation's name. */
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
  readonly where: readonly PlanCondition[];
  readonly returning: readonly string[];
  /** For Location. */
  readonly primaryKey: readonly string[];
}

export type CallArguments =
  /** Arguments by name, each a text or, for VARIADIC, a list. */
  | { readonly kind: 'named'; readonly given: readonly string[] }
  /** Arguments in a JSON body. */
  | { readonly kind: 'json'; readonly isObject: boolean }
  /** The body is the one unnamed argument. */
  | { readonly kind: 'single' };

export interface CallPlan {
  readonly routine: Routine;
  readonly parameters: Routine['parameters'];
  readonly arguments: CallArguments;
  readonly filterColumns: readonly string[];
  readonly returning: readonly string[];
}

/** Who makes the body. */
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
  /** No body is wanted. */
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
