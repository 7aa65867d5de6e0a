/** Defines the syntax tree of an executable document. Only what affects execution is kept. */

export interface Document {
  readonly operations: readonly Operation[];
  readonly fragments: readonly Fragment[];
}

export interface Operation {
  readonly kind: 'query' | 'mutation' | 'subscription';
  readonly name: string | null;
  readonly variables: readonly VariableDefinition[];
  readonly selections: readonly Selection[];
}

export interface VariableDefinition {
  readonly name: string;
  readonly default: Literal | null;
}

export interface Fragment {
  readonly name: string;
  readonly on: string;
  readonly selections: readonly Selection[];
}

export type Selection = FieldNode | SpreadNode | InlineNode;

export interface FieldNode {
  readonly kind: 'field';
  /** The alias, or else the name. */
  readonly key: string;
  readonly name: string;
  readonly arguments: readonly Argument[];
  readonly directives: readonly DirectiveNode[];
  readonly selections: readonly Selection[];
}

export interface SpreadNode {
  readonly kind: 'spread';
  readonly fragment: string;
  readonly directives: readonly DirectiveNode[];
}

export interface InlineNode {
  readonly kind: 'inline';
  /** The type condition, if there is one. */
  readonly on: string | null;
  readonly directives: readonly DirectiveNode[];
  readonly selections: readonly Selection[];
}

export interface DirectiveNode {
  readonly name: string;
  readonly arguments: readonly Argument[];
}

export interface Argument {
  readonly name: string;
  readonly value: Literal;
}

/** A value in a document. Numbers keep their text, so that no digit is lost. */
export type Literal =
  | { readonly kind: 'variable'; readonly name: string }
  | { readonly kind: 'int' | 'float'; readonly text: string }
  | { readonly kind: 'string' | 'enum'; readonly text: string }
  | { readonly kind: 'boolean'; readonly value: boolean }
  | { readonly kind: 'null' }
  | { readonly kind: 'list'; readonly items: readonly Literal[] }
  | { readonly kind: 'object'; readonly entries: readonly (readonly [string, Literal])[] };
