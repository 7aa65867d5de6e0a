/**
 * The changes that would break Plinth or open the project to every visitor. The Console refuses them with the reason.
 * Operators can still run such statements on the SQL page, so this protects against mistakes and isn't a security
 * boundary.
 */
import { secretSchemas } from '../../core/roles.ts';
import type { AccessChange, GrantTarget } from '../access-changes.ts';
import type { SchemaChange } from '../changes.ts';
import { apiRoles, isServiceRole, isSystemRole, switchingRoles } from './system-roles.ts';

const schemaOf = (target: GrantTarget): string => (target.type === 'schema' ? target.name : target.schema);

const serviceSchemas: ReadonlySet<string> = new Set([
  ...secretSchemas,
  'storage',
  'realtime',
  '_realtime',
  'graphql',
  'graphql_public',
]);

/** Returns the reason why a change is refused, or undefined if it's allowed. */
export function refusalOf(change: SchemaChange): string | undefined {
  switch (change.kind) {
    case 'create_role':
      return change.role.startsWith('pg_')
        ? 'PostgreSQL reserves role names that begin with pg_.'
        : undefined;
    case 'alter_role':
      return isSystemRole(change.role)
        ? `Plinth needs the role ${change.role} with its present attributes. Create a role and change that one instead.`
        : undefined;
    case 'drop_role':
      return isSystemRole(change.role)
        ? `Plinth needs the role ${change.role}, so it can't be dropped.`
        : undefined;
    case 'grant_role':
      return refusedMembership(change);
    case 'revoke_role':
      return refusedRevocation(change);
    case 'revoke':
      return refusedRevoke(change);
    case 'drop_publication':
      return change.publication === 'supabase_realtime'
        ? "Realtime sends the changes of this publication's tables. Remove tables from it instead of dropping it."
        : undefined;
    default:
      return undefined;
  }
}

type Of<Kind extends AccessChange['kind']> = Extract<AccessChange, { kind: Kind }>;

/** The API's roles are meant for visitors, who mustn't get the rights of a role that the services use. */
function refusedMembership({ role, member }: Of<'grant_role'>): string | undefined {
  const isVisitor = member === 'anon' || member === 'authenticated';
  if (isVisitor && (isServiceRole(role) || role === 'service_role'))
    return `As a member of ${role}, every ${member} request would have the privileges of ${role}, and policies wouldn't apply to it. Grant the privileges that the requests need instead.`;
  if (isServiceRole(role) && switchingRoles.includes(member))
    return `As a member of ${role}, ${member} could switch to a role that tokens must never name.`;
  return undefined;
}

function refusedRevocation({ role, member }: Of<'revoke_role'>): string | undefined {
  if (apiRoles.includes(role) && switchingRoles.includes(member))
    return `${member} switches to ${role} for each request, so all ${role} requests would fail. To close a table, revoke the privileges of ${role} on it.`;
  if (role === 'authenticator' && switchingRoles.includes(member))
    return `${member} uses this membership to switch to the roles of API requests.`;
  if (isSystemRole(role) && member === 'postgres')
    return `The Console and migrations change the objects of ${role} as a member of this role.`;
  return undefined;
}

function refusedRevoke({ role, target, grantOption }: Of<'revoke'>): string | undefined {
  // The role keeps the privileges.
  if (grantOption === true) return undefined;
  const schema = schemaOf(target);
  if (isServiceRole(role) && serviceSchemas.has(schema))
    return `${role} runs a service that uses the schema ${schema}, so the service would stop working.`;
  if (role === 'service_role' && serviceSchemas.has(schema))
    return `Requests with a secret key run as service_role. Without this privilege, the services' own requests in the schema ${schema} would fail.`;
  if (target.type === 'schema' && isServiceRole(role))
    return `${role} is a role of Plinth. Without this privilege, it can't use the objects in the schema ${schema}.`;
  return undefined;
}
