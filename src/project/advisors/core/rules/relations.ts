import type { Catalog, ClientRole, Relation, RelationKind } from '../../catalog.ts';
import { isExposed, isUserRelation, qualified, type Rule, relationOf, upstreamDocs } from '../rule.ts';

/** Returns the relations of this kind that clients can read through the API. */
const exposed = (catalog: Catalog, kind: RelationKind): Relation[] =>
  catalog.relations.filter(
    (relation) =>
      relation.kind === kind &&
      isUserRelation(relation) &&
      isExposed(catalog, relation.schema) &&
      relation.readableBy.length > 0,
  );

const metadataOf = ({ schema, name, kind }: Relation) => ({ schema, name, type: kind });

/** Roles that need the privilege may have it only through PUBLIC, so the fix grants them the privilege explicitly. */
function revoke(relation: Relation, roles: readonly ClientRole[]): string {
  const name = qualified(relation.schema, relation.name);
  const kept = relation.readableBy.filter((role) => !roles.includes(role));
  return `revoke select on ${name} from public, ${roles.join(', ')};\ngrant select on ${name} to ${[...kept, 'service_role'].join(', ')};`;
}

const noteOnRevoking = 'Clients can no longer read it through the API. Secret keys are unaffected.';

export const authUsersExposed: Rule = {
  name: 'auth_users_exposed',
  title: 'Exposed Auth Users',
  level: 'ERROR',
  category: 'SECURITY',
  description:
    'A view in an exposed schema reads auth.users with its owner’s privileges, so clients may see other users’ email addresses, phone numbers and metadata.',
  remediation: upstreamDocs('0002_auth_users_exposed'),
  find: (catalog) =>
    catalog.usersViews
      .map(({ schema, name }) => relationOf(catalog, schema, name))
      .filter((view) => view !== undefined)
      .filter((view) => isExposed(catalog, view.schema) && view.readableBy.length > 0)
      .map((view) => ({
        detail: `${view.kind === 'view' ? 'View' : 'Materialized view'} \`${view.schema}.${view.name}\` may expose rows of auth.users to ${view.readableBy.join(' and ')}.`,
        metadata: { ...metadataOf(view), type: 'view', exposed_to: view.readableBy },
        key: [view.schema, view.name],
        fix: { sql: revoke(view, view.readableBy), note: noteOnRevoking },
      })),
};

export const securityDefinerView: Rule = {
  name: 'security_definer_view',
  title: 'Security Definer View',
  level: 'ERROR',
  category: 'SECURITY',
  description:
    'A view without security_invoker reads its tables with its owner’s privileges, so their policies don’t apply to the caller.',
  remediation: upstreamDocs('0010_security_definer_view'),
  find: (catalog) =>
    exposed(catalog, 'view')
      .filter(({ securityInvoker }) => !securityInvoker)
      .map((view) => ({
        detail: `View \`${view.schema}.${view.name}\` bypasses the policies of its tables for ${view.readableBy.join(' and ')}.`,
        metadata: metadataOf(view),
        key: [view.schema, view.name],
        fix: {
          sql: `alter view ${qualified(view.schema, view.name)} set (security_invoker = true);`,
          note: 'The view then returns only rows that the caller can read in the underlying tables.',
        },
      })),
};

export const materializedViewInApi: Rule = {
  name: 'materialized_view_in_api',
  title: 'Materialized View in API',
  level: 'WARN',
  category: 'SECURITY',
  description:
    'Materialized views can’t have policies, so clients can read all of their rows through the API.',
  remediation: upstreamDocs('0016_materialized_view_in_api'),
  find: (catalog) =>
    exposed(catalog, 'materialized view').map((view) => ({
      detail: `Materialized view \`${view.schema}.${view.name}\` is readable by ${view.readableBy.join(' and ')}.`,
      metadata: metadataOf(view),
      key: [view.schema, view.name],
      affectedRows: view.rows,
      fix: { sql: revoke(view, view.readableBy), note: noteOnRevoking },
    })),
};

export const foreignTableInApi: Rule = {
  name: 'foreign_table_in_api',
  title: 'Foreign Table in API',
  level: 'WARN',
  category: 'SECURITY',
  description: 'Foreign tables can’t have policies, so clients can read all of their rows through the API.',
  remediation: upstreamDocs('0017_foreign_table_in_api'),
  find: (catalog) =>
    exposed(catalog, 'foreign table').map((table) => ({
      detail: `Foreign table \`${table.schema}.${table.name}\` is readable by ${table.readableBy.join(' and ')}.`,
      metadata: metadataOf(table),
      key: [table.schema, table.name],
      fix: { sql: revoke(table, table.readableBy), note: noteOnRevoking },
    })),
};

function graphqlRule(role: ClientRole, number: string, who: string, title: string): Rule {
  return {
    name: `pg_graphql_${role}_table_exposed`,
    title,
    level: 'WARN',
    category: 'SECURITY',
    description: `The GraphQL schema lists every table and view that ${who} can read, including its column names.`,
    remediation: upstreamDocs(`${number}_pg_graphql_${role}_table_exposed`),
    find: (catalog) =>
      hasGraphql(catalog)
        ? catalog.relations
            .filter(
              (relation) =>
                relation.kind !== 'partitioned table' &&
                isUserRelation(relation) &&
                relation.columnsReadableBy.includes(role),
            )
            .map((relation) => ({
              detail: `The GraphQL schema shows \`${relation.schema}.${relation.name}\` to ${who}, because the role ${role} can read it.`,
              metadata: metadataOf(relation),
              key: [relation.schema, relation.name],
              affectedRows: relation.rows,
              fix: { sql: revoke(relation, [role]), note: noteOnRevoking },
            }))
        : [],
  };
}

/**
 * Whether pg_graphql is installed. Plinth's placeholder for the extension has no functions, so this checks for
 * functions.
 */
const hasGraphql = (catalog: Catalog): boolean =>
  catalog.functions.some(({ extension }) => extension === 'pg_graphql');

export const graphqlAnonTableExposed = graphqlRule(
  'anon',
  '0026',
  'anyone with the publishable key',
  'Public Can See Object in GraphQL Schema',
);
export const graphqlAuthenticatedTableExposed = graphqlRule(
  'authenticated',
  '0027',
  'signed-in users',
  'Signed-In Users Can See Object in GraphQL Schema',
);
