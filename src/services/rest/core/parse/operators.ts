/**
 * Defines the filter operators. The types of the syntax tree, the grammar, the fast filter parser and the SQL derive
 * from this table, so an operator that takes one value needs only an entry. `operandText` in `compile/params.ts` changes
 * the operand. The filters of GraphQL (`graphql/core/compile/filter.ts`) and realtime (`realtime/core/filter.ts`) are those
 * of their upstream services, so they don't follow this table.
 */

interface OperatorDefinition {
  /**
   * The form of the operator. `simple`: one value (`cs.{a}`). `quantified`: one value, and the operator accepts `any` or
   * `all` (`eq(any).{1,2}`). `fts`: one value, and the operator accepts a language (`fts(english).word`). `in` and `is`
   * have an operand with its own syntax, which `grammar.ts` defines.
   */
  readonly kind: 'simple' | 'quantified' | 'fts' | 'in' | 'is';
  /** The SQL operator. For text search, the function that converts the operand to a query. */
  readonly sql: string;
  /** For `simple` and `quantified`: whether `*` in the operand is replaced with `%`. */
  readonly hasWildcards?: true;
  /**
   * For `simple` and `quantified`: whether the operand remains text even if the column's domain has a function that
   * parses values of the domain.
   */
  readonly isText?: true;
}

const DEFINITIONS = {
  neq: { kind: 'simple', sql: '<>' },
  cs: { kind: 'simple', sql: '@>' },
  cd: { kind: 'simple', sql: '<@' },
  ov: { kind: 'simple', sql: '&&' },
  sl: { kind: 'simple', sql: '<<' },
  sr: { kind: 'simple', sql: '>>' },
  nxr: { kind: 'simple', sql: '&<' },
  nxl: { kind: 'simple', sql: '&>' },
  adj: { kind: 'simple', sql: '-|-' },
  isdistinct: { kind: 'simple', sql: 'is distinct from', isText: true },
  eq: { kind: 'quantified', sql: '=' },
  gte: { kind: 'quantified', sql: '>=' },
  gt: { kind: 'quantified', sql: '>' },
  lte: { kind: 'quantified', sql: '<=' },
  lt: { kind: 'quantified', sql: '<' },
  like: { kind: 'quantified', sql: 'like', hasWildcards: true, isText: true },
  ilike: { kind: 'quantified', sql: 'ilike', hasWildcards: true, isText: true },
  match: { kind: 'quantified', sql: '~' },
  imatch: { kind: 'quantified', sql: '~*' },
  fts: { kind: 'fts', sql: 'to_tsquery' },
  plfts: { kind: 'fts', sql: 'plainto_tsquery' },
  phfts: { kind: 'fts', sql: 'phraseto_tsquery' },
  wfts: { kind: 'fts', sql: 'websearch_to_tsquery' },
  in: { kind: 'in', sql: '= any' },
  is: { kind: 'is', sql: 'is' },
} as const satisfies Readonly<Record<string, OperatorDefinition>>;

export type Operator = keyof typeof DEFINITIONS;
type OperatorKind = OperatorDefinition['kind'];
type OperatorOf<Kind extends OperatorKind> = {
  [Name in Operator]: (typeof DEFINITIONS)[Name]['kind'] extends Kind ? Name : never;
}[Operator];

export type SimpleOperator = OperatorOf<'simple'>;
export type QuantOperator = OperatorOf<'quantified'>;
export type FtsOperator = OperatorOf<'fts'>;

export const OPERATORS: Readonly<Record<Operator, OperatorDefinition>> = DEFINITIONS;

/**
 * Returns the operators of a kind. If an operator begins with the name of another one (`gte`, `gt`), the longer name
 * comes first, because the grammar takes the first name that matches.
 */
export const operatorsOf = <Kind extends OperatorKind>(kind: Kind): OperatorOf<Kind>[] =>
  (Object.keys(DEFINITIONS) as Operator[])
    .filter((name): name is OperatorOf<Kind> => DEFINITIONS[name].kind === kind)
    .sort((a, b) => b.length - a.length);

/** The operands of `is`, with the SQL keyword of each. */
export const IS_VALUES = {
  null: 'null',
  not_null: 'not null',
  true: 'true',
  false: 'false',
  unknown: 'unknown',
} as const;
export type IsValue = keyof typeof IS_VALUES;

export type Quantifier = 'any' | 'all';
