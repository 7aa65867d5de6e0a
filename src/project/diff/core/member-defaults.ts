/**
 * Finds default privileges that must not apply to the members of a new extension, which are the objects that the
 * extension creates. pg-delta compares a member's privileges with those that CREATE EXTENSION gives the member when no
 * default privileges exist. If the extension in the compared database was created before the default privileges,
 * pg-delta finds no difference and plans no statements.
 */
import { buildFactBase, type Fact, type FactBase, type StableId } from '@supabase/pg-delta';
import type { Snapshot } from '../types.ts';
import { defaultTypeOf } from './unwanted-defaults.ts';

/**
 * Returns the old schema without the default privileges that must not apply. The plan then adds these default
 * privileges after CREATE EXTENSION, because pg-delta sorts default privileges last. If the old schema doesn't contain
 * such default privileges, returns `from` itself.
 */
export function withoutMemberDefaults(
  from: FactBase,
  to: Snapshot,
  { role, includes }: { readonly role: string; readonly includes: (schema: string) => boolean },
): FactBase {
  const members = newMembers(from, to.facts, includes).filter((id) => isOwnedBy(id, role, to.facts));
  const hasDefault = privilegesIn(to);
  const isUnwanted = ({ id, payload }: Fact): boolean => {
    if (id.kind !== 'defaultPrivilege' || id.role !== role) return false;
    const { schema, objtype, grantee } = id;
    const isRevoked = (payload.privileges as readonly string[]).length === 0;
    // Default privileges of a schema can't revoke global default privileges.
    if (isRevoked && schema !== null) return false;
    return members.some(
      (target) =>
        defaultTypeOf(target) === objtype &&
        (schema === null || ('schema' in target && target.schema === schema)) &&
        !hasDefault(target, grantee, isRevoked),
    );
  };
  const kept = from.facts().filter((fact) => !isUnwanted(fact));
  return kept.length === from.facts().length ? from : buildFactBase(kept, [...from.edges]);
}

/** Returns the members of those new extensions that are installed in the compared schemas. */
const newMembers = (from: FactBase, to: FactBase, includes: (schema: string) => boolean): StableId[] =>
  to
    .facts()
    .filter(({ id, payload }) => id.kind === 'extension' && !from.has(id) && includes(String(payload.schema)))
    .flatMap(({ id }) => to.incomingEdges(id))
    .flatMap(({ kind, from: id }) => (kind === 'memberOfExtension' ? [id] : []));

/**
 * Whether the role owns the object. A trusted extension's objects are created by another role, whose default privileges
 * apply.
 */
const isOwnedBy = (id: StableId, role: string, facts: FactBase): boolean =>
  facts.outgoingEdges(id).some(({ kind, to }) => kind === 'owner' && to.kind === 'role' && to.name === role);

/**
 * Returns a function that checks whether a member's privileges are consistent with a default privilege that applied
 * when the member was created. If the extension's script sets the member's privileges, pg-delta's facts don't include
 * privileges that the member got from default privileges.
 */
function privilegesIn({ facts, scriptedMembers }: Snapshot) {
  const keyOf = (schema: string, name: string): string => JSON.stringify([schema, name]);
  const grantees = new Map(scriptedMembers.map((each) => [keyOf(each.schema, each.name), each.grantees]));
  return (target: StableId, grantee: string, isRevoked: boolean): boolean => {
    if (facts.has({ kind: 'acl', target, grantee })) return true;
    const initial =
      'schema' in target && 'name' in target ? grantees.get(keyOf(target.schema, target.name)) : undefined;
    return initial !== undefined && initial.includes(grantee) !== isRevoked;
  };
}
