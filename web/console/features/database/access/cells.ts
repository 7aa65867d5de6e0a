/** Determines what a cell of the privilege matrix shows. */
import type { GrantedObject, Privilege, RoleRow } from './api.ts';

/** An object's privileges that a role has, by where it has them from. */
export interface Cell {
  /** Granted to the role itself. */
  readonly direct: readonly Privilege[];
  /** The direct privileges that the role can grant to others. */
  readonly grantable: readonly Privilege[];
  /** Granted to PUBLIC or to a role from which this role inherits, but not to the role itself. */
  readonly inherited: readonly { readonly privilege: Privilege; readonly from: string }[];
  /** Granted on some of the columns only. */
  readonly columns: readonly Privilege[];
  /** Whether the role has all privileges without grants, as a superuser or because it has the owner's privileges. */
  readonly isOwner: boolean;
}

export function cellOf(object: GrantedObject, role: string, roles: ReadonlyMap<string, RoleRow>): Cell {
  const known = roles.get(role);
  const grantedTo = (name: string): readonly Privilege[] =>
    object.grants.find((grant) => grant.role === name)?.privileges ?? [];
  const direct = grantedTo(role);
  const sources = role === 'public' ? [] : ['public', ...(known?.inherits ?? [])];
  const inherited = new Map<Privilege, string>();
  for (const from of sources)
    for (const privilege of grantedTo(from))
      if (!direct.includes(privilege) && !inherited.has(privilege)) inherited.set(privilege, from);
  return {
    direct,
    grantable: object.grants.find((grant) => grant.role === role)?.grantable ?? [],
    inherited: [...inherited].map(([privilege, from]) => ({ privilege, from })),
    columns: object.columnGrants
      .filter((grant) => grant.role === role && !direct.includes(grant.privilege))
      .map(({ privilege }) => privilege),
    isOwner:
      object.owner === role || known?.superuser === true || (known?.inherits.includes(object.owner) ?? false),
  };
}

/** A key for an object in the page's URL. */
export function keyOf({ kind, schema, name, target }: GrantedObject): string {
  if (kind === 'schema') return `schema ${name}`;
  const types = 'arguments' in target ? `(${target.arguments.map((type) => type.name).join(', ')})` : '';
  return `${kind} ${schema}.${name}${types}`;
}

/** The object's name as people write it. Array types are written with brackets. */
export function titleOf({ kind, schema, name, target }: GrantedObject): string {
  if (kind === 'schema') return name;
  const types =
    'arguments' in target
      ? `(${target.arguments.map((type) => type.name.replace(/^_(.+)$/, '$1[]')).join(', ')})`
      : '';
  return schema === 'public' ? `${name}${types}` : `${schema}.${name}${types}`;
}
