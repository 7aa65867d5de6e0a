/** Types for changes of roles, their memberships and their privileges. */

/** The object that a privilege is granted on. `table` includes views, materialized views and foreign tables. */
export type GrantTarget =
  | RelationTarget<'table'>
  | RelationTarget<'sequence'>
  | RoutineTarget<'function'>
  | RoutineTarget<'procedure'>
  | { readonly type: 'schema'; readonly name: string };

interface RelationTarget<Type> {
  readonly type: Type;
  readonly schema: string;
  readonly name: string;
}

interface RoutineTarget<Type> extends RelationTarget<Type> {
  /** The types of the input arguments, by their names in `pg_type`. For example, `_text` is `text[]`. */
  readonly arguments: readonly { readonly schema: string; readonly name: string }[];
}

export type Privilege =
  | 'select'
  | 'insert'
  | 'update'
  | 'delete'
  | 'truncate'
  | 'references'
  | 'trigger'
  | 'maintain'
  | 'usage'
  | 'create'
  | 'execute';

export type DefaultObjects = 'tables' | 'sequences' | 'functions' | 'types' | 'schemas';

export interface RoleAttributes {
  readonly login?: boolean | undefined;
  readonly inherit?: boolean | undefined;
  readonly createdb?: boolean | undefined;
  readonly createrole?: boolean | undefined;
  readonly bypassrls?: boolean | undefined;
  /** The maximum number of connections. -1 means unlimited. */
  readonly connectionLimit?: number | undefined;
}

interface PrivilegeChange<Kind> {
  readonly kind: Kind;
  readonly target: GrantTarget;
  readonly privileges: readonly Privilege[];
  /** The columns of a table. Undefined if the privileges apply to the whole object. */
  readonly columns?: readonly string[] | undefined;
  /** The role. `public` means every role. */
  readonly role: string;
  /**
   * Whether the role also gets the right to grant the privileges to others or, for a revocation, loses only this right.
   */
  readonly grantOption?: true | undefined;
}

interface AttributeChange<Kind> {
  readonly kind: Kind;
  readonly role: string;
  readonly attributes: RoleAttributes;
}

interface MembershipChange<Kind> {
  readonly kind: Kind;
  readonly role: string;
  readonly member: string;
}

export type AccessChange =
  | PrivilegeChange<'grant'>
  | PrivilegeChange<'revoke'>
  | {
      /** Changes the privileges that objects get when `owner` creates them. */
      readonly kind: 'default_privileges';
      readonly action: 'grant' | 'revoke';
      readonly owner: string;
      /** Undefined for all schemas. */
      readonly schema?: string | undefined;
      readonly objects: DefaultObjects;
      readonly privileges: readonly Privilege[];
      readonly role: string;
    }
  | AttributeChange<'create_role'>
  | AttributeChange<'alter_role'>
  | { readonly kind: 'drop_role'; readonly role: string }
  | MembershipChange<'grant_role'>
  | MembershipChange<'revoke_role'>;

const accessKinds: ReadonlySet<string> = new Set<AccessChange['kind']>([
  'grant',
  'revoke',
  'default_privileges',
  'create_role',
  'alter_role',
  'drop_role',
  'grant_role',
  'revoke_role',
]);

export const isAccessChange = (change: { readonly kind: string }): change is AccessChange =>
  accessKinds.has(change.kind);
