/**
 * Revokes privileges that default privileges grant on new objects but that the objects in the compared database don't
 * have. pg-delta omits some of these revocations, for example if a function has no other grants.
 */
import type { Action, FactBase, StableId } from '@supabase/pg-delta';
import { quoteIdentifier } from '../../../base/kernel/sql.ts';

/** The letter in pg_default_acl and the keyword in GRANT for each object kind. */
const targets: Readonly<Record<string, readonly [type: string, words: string]>> = {
  table: ['r', 'TABLE'],
  view: ['r', 'TABLE'],
  materializedView: ['r', 'TABLE'],
  foreignTable: ['r', 'TABLE'],
  sequence: ['S', 'SEQUENCE'],
  function: ['f', 'FUNCTION'],
  aggregate: ['f', 'FUNCTION'],
  procedure: ['f', 'PROCEDURE'],
  type: ['T', 'TYPE'],
  domain: ['T', 'TYPE'],
  schema: ['n', 'SCHEMA'],
};

/**
 * Returns the letter that pg_default_acl uses for an object's kind. The result is undefined if default privileges don't
 * apply to the kind.
 */
export const defaultTypeOf = ({ kind }: StableId): string | undefined => targets[kind]?.[0];

export interface UnwantedDefaults {
  /**
   * Returns the statements that revoke privileges on the objects that an action creates. These statements run before
   * the grants on the objects.
   */
  after(action: Action): string[];
}

export function unwantedDefaults(from: FactBase, to: FactBase, role: string): UnwantedDefaults {
  const defaults = [...from.facts(), ...to.facts()].flatMap(({ id }) =>
    id.kind === 'defaultPrivilege' && id.role === role && id.grantee !== role ? [id] : [],
  );
  const revocations = (id: StableId): string[] => {
    const [type, words] = targets[id.kind] ?? [];
    const schema = 'schema' in id ? id.schema : null;
    const grantees = new Set(
      defaults
        .filter((each) => each.objtype === type && (each.schema === null || each.schema === schema))
        .map(({ grantee }) => grantee),
    );
    return [...grantees]
      .filter((grantee) => !to.has({ kind: 'acl', target: id, grantee }))
      .map((grantee) => `REVOKE ALL ON ${words} ${nameOf(id)} FROM ${granteeName(grantee)}`);
  };
  return {
    after: ({ verb, produces }) =>
      verb === 'create'
        ? produces.filter(({ kind }) => targets[kind] !== undefined).flatMap(revocations)
        : [],
  };
}

/**
 * pg-delta removes default privileges of a schema by granting PostgreSQL's own defaults, which grant EXECUTE to PUBLIC.
 * A schema's default privileges only add to the global default privileges, so such a statement would grant EXECUTE even
 * if the global default privileges revoke it.
 */
export function isWrongDefault({ sql, consumes, destroys, produces }: Action, to: FactBase): boolean {
  if (!/^ALTER DEFAULT PRIVILEGES FOR ROLE .* IN SCHEMA .* GRANT .* TO PUBLIC$/.test(sql)) return false;
  const id = [...destroys, ...produces, ...consumes].find(({ kind }) => kind === 'defaultPrivilege');
  return id?.kind === 'defaultPrivilege' && !to.has({ ...id, grantee: 'PUBLIC' });
}

const granteeName = (grantee: string): string => (grantee === 'PUBLIC' ? grantee : quoteIdentifier(grantee));

function nameOf(id: StableId): string {
  const parts = ['schema' in id ? id.schema : undefined, 'name' in id ? id.name : undefined];
  const name = parts.flatMap((part) => (typeof part === 'string' ? [quoteIdentifier(part)] : [])).join('.');
  return 'args' in id ? `${name}(${id.args.join(', ')})` : name;
}
