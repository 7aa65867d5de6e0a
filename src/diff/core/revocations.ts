/** Revoking all privileges on a table also revokes those on its columns, so pg-delta's order can remove grants. */
import { type Action, encodeId, type StableId } from '@supabase/pg-delta';

type AclId = Extract<StableId, { kind: 'acl' }>;

const aclsOf = ({ produces, destroys, consumes }: Action): AclId[] =>
  [...produces, ...destroys, ...consumes].filter((id) => id.kind === 'acl');

const keyOf = ({ target, grantee }: AclId): string => JSON.stringify([encodeId(target), grantee]);

/** Moves REVOKE on a table before the statements for columns of the same table and role. */
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
