/**
 * Defines the grammar of PostgREST 16's query strings, including its quirks, so queries have the same meaning in
 * Plinth. All parsers are pure. `query.ts` selects the parser for each parameter.
 */
import { IS_VALUES, type IsValue, operatorsOf, type Quantifier } from './operators.ts';
import {
  anyChar,
  attempt,
  between,
  bind,
  char,
  digit,
  eof,
  label,
  lazy,
  left,
  letter,
  lookAhead,
  many,
  many1,
  map,
  noneOf,
  notFollowedBy,
  oneOf,
  option,
  optional,
  or,
  type Parser,
  remembered,
  right,
  sepBy,
  sepBy1,
  string,
  succeed,
  zero,
} from './parsec.ts';
import type {
  Aggregate,
  EmbedPath,
  Field,
  JoinType,
  JsonOperation,
  JsonPath,
  LogicTree,
  Operation,
  OperatorExpression,
  OrderTerm,
  SelectItem,
} from './types.ts';

/** The maximum depth of embeds and logic trees. The parser's stack overflows only at a far greater depth. */
const MAX_DEPTH = 100;
/**
 * The maximum number of columns and embeds per level, and of terms in an order. PostgreSQL allows the same number of
 * columns per row.
 */
const MAX_ITEMS = 1664;

const join = (parser: Parser<string[]>): Parser<string> => map(parser, (chars) => chars.join(''));
const as = <T>(parser: Parser<unknown>, value: T): Parser<T> => map(parser, () => value);
const words = <T extends string>(...all: T[]): Parser<T> =>
  or(...all.map((word) => as(attempt(string(word)), word)));

const whitespace = many(oneOf(' \t'));
const lexeme = <T>(parser: Parser<T>): Parser<T> => right(whitespace, left(parser, whitespace));
const delimiter = label(char('.'), 'delimiter (.)');
const comma = lexeme(char(','));

const identifierChar = or(letter, digit, oneOf('_ $'));
export const identifier: Parser<string> = map(many1(identifierChar), (chars) => chars.join('').trim());

const quotedValue: Parser<string> = between(
  char('"'),
  char('"'),
  join(many(or(noneOf('\\"'), right(char('\\'), anyChar)))),
);

/** A dash within a name. A dash that is followed by `>` is part of an arrow. */
const dash = attempt(right(char('-'), notFollowedBy(char('>'))));
const dashed = (part: Parser<string>): Parser<string> => map(sepBy1(part, dash), (parts) => parts.join('-'));

export const fieldName: Parser<string> = remembered(
  label(or(quotedValue, dashed(identifier)), 'field name (* or [a..z0..9_$])'),
);

const jsonKeyPart: Parser<string> = map(many1(noneOf('(-:.,>)')), (chars) => chars.join('').trim());
const jsonKey: Parser<string> = label(
  or(quotedValue, dashed(jsonKeyPart)),
  'any non reserved character different from: .,>()',
);
const jsonIndexEnd = or<unknown>(
  attempt(lookAhead(string('->'))),
  attempt(lookAhead(string('::'))),
  attempt(lookAhead(string('.'))),
  attempt(lookAhead(string(','))),
  attempt(eof),
);
const jsonIndex: Parser<string> = left(
  bind(option('+', char('-')), (sign) => map(many1(digit), (digits) => sign + digits.join(''))),
  jsonIndexEnd,
);
const jsonArrow = or<'->' | '->>'>(as(attempt(string('->>')), '->>'), as(attempt(string('->')), '->'));
const jsonOperand = or<JsonOperation['operand']>(
  attempt(map(jsonIndex, (index) => ({ index }))),
  attempt(map(jsonKey, (key) => ({ key }))),
);
export const jsonPath: Parser<JsonPath> = many(
  bind(jsonArrow, (arrow) => map(jsonOperand, (operand): JsonOperation => ({ arrow, operand }))),
);

const field: Parser<Field> = lexeme(
  bind(fieldName, (name) => map(option<JsonPath>([], jsonPath), (path) => ({ name, jsonPath: path }))),
);

// Parsers for select.

const aliasSeparator = right(char(':'), notFollowedBy(char(':')));
const alias = optional(attempt(left(fieldName, aliasSeparator)));
const castSuffix = optional(right(string('::'), identifier));

const selectEnd = or<unknown>(attempt(lookAhead(string(')'))), attempt(lookAhead(string(','))), attempt(eof));

const aggregate: Parser<Aggregate> = or<Aggregate>(
  string('sum') as Parser<Aggregate>,
  string('avg') as Parser<Aggregate>,
  string('count') as Parser<Aggregate>,
  attempt(string('max')) as Parser<Aggregate>,
  attempt(string('min')) as Parser<Aggregate>,
);

const STAR: Field = { name: '*', jsonPath: [] };

const selectField: Parser<SelectItem> = lexeme(
  or<SelectItem>(
    attempt(as(right(string('*'), selectEnd), { kind: 'field', field: STAR })),
    attempt(
      bind(alias, (name) =>
        right(
          string('count()'),
          bind(castSuffix, (aggregateCast) =>
            as<SelectItem>(selectEnd, {
              kind: 'field',
              field: STAR,
              aggregate: 'count',
              aggregateCast,
              alias: name,
            }),
          ),
        ),
      ),
    ),
    bind(alias, (name) =>
      bind(field, (of) =>
        bind(castSuffix, (cast) =>
          bind(optional(attempt(right(char('.'), left(aggregate, string('()'))))), (found) =>
            bind(castSuffix, (aggregateCast) =>
              as<SelectItem>(selectEnd, {
                kind: 'field',
                field: of,
                alias: name,
                cast,
                aggregate: found,
                aggregateCast,
              }),
            ),
          ),
        ),
      ),
    ),
  ),
);

type EmbedParameter = { readonly join: JoinType } | { readonly hint: string };
const embedParameter: Parser<EmbedParameter> = right(
  char('!'),
  or<EmbedParameter>(
    as(attempt(string('left')), { join: 'left' }),
    as(attempt(string('inner')), { join: 'inner' }),
    attempt(map(fieldName, (hint) => ({ hint }))),
  ),
);
const embedParameters = bind(optional(embedParameter), (first) =>
  map(optional(embedParameter), (second) => {
    const given = [first, second].filter((one) => one !== undefined);
    return {
      hint: given.find((one) => 'hint' in one)?.hint,
      join: given.find((one) => 'join' in one)?.join,
    };
  }),
);
const openParenthesis = attempt(lookAhead(string('(')));

const embedHead = lexeme(
  bind(alias, (name) =>
    bind(fieldName, (relation) =>
      right(
        relation === 'count' ? zero : succeed(undefined),
        bind(embedParameters, (parameters) =>
          as(openParenthesis, { kind: 'embed' as const, relation, alias: name, ...parameters }),
        ),
      ),
    ),
  ),
);
const spreadHead = lexeme(
  bind(right(string('...'), fieldName), (relation) =>
    bind(embedParameters, (parameters) =>
      as(openParenthesis, { kind: 'spread' as const, relation, ...parameters }),
    ),
  ),
);

const tooDeep: Parser<never> = label(zero, `fewer than ${MAX_DEPTH} nested levels`);

function selectForest(depth: number): Parser<SelectItem[]> {
  if (depth > MAX_DEPTH) return tooDeep;
  const children = lazy(() => between(char('('), char(')'), selectForest(depth + 1)));
  const tree = or<SelectItem>(
    bind(attempt(spreadHead), (head) => map(children, (items) => ({ ...head, items }))),
    bind(attempt(embedHead), (head) => map(children, (items) => ({ ...head, items }))),
    selectField,
  );
  return sepBy(tree, comma, MAX_ITEMS);
}

/** Parses `id,name::text,author:people!fk(name)`. */
export const select: Parser<SelectItem[]> = selectForest(0);

// Parsers for filters.

const simpleOperator = label(words(...operatorsOf('simple')), 'unknown single value operator');
const quantOperator = label(words(...operatorsOf('quantified')), 'unknown single value operator');
const quantifier = optional(
  attempt(
    between(
      char('('),
      char(')'),
      or<Quantifier>(as(attempt(string('any')), 'any'), as(string('all'), 'all')),
    ),
  ),
);

const caseless = (word: string): Parser<string> =>
  Array.from(word).reduce<Parser<string>>(
    (before, one) => right(before, or(char(one), char(one.toUpperCase()))),
    succeed(''),
  );
const isValue: Parser<IsValue> = label(
  or<IsValue>(...(Object.keys(IS_VALUES) as IsValue[]).map((word) => as(attempt(caseless(word)), word))),
  'isVal: (null, not_null, true, false, unknown)',
);

const listElement: Parser<string> = or(
  attempt(left(quotedValue, notFollowedBy(noneOf(',)')))),
  join(many(noneOf(',)'))),
);
export const listValue: Parser<string[]> = left(
  right(lexeme(char('(')), sepBy1(listElement, char(','))),
  lexeme(char(')')),
);

/**
 * Returns a parser for text such as `not.eq(any).{1,2}`. `single` parses the operand of operators that accept one
 * value.
 */
function operatorExpression(single: Parser<string>): Parser<OperatorExpression> {
  const prefix = (word: string) => attempt(right(string(word), delimiter));
  const fts = bind(words(...operatorsOf('fts')), (operator) =>
    bind(optional(attempt(between(char('('), char(')'), identifier))), (language) =>
      right(
        delimiter,
        map(single, (value): Operation => ({ kind: 'fts', operator, language, value })),
      ),
    ),
  );
  const simple = bind(simpleOperator, (operator) =>
    right(
      delimiter,
      map(single, (value): Operation => ({ kind: 'simple', operator, value })),
    ),
  );
  const quantified = bind(quantOperator, (operator) =>
    bind(quantifier, (found) =>
      right(
        delimiter,
        map(single, (value): Operation => ({ kind: 'quantified', operator, quantifier: found, value })),
      ),
    ),
  );
  const operation = label(
    or<Operation>(
      right(
        prefix('in'),
        map(listValue, (values): Operation => ({ kind: 'in', values })),
      ),
      right(
        prefix('is'),
        map(isValue, (value): Operation => ({ kind: 'is', value })),
      ),
      attempt(fts),
      attempt(simple),
      attempt(quantified),
    ),
    'operator (eq, gt, ...)',
  );
  return bind(or(as(attempt(right(string('not'), delimiter)), true), succeed(false)), (negated) =>
    map(operation, (found) => ({ negated, operation: found })),
  );
}

/** Parses the value of a `col=op.value` parameter. The operand is the remaining text, including quotes. */
export const filterValue: Parser<OperatorExpression> = operatorExpression(join(many(anyChar)));

// The following parsers handle logic trees.

const arrayLiteral: Parser<string> = bind(string('{'), () =>
  bind(join(many(noneOf('{}'))), (inner) => as(string('}'), `{${inner}}`)),
);
const logicValue: Parser<string> = or(
  attempt(left(quotedValue, notFollowedBy(noneOf(',)')))),
  attempt(arrayLiteral),
  join(many(noneOf(',)'))),
);
const logicFilter: Parser<LogicTree> = bind(field, (of) =>
  right(
    delimiter,
    map(
      operatorExpression(logicValue),
      (expression): LogicTree => ({
        kind: 'filter',
        filter: { field: of, expression },
      }),
    ),
  ),
);
const negation = label(
  or(as(attempt(right(string('not'), delimiter)), true), succeed(false)),
  'negation operator (not)',
);
const logicOperator = label(
  or<'and' | 'or'>(as(attempt(string('and')), 'and'), as(string('or'), 'or')),
  'logic operator (and, or)',
);

function logicTreeAt(depth: number): Parser<LogicTree> {
  if (depth > MAX_DEPTH) return tooDeep;
  const children = lazy(() => sepBy1(logicTreeAt(depth + 1), comma));
  return or<LogicTree>(
    attempt(logicFilter),
    bind(negation, (negated) =>
      bind(logicOperator, (operator) =>
        map(
          left(right(lexeme(char('(')), children), lexeme(char(')'))),
          (found): LogicTree => ({ kind: 'logic', negated, operator, children: found }),
        ),
      ),
    ),
  );
}

/** Parses `or(id.eq.1,not.and(a.gt.2,b.is.null))`. */
export const logicTree: Parser<LogicTree> = logicTreeAt(0);

// The following parsers handle order, tree paths and name lists.

const orderEnd = or<unknown>(attempt(lookAhead(char(','))), attempt(eof));
const direction = or<'asc' | 'desc'>(
  as(attempt(right(delimiter, string('asc'))), 'asc'),
  as(attempt(right(delimiter, string('desc'))), 'desc'),
);
const nulls = or<'nullsfirst' | 'nullslast'>(
  as(attempt(right(delimiter, string('nullsfirst'))), 'nullsfirst'),
  as(attempt(right(delimiter, string('nullslast'))), 'nullslast'),
);
const orderSuffix = bind(optional(direction), (sortDirection) =>
  map(or(left(optional(nulls), orderEnd), as(orderEnd, undefined)), (nullsOrder) => ({
    direction: sortDirection,
    nulls: nullsOrder,
  })),
);
const relatedOrderTerm: Parser<OrderTerm> = bind(fieldName, (relation) =>
  bind(between(char('('), char(')'), field), (of) =>
    map(orderSuffix, (suffix) => ({ relation, field: of, ...suffix })),
  ),
);
const orderTerm: Parser<OrderTerm> = bind(field, (of) =>
  map(orderSuffix, (suffix) => ({ field: of, ...suffix })),
);

/** Parses `name.desc.nullslast,clients(name)`. */
export const order: Parser<OrderTerm[]> = sepBy1(
  lexeme(or(attempt(relatedOrderTerm), orderTerm)),
  char(','),
  MAX_ITEMS,
);

/** Parses `path.to.embed.column->json`. */
export const treePath: Parser<{ path: EmbedPath; field: Field }> = bind(
  sepBy1(fieldName, delimiter),
  (names) =>
    map(option<JsonPath>([], jsonPath), (path) => ({
      path: names.slice(0, -1),
      field: { name: names.at(-1) ?? '', jsonPath: path },
    })),
);

/**
 * Parses text such as `path.to.embed.not.or` into the path and the logic operator, including the operator's prefix
 * `not.`.
 */
export const logicPath: Parser<{ path: EmbedPath; operator: string }> = map(
  sepBy1(fieldName, delimiter),
  (names) => {
    const operator = names.at(-1) ?? '';
    return {
      path: names.slice(0, -1).filter((name) => name !== 'not'),
      operator: names.includes('not') ? `not.${operator}` : operator,
    };
  },
);

/** Parses text such as `id,name`, which is the format of `columns` and `on_conflict`. */
export const columnNames: Parser<string[]> = sepBy1(fieldName, comma);
