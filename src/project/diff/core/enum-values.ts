/**
 * Orders the statements that add values to enums. Other objects can use a value only after the transaction that adds it
 * has been committed. pg-delta knows some of these uses but not others, such as a changed default or a partition.
 *
 * Restores an enum's grants and comment after pg-delta recreates the enum. PostgreSQL can't remove or reorder enum
 * values, so pg-delta creates a new type. pg-delta compares the grants and the comment with those of the old type, so
 * it doesn't restore them if they are unchanged.
 */

import { isDeepStrictEqual } from 'node:util';
import type { Action, Fact, FactBase, StableId } from '@supabase/pg-delta';
import { quoteIdentifier, quoteLiteral } from '../../../base/kernel/sql.ts';
import { lex } from '../../../base/shared/sql/lex.ts';
import type { DiffStatement } from '../types.ts';

const addsValue = ({ transactionality }: Action): boolean => transactionality === 'commitBoundaryAfter';

/**
 * Moves new values to the beginning, because they depend only on their types. A value stays behind the statements that
 * rename its type or schema or change the type's owner.
 */
export function addingValuesFirst(actions: readonly Action[]): Action[] {
  const result: Action[] = [];
  let added = 0;
  for (const action of actions) {
    if (!addsValue(action)) {
      result.push(action);
      continue;
    }
    const needed = result.findLastIndex(
      (earlier) => addsValue(earlier) || changesType(earlier, action.consumes),
    );
    added = Math.max(needed + 1, added);
    result.splice(added, 0, action);
  }
  return result;
}

const changesType = ({ sql, consumes, produces }: Action, types: readonly StableId[]): boolean =>
  / RENAME TO "(?:[^"]|"")+"$/.test(sql) ||
  (/^ALTER TYPE /.test(sql) &&
    [...consumes, ...produces].some((id) =>
      types.some((type) => JSON.stringify(id) === JSON.stringify(type)),
    ));

const addValue = /^(ALTER TYPE (?:"(?:[^"]|"")*"|[^"\s])+ ADD VALUE )(?!IF NOT EXISTS)/;

/**
 * Marks the first statement that can use a new value. If there is one, the statements that add the values can be run
 * again, because a later failure doesn't undo what is committed.
 */
export function committingNewValues(statements: readonly DiffStatement[]): DiffStatement[] {
  const last = statements.findLastIndex(({ text }) => addValue.test(text));
  const labels = statements.flatMap(({ text }) => (addValue.test(text) ? [labelIn(text)] : []));
  const first = statements.findIndex(
    ({ text, needsCommit }, index) => index > last && (needsCommit || canUse(text, labels)),
  );
  return statements.map((statement, index) => ({
    ...statement,
    text: first === -1 ? statement.text : statement.text.replace(addValue, '$1IF NOT EXISTS '),
    needsCommit: last !== -1 && index === first,
  }));
}

/** Returns the strings in a statement without quotes and escapes, which differ in arrays and composite values. */
const stringsIn = (text: string): string[] =>
  [...lex(text)]
    .filter(({ kind }) => kind === 'string')
    .map(({ start, end }) =>
      text
        .slice(start, end)
        .replace(/^[eE]'/, '')
        .replaceAll(/[\\'"]/g, ''),
    );

const labelIn = (text: string): string => stringsIn(text)[0] ?? '';

/** Functions that return values that the statement doesn't contain. */
const valueFunctions = /\benum_(?:first|last|range)\b/;
/** Converting a column evaluates its rows, which can contain the label of a new value as text. */
const convertsColumn = /^ALTER TABLE .* ALTER COLUMN .* TYPE /s;

function canUse(text: string, labels: readonly string[]): boolean {
  if (labels.length === 0) return false;
  if (valueFunctions.test(text) || convertsColumn.test(text)) return true;
  const patterns = labels.map(
    (label) => new RegExp(`(?<![\\p{L}\\p{N}_])${RegExp.escape(label)}(?![\\p{L}\\p{N}_])`, 'u'),
  );
  return stringsIn(text).some((string) => patterns.some((pattern) => pattern.test(string)));
}

/** Returns the statements that must run after the action if it recreates an enum. */
export function restoredForEnum({ sql }: Action, from: FactBase, to: FactBase): string[] {
  const name = /^CREATE TYPE ("(?:[^"]|"")*"\."(?:[^"]|"")*") AS ENUM\b/.exec(sql)?.[1];
  if (name === undefined) return [];
  return to.facts().flatMap((fact) => {
    if (!('target' in fact.id) || nameOf(fact.id.target) !== name || !isUnchanged(fact, from)) return [];
    return statementsOf(fact, name);
  });
}

const nameOf = (id: object): string | undefined =>
  'kind' in id && id.kind === 'type' && 'schema' in id && 'name' in id
    ? `${quoteIdentifier(String(id.schema))}.${quoteIdentifier(String(id.name))}`
    : undefined;

const isUnchanged = (fact: Fact, from: FactBase): boolean =>
  from.has(fact.id) && isDeepStrictEqual(from.get(fact.id)?.payload, fact.payload);

function statementsOf({ id, payload }: Fact, name: string): string[] {
  if (id.kind === 'comment') return [`COMMENT ON TYPE ${name} IS ${quoteLiteral(String(payload.text))}`];
  if (id.kind !== 'acl') return [];
  const { privileges, grantable, _ownerDefault } = payload as {
    privileges: string[];
    grantable: string[];
    _ownerDefault?: string[];
  };
  // An owner with the default privileges doesn't need a statement.
  if (isDeepStrictEqual(privileges, _ownerDefault)) return [];
  const grantee = id.grantee === 'PUBLIC' ? 'PUBLIC' : quoteIdentifier(id.grantee);
  if (privileges.length === 0 && grantable.length === 0)
    return [`REVOKE ALL ON TYPE ${name} FROM ${grantee}`];
  const option = grantable.includes('USAGE') ? ' WITH GRANT OPTION' : '';
  return [`GRANT USAGE ON TYPE ${name} TO ${grantee}${option}`];
}
