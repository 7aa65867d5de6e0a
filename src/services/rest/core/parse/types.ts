/**
 * Defines the parsed request, which doesn't depend on the database schema.
 *
 * Glossary. *Embed*: a related relation within the result. *Spread*: an embed whose columns are merged into its parent.
 * *Embed path*: the names from the root to an embed (`a.b.col=eq.1` has the path `a`, `b`). *Slot*: a placeholder for a
 * value that varies between requests of the same shape. Plans contain slots, and the values are passed separately.
 */
import type { FtsOperator, IsValue, Quantifier, QuantOperator, SimpleOperator } from './operators.ts';

export type EmbedPath = readonly string[];

export interface JsonOperation {
  readonly arrow: '->' | '->>';
  /** The operand of the JSON arrow, which is a key or a signed index (`+0`, `-1`). */
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
  /** The alias of an embed. A spread has no alias. */
  readonly alias?: string | undefined;
  readonly hint?: string | undefined;
  readonly join?: JoinType | undefined;
  readonly items: readonly SelectItem[];
}

export type SelectItem = SelectField | SelectEmbed;

/** A value in a condition, which is either a literal string from the request or a slot number. */
export type Value = string | { readonly slot: number };
export type ListValue = readonly string[] | { readonly slot: number };

export type Operation =
  | { readonly kind: 'simple'; readonly operator: SimpleOperator; readonly value: Value }
  | {
      readonly kind: 'quantified';
      readonly operator: QuantOperator;
      readonly quantifier?: Quantifier | undefined;
      readonly value: Value;
    }
  | { readonly kind: 'in'; readonly values: ListValue }
  | { readonly kind: 'is'; readonly value: IsValue }
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
  /** The to-one embed that contains the column. Undefined if the column belongs to the current level. */
  readonly relation?: string | undefined;
  readonly field: Field;
  readonly direction?: 'asc' | 'desc' | undefined;
  readonly nulls?: 'nullsfirst' | 'nullslast' | undefined;
}
