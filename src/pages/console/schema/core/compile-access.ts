/** Converts changes of roles and privileges to SQL statements. */
import { quoteIdentifier as id } from '../../../../base/kernel/sql.ts';
import type { AccessChange, GrantTarget, Privilege, RoleAttributes } from '../access-changes.ts';

export function compileAccessChange(change: AccessChange): string[] {
  switch (change.kind) {
    case 'grant':
    case 'revoke': {
      const on = `${listed(change.privileges, change.columns)} on ${targetName(change.target)}`;
      const { grantOption = false } = change;
      return [
        change.kind === 'grant'
          ? `grant ${on} ${to(change.role)}${grantOption ? ' with grant option' : ''}`
          : `revoke ${grantOption ? 'grant option for ' : ''}${on} ${from(change.role)}`,
      ];
    }
    case 'default_privileges': {
      const scope = change.schema === undefined ? '' : ` in schema ${id(change.schema)}`;
      const on = `${listed(change.privileges)} on ${change.objects}`;
      const action =
        change.action === 'grant' ? `grant ${on} ${to(change.role)}` : `revoke ${on} ${from(change.role)}`;
      return [`alter default privileges for role ${id(change.owner)}${scope} ${action}`];
    }
    case 'create_role':
      return [`create role ${id(change.role)}${attributesOf(change.attributes)}`];
    case 'alter_role': {
      const attributes = attributesOf(change.attributes);
      return attributes === '' ? [] : [`alter role ${id(change.role)}${attributes}`];
    }
    case 'drop_role':
      return [`drop role ${id(change.role)}`];
    case 'grant_role':
      return [`grant ${id(change.role)} to ${id(change.member)}`];
    case 'revoke_role':
      return [`revoke ${id(change.role)} from ${id(change.member)}`];
  }
}

/** PUBLIC is a keyword. PostgreSQL doesn't allow a role with this name. */
const grantee = (role: string): string => (role === 'public' ? 'public' : id(role));
const to = (role: string): string => `to ${grantee(role)}`;
const from = (role: string): string => `from ${grantee(role)}`;

function listed(privileges: readonly Privilege[], columns: readonly string[] = []): string {
  const suffix = columns.length === 0 ? '' : ` (${columns.map(id).join(', ')})`;
  return privileges.map((privilege) => `${privilege}${suffix}`).join(', ');
}

function targetName(target: GrantTarget): string {
  if (target.type === 'schema') return `schema ${id(target.name)}`;
  const name = `${id(target.schema)}.${id(target.name)}`;
  if (target.type === 'table' || target.type === 'sequence') return `${target.type} ${name}`;
  const types = target.arguments.map((type) => `${id(type.schema)}.${id(type.name)}`);
  return `${target.type} ${name}(${types.join(', ')})`;
}

function attributesOf(attributes: RoleAttributes): string {
  const words = (['login', 'inherit', 'createdb', 'createrole', 'bypassrls'] as const).flatMap((name) =>
    attributes[name] === undefined ? [] : [attributes[name] ? name : `no${name}`],
  );
  if (attributes.connectionLimit !== undefined) words.push(`connection limit ${attributes.connectionLimit}`);
  return words.map((word) => ` ${word}`).join('');
}
