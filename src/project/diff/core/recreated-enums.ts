/**
 * Restores an enum's grants and comment after pg-delta recreates the enum. PostgreSQL can't remove or reorder enum
 * values, so pg-delta creates a new type. pg-delta compares the grants and the comment with those of the old type, so
 * it doesn't restore them if they are unchanged.
 */

import { isDeepStrictEqual } from 'node:util';
import type { Action, Fact, FactBase } from '@supabase/pg-delta';
import { quoteIdentifier, quoteLiteral } from '../../../base/kernel/sql.ts';

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
