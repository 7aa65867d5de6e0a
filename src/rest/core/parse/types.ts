/**
 * What a request says, before anything is known about the database.
 *
 * Glossary. *Embed*: a related relation inside the result. *Spread*: an embed whose columns are put into its parent.
 * *Embed path*: names from the root to an embed (`a.b.col=eq.1` has the path `a`, `b`). *Slot*: the place of a value
 * that differs from request to request while the shape stays; plans hold slots, values travel beside them.
 */

export type EmbedPath = readonly string[];

export interface JsonOperation {
  readonly arrow: '->' | '->>';
  /** A key, or an index with its sign (`+0`, `-1`). */
  readonly operand: { readonly key: string } | { readonly index: string };
}
export type JsonPath = readonly JsonOperation[];

export interface Field {
  readonly name: string;
  readonly jsonPath: JsonPath;
}

export type Aggregate = 'sum' | 'avg' | 'max' | 'min' | 'count';
export type JoinType = 'left' | 'inner';

export interface SelectField {
  readonly kind: 'field';
  readonly field: Field;
  readonly alias?: string | undefined;
  readonly cast?: string | undefined;
  readonly aggregate?: Aggregate | undefined;
  readonly aggregateCast?: string | undefined;
}

export interface SelectEmbed {
  readonly kind: 'embed' | 'spread';
  readonly relation: string;
  /** Never on a spread. */
  readonly alias?: string | undefined;
  readonly hint?: string | undefined;
  readonly join?: JoinType | undefined;
  readonly items: readonly SelectItem[];
}

export type SelectItem = SelectField | SelectEmbed;

/** A literal text of the request, or the number of a slot. */
export type Value = string | { readonly slot: number };
export type ListValue = readonly string[] | { readonly slot: number };

export type SimpleOperator = 'neq' | 'cs' | 'cd' | 'ov' | 'sl' | 'sr' | 'nxr' | 'nxl' | 'adj';
export type QuantOperator = 'eq' | 'gte' | 'gt' | 'lte' | 'lt' | 'like' | 'ilike' | 'match' | 'imatch';
export type FtsOperator = 'fts' | 'plfts' | 'phfts' | 'wfts';
export type IsValue = 'null' | 'not_null' | 'true' | 'false' | 'unknown';

export type Operation =
  | { readonly kind: 'simple'; readonly operator: SimpleOperator; readonly value: Value }
  | {
      readonly kind: 'quantified';
      readonly operator: QuantOperator;
      readonly quantifier?: 'any' | 'all' | undefined;
      readonly value: Value;
    }
  | { readonly kind: 'in'; readonly values: ListValue }
  | { readonly kind: 'is'; readonly value: IsValue }
  | { readonly kind: 'isdistinct'; readonly value: Value }
  | {
      readonly kind: 'fts';
      readonly operator: FtsOperator;
      readonly language?: string | undefined;
      readonly value: Value;
    };

export interface OperatorExpression {
  readonly negated: boolean;
  readonly operation: Operation;
}

export interface Filter {
  readonly field: Field;
  readonly expression: OperatorExpression;
}

export type LogicTree =
  | { readonly kind: 'filter'; readonly filter: Filter }
  | {
      readonly kind: 'logic';
      readonly negated: boolean;
      readonly operator: 'and' | 'or';
      readonly children: readonly LogicTree[];
    };

export interface OrderTerm {
  /** The to-one embed whose column orders this level. */
  readonly relation?: string | undefined;
  readonly field: Field;
  readonly direction?: 'asc' | 'desc' | undefined;
  readonly nulls?: 'nullsfirst' | 'nullslast' | undefined;
}
