/** Handles statements that change more privileges than they name. */
import { type Action, encodeId, type FactBase, type StableId } from '@supabase/pg-delta';
import { quoteIdentifier } from '../../../base/kernel/sql.ts';

type AclId = Extract<StableId, { kind: 'acl' }>;

const aclsOf = ({ produces, destroys, consumes }: Action): AclId[] =>
  [...produces, ...destroys, ...consumes].filter((id) => id.kind === 'acl');

const keyOf = ({ target, grantee }: AclId): string => JSON.stringify([encodeId(target), grantee]);

/**
 * The new owner of a schema takes over the old owner's privileges, so the privileges that the old owner keeps are
 * granted again.
 */
export function grantsAfterNewOwner(statements: readonly string[], from: FactBase, to: FactBase): string[] {
  if (!statements.some((text) => text.startsWith('ALTER SCHEMA public OWNER '))) return [];
  return to.facts().flatMap(({ id, payload }) => {
    if (!from.has(id)) return [];
    if (id.kind !== 'acl' || id.target.kind !== 'schema' || id.target.name !== 'public') return [];
    const { privileges = [], grantable = [] } = payload as { privileges?: string[]; grantable?: string[] };
    const grantee = id.grantee === 'PUBLIC' ? id.grantee : quoteIdentifier(id.grantee);
    const grant = (names: readonly string[], option: string): string[] =>
      names.length === 0 ? [] : [`GRANT ${names.join(', ')} ON SCHEMA public TO ${grantee}${option}`];
    return [...grant(privileges, ''), ...grant(grantable, ' WITH GRANT OPTION')];
  });
}

/**
 * Moves a REVOKE statement for a table before the statements for columns of the same table and the same role. Revoking
 * all privileges on a table also revokes the privileges on its columns.
 */
export function revokingTablesFirst(actions: readonly Action[]): Action[] {
  const result: Action[] = [];
  const firstOfColumn = new Map<string, Action>();
  for (const action of actions) {
    const acls = aclsOf(action);
    for (const acl of acls)
      if (acl.column !== undefined && !firstOfColumn.has(keyOf(acl))) firstOfColumn.set(keyOf(acl), action);
    const table = action.sql.startsWith('REVOKE ')
      ? acls.find(({ column }) => column === undefined)
      : undefined;
    const first = table === undefined ? undefined : firstOfColumn.get(keyOf(table));
    if (first === undefined) result.push(action);
    else result.splice(result.indexOf(first), 0, action);
  }
  return result;
}
