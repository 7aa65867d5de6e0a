import { json, type RouteTable } from '../core/contract.ts';
import type { DefaultObjects, GrantTarget, Privilege } from '../schema/access-changes.ts';

export type { DefaultObjects, GrantTarget, Privilege };

export interface Grant {
  /** The role. `public` means every role. */
  readonly role: string;
  readonly privileges: readonly Privilege[];
  /** The privileges that the role can grant to other roles. */
  readonly grantable: readonly Privilege[];
}

/** A column privilege that a role has on some of the columns. */
export interface ColumnGrant {
  readonly role: string;
  readonly privilege: Privilege;
}

export interface GrantedObject {
  readonly kind:
    | 'table'
    | 'view'
    | 'materialized view'
    | 'foreign table'
    | 'sequence'
    | 'function'
    | 'procedure'
    | 'schema';
  /** For a schema, its own name. */
  readonly schema: string;
  readonly name: string;
  readonly owner: string;
  readonly target: GrantTarget;
  /** Whether operators can change the privileges, which only members of the owner can. */
  readonly editable: boolean;
  /** Whether row-level security is on. Null for objects without rows. */
  readonly rls: boolean | null;
  /** Whether a function runs with the privileges of its owner (SECURITY DEFINER). */
  readonly definer: boolean;
  readonly grants: readonly Grant[];
  readonly columnGrants: readonly ColumnGrant[];
}

export interface ColumnRow {
  readonly name: string;
  readonly type: string;
  readonly grants: readonly Grant[];
}

export interface RoleRow {
  readonly name: string;
  readonly superuser: boolean;
  readonly login: boolean;
  readonly inherit: boolean;
  readonly createdb: boolean;
  readonly createrole: boolean;
  readonly bypassrls: boolean;
  readonly replication: boolean;
  /** -1 means unlimited. */
  readonly connectionLimit: number;
  readonly connections: number;
  /** Whether Plinth needs the role, so that operators can't change or drop it. */
  readonly system: boolean;
  readonly memberOf: readonly string[];
  readonly members: readonly string[];
  /** All roles whose privileges the role has without SET ROLE, through any number of memberships. */
  readonly inherits: readonly string[];
  /** Whether operators can change and drop the role, or grant it to others. */
  readonly editable: boolean;
  readonly comment: string | null;
}

export interface DefaultPrivilegesRow {
  /** The privileges apply to objects that this role creates. */
  readonly owner: string;
  /** Null for all schemas. */
  readonly schema: string | null;
  readonly objects: DefaultObjects;
  readonly grants: readonly Grant[];
  readonly editable: boolean;
}

export const contract = {
  'GET /roles': { response: json<{ readonly roles: readonly RoleRow[] }>() },
  /** Returns the privileges on schemas, tables, views, sequences and functions. Objects of extensions are omitted. */
  'GET /grants': {
    response: json<{
      readonly objects: readonly GrantedObject[];
      readonly roles: readonly RoleRow[];
      /** Whether the server has the MAINTAIN privilege, which was introduced in PostgreSQL 17. */
      readonly hasMaintain: boolean;
    }>(),
  },
  'GET /grants/:schema/:table/columns': { response: json<{ readonly columns: readonly ColumnRow[] }>() },
  'GET /default-privileges': {
    response: json<{
      readonly rows: readonly DefaultPrivilegesRow[];
      /** The roles whose default privileges operators can change. */
      readonly owners: readonly string[];
      readonly schemas: readonly string[];
      readonly roles: readonly string[];
    }>(),
  },
} as const satisfies RouteTable;
