/**
 * Corrects the baseline's columns whose guessed type doesn't support an operator or a function that a migration applies
 * to them. The operator or the function's parameters determine the type that the column must have.
 */

import { mentions } from '../../folder/index.ts';
import type { Draft, Remedy, TableDraft } from './draft.ts';
import { callsOf, type Operand, operandAt, operandsBefore, resultColumns } from './operands.ts';
import { typeOf } from './print.ts';
import { tablesAround } from './scope.ts';
import type { Sources } from './sources.ts';
import { canonicalType } from './type-names.ts';
import { teach } from './wrong-types.ts';

/** Changes the type of a column to a type that supports the operator. */
export function operatorLacking(
  draft: Draft,
  { left, operator, right }: { readonly left: string; readonly operator: string; readonly right: string },
  statement: string,
  position: number | undefined,
): Remedy | undefined {
  const type = typeWithOperator(operator, right);
  if (type === undefined) return undefined;
  for (const operand of operandsBefore(statement, operator, position)) {
    const table = tableOf(draft, statement, operand, left);
    const learned = table && teach(draft, table, operand.name, type);
    if (learned !== undefined) return learned;
  }
  return undefined;
}

/** Changes the type of a column to boolean, because it is used as a condition. */
export function conditionDiffers(
  draft: Draft,
  { type }: { readonly type: string },
  statement: string,
  position: number | undefined,
): Remedy | undefined {
  const operand = position === undefined ? undefined : operandAt(statement, position);
  const table = operand && tableOf(draft, statement, operand, type);
  return table && teach(draft, table, operand.name, 'boolean');
}

/**
 * Changes columns from `text` to `uuid` if a statement writes their values to a `uuid` column. For the IDs of other
 * services, `text` is only a guess. All branches of a CASE are changed, because they must have the same type.
 */
export function assignedValueDiffers(
  draft: Draft,
  { columnType, type }: { readonly columnType: string; readonly type: string },
  statement: string,
  position: number | undefined,
): Remedy | undefined {
  if (position === undefined || columnType !== 'uuid' || type !== 'text') return undefined;
  const learned = resultColumns(statement, position).map((operand) => {
    const table = tableOf(draft, statement, operand, type);
    return table && teach(draft, table, operand.name, columnType);
  });
  return learned.find((one) => one !== undefined);
}

function typeWithOperator(operator: string, right: string): string | undefined {
  if (/^(->>?|#>>?|#-|\?[|&]?|@\?)$/.test(operator)) return 'jsonb';
  if (/^!?~~?\*?$/.test(operator)) return 'text';
  if (/^(@>|<@|&&)$/.test(operator)) return right === 'unknown' ? 'jsonb' : right;
  if (right === 'interval' || /^(timestamp|date)/.test(right)) return 'timestamptz';
  return /^(smallint|integer|bigint|numeric|real|double precision)$/.test(right) ? 'numeric' : undefined;
}

/**
 * Changes the columns' types to those that a function declares for its parameters. The function is either PostgreSQL's
 * own or created by a migration.
 */
export function argumentsDiffer(
  draft: Draft,
  sources: Sources,
  { name, types }: { readonly name: string; readonly types: readonly string[] },
  statement: string,
): Remedy | undefined {
  const signatures = isBuiltIn(name)
    ? [types.map((own, at) => builtInType(name, own, at))]
    : sources.functionParameters(name, types.length);
  for (const signature of signatures) {
    const isLearned = callsOf(statement, name).map((call) =>
      call.map((operand, at) => {
        const [own, wanted] = [types[at], signature[at]];
        if (operand === undefined || own === undefined || wanted === undefined) return undefined;
        if (canonicalType(own) === canonicalType(wanted)) return undefined;
        const table = tableOf(draft, statement, operand, own);
        return table && teach(draft, table, operand.name, wanted);
      }),
    );
    const remedy = isLearned.flat().find((one) => one !== undefined);
    if (remedy !== undefined) return remedy;
  }
  return undefined;
}

const isArray =
  /^(array_(append|cat|dims|length|lower|ndims|positions?|remove|replace|to_string|upper)|cardinality|unnest)$/;
const isJson =
  /^(jsonb?)_(array_elements|array_elements_text|array_length|each|each_text|extract_path|extract_path_text|insert|object_keys|path_\w+|populate_record|populate_recordset|pretty|set|set_lax|strip_nulls|to_record|to_recordset|typeof)$/;
const isTime = /^(date_trunc|date_part|extract)$/;
const isNumber = /^(sum|avg|abs|round|ceil|ceiling|floor|trunc|sqrt|power|mod|stddev|variance)$/;
const isText =
  /^(lower|upper|initcap|btrim|ltrim|rtrim|length|char_length|substring|substr|left|right|replace|split_part|starts_with|to_tsvector|regexp_\w+)$/;

/**
 * Whether PostgreSQL has a function with this name. If true, a failed call of the function has arguments of the wrong
 * types.
 */
export const isBuiltIn = (name: string): boolean =>
  [isJson, isArray, isTime, isNumber, isText].some((pattern) => pattern.test(name));

function builtInType(name: string, own: string, at: number): string | undefined {
  if (isTime.test(name)) return at === 1 ? 'timestamptz' : undefined;
  if (at > 0) return undefined;
  const json = isJson.exec(name)?.[1];
  if (json !== undefined) return json;
  if (isArray.test(name)) return own.endsWith('[]') ? undefined : `${own}[]`;
  return isNumber.test(name) ? 'numeric' : 'text';
}

/** Finds the table in the baseline that has this column. The tables of the innermost query come first. */
function tableOf(
  draft: Draft,
  statement: string,
  { name, qualifier, position }: Operand,
  type: string,
): TableDraft | undefined {
  const around = tablesAround(statement, position)
    .flat()
    .filter(({ alias }) => qualifier === undefined || alias === qualifier)
    .flatMap(({ schema, name }) => draft.findTable(name, schema) ?? []);
  const mentioned = [...draft.tables.values()].filter((table) => mentions(statement, table.name));
  return [...around, ...mentioned].find((table) => {
    const column = table.columns.find((one) => one.name === name);
    return column !== undefined && canonicalType(typeOf(draft, table, column).type) === canonicalType(type);
  });
}
