import { quoteIdentifier } from '../../../../base/kernel/sql.ts';
import { type Catalog, clientRoles, type Policy } from '../../catalog.ts';
import type { Fix } from '../../types.ts';
import { isAlwaysTrue, isNeverTrue, perRowCalls, readsUserMetadata, withCachedCalls } from '../expression.ts';
import {
  arrayText,
  isTable,
  isUserRelation,
  isUserSchema,
  policiesOf,
  qualified,
  type Rule,
  relationOf,
  upstreamDocs,
} from '../rule.ts';

const keyOf = ({ schema, table, name }: Policy): string[] => [schema, table, name];
const metadataOf = ({ schema, table }: Policy) => ({ schema, name: table, type: 'table' });
const placeOf = ({ schema, table, name }: Policy): string =>
  `Policy \`${name}\` of table \`${schema}.${table}\``;

const expressionsOf = ({ using, check }: Policy): string[] => [using, check].filter((text) => text !== null);

/** Returns the policies in user schemas that belong to tables with row-level security enabled. */
const activePolicies = (catalog: Catalog): Policy[] =>
  catalog.policies.filter(
    ({ schema, table }) => isUserSchema(schema) && relationOf(catalog, schema, table)?.rowSecurity === true,
  );

const rowsOf = (catalog: Catalog, { schema, table }: Policy): number | null | undefined =>
  relationOf(catalog, schema, table)?.rows;

export const authRlsInitPlan: Rule = {
  name: 'auth_rls_initplan',
  keyPrefix: 'auth_rls_init_plan',
  title: 'Auth RLS Initialization Plan',
  level: 'WARN',
  category: 'PERFORMANCE',
  description:
    'A policy calls a function such as auth.uid() for every row, although the result is the same for the whole statement. In a subquery, PostgreSQL calls it only once.',
  remediation: upstreamDocs('0003_auth_rls_initplan'),
  find: (catalog) =>
    catalog.policies
      .filter(
        ({ schema, table }) =>
          (isUserSchema(schema) || schema === 'realtime') &&
          relationOf(catalog, schema, table)?.rowSecurity === true,
      )
      .filter((policy) => expressionsOf(policy).some((text) => perRowCalls(text).length > 0))
      .map((policy) => ({
        detail: `${placeOf(policy)} calls auth functions or current_setting() again for every row.`,
        metadata: metadataOf(policy),
        key: keyOf(policy),
        affectedRows: rowsOf(catalog, policy),
        fix: cacheCalls(policy),
      })),
};

function cacheCalls({ schema, table, name, using, check }: Policy): Fix {
  const clauses = [
    using === null ? '' : `\n  using (${withCachedCalls(using)})`,
    check === null ? '' : `\n  with check (${withCachedCalls(check)})`,
  ];
  return {
    sql: `alter policy ${quoteIdentifier(name)} on ${qualified(schema, table)}${clauses.join('')};`,
    note: 'The policy still allows the same rows.',
  };
}

const commands = ['SELECT', 'INSERT', 'UPDATE', 'DELETE'] as const;

export const multiplePermissivePolicies: Rule = {
  name: 'multiple_permissive_policies',
  title: 'Multiple Permissive Policies',
  level: 'WARN',
  category: 'PERFORMANCE',
  description:
    'Several permissive policies apply to the same role and command. PostgreSQL evaluates all of them for each row until one allows it, so one policy with OR is easier to read and can be faster.',
  remediation: upstreamDocs('0006_multiple_permissive_policies'),
  find: (catalog) =>
    catalog.relations
      .filter((table) => table.kind === 'table' && isUserRelation(table))
      .flatMap((table) => {
        const permissive = policiesOf(catalog, table.schema, table.name).filter(
          (policy) => policy.permissive,
        );
        if (permissive.length < 2) return [];
        return catalog.policyRoles.flatMap((role) =>
          commands.flatMap((command) => {
            const names = permissive
              .filter((policy) => appliesTo(policy, role, command))
              .map(({ name }) => name);
            if (names.length < 2) return [];
            return {
              detail: `Table \`${table.schema}.${table.name}\` has ${names.length} permissive policies for the role \`${role}\` and ${command}: ${arrayText(names)}.`,
              metadata: { schema: table.schema, name: table.name, type: 'table' },
              key: [table.schema, table.name, role, command],
              affectedRows: table.rows,
            };
          }),
        );
      }),
};

const appliesTo = (policy: Policy, role: string, command: string): boolean =>
  (policy.command === command || policy.command === 'ALL') &&
  (policy.roles.includes(role) || (policy.roles.length === 1 && policy.roles[0] === 'public'));

export const rlsReferencesUserMetadata: Rule = {
  name: 'rls_references_user_metadata',
  title: 'RLS references user metadata',
  level: 'ERROR',
  category: 'SECURITY',
  description:
    'A policy trusts user_metadata, which every user can change with updateUser(). Use app_metadata or a table instead.',
  remediation: upstreamDocs('0015_rls_references_user_metadata'),
  find: (catalog) =>
    catalog.policies
      .filter(({ schema }) => isUserSchema(schema))
      .filter((policy) => expressionsOf(policy).some(readsUserMetadata))
      .map((policy) => ({
        detail: `${placeOf(policy)} depends on user_metadata, which users can change themselves.`,
        metadata: metadataOf(policy),
        key: keyOf(policy),
        affectedRows: rowsOf(catalog, policy),
      })),
};

export const rlsPolicyAlwaysTrue: Rule = {
  name: 'rls_policy_always_true',
  title: 'RLS Policy Always True',
  level: 'WARN',
  category: 'SECURITY',
  description:
    'A policy lets clients insert, change or delete rows without any condition. Policies that only allow reading are excluded, because public data is common.',
  remediation: upstreamDocs('0024_permissive_rls_policy'),
  find: (catalog) =>
    activePolicies(catalog)
      .filter(({ schema, table }) => isTable(relationOf(catalog, schema, table)))
      .filter(({ permissive, roles }) => permissive && roles.some(isClientOrPublic))
      .map((policy) => ({ policy, ...openClauses(policy) }))
      .filter(({ opensUsing, opensCheck }) => opensUsing || opensCheck)
      .map(({ policy, opensUsing, opensCheck }) => ({
        detail: `${placeOf(policy)} allows ${policy.command} without a condition for ${policy.roles.join(', ')}.`,
        metadata: {
          ...metadataOf(policy),
          policy_name: policy.name,
          command: policy.command,
          roles: policy.roles,
          qual: policy.using,
          with_check: policy.check,
          permissive_using: opensUsing,
          permissive_with_check: opensCheck,
        },
        key: keyOf(policy),
        affectedRows: rowsOf(catalog, policy),
      })),
};

const isClientOrPublic = (role: string): boolean =>
  role === 'public' || clientRoles.some((client) => client === role);

function openClauses({ command, using, check }: Policy): { opensUsing: boolean; opensCheck: boolean } {
  const usingIsTrue = using !== null && isAlwaysTrue(using);
  const opensUsing = command !== 'SELECT' && command !== 'INSERT' && (using === null || usingIsTrue);
  const isWrite = command === 'UPDATE' || command === 'ALL';
  const opensCheck = check === null ? command === 'INSERT' || (isWrite && usingIsTrue) : isAlwaysTrue(check);
  return { opensUsing, opensCheck };
}

export const policyNeverMatches: Rule = {
  name: 'policy_never_matches',
  title: 'Policy Never Matches',
  level: 'WARN',
  category: 'SECURITY',
  description:
    'A permissive policy can’t allow access because its condition is never true, its roles bypass row-level security, or they have no privilege on the table.',
  remediation: 'Correct the condition or the roles, grant the privilege, or drop the policy.',
  find: (catalog) =>
    activePolicies(catalog)
      .filter(({ permissive }) => permissive)
      .flatMap((policy) => {
        const reason = reasonForNoMatch(catalog, policy);
        if (reason === undefined) return [];
        return {
          detail: `${placeOf(policy)} never allows a row, because ${reason}.`,
          metadata: { ...metadataOf(policy), policy_name: policy.name, command: policy.command },
          key: keyOf(policy),
          affectedRows: rowsOf(catalog, policy),
          fix: {
            sql: `drop policy ${quoteIdentifier(policy.name)} on ${qualified(policy.schema, policy.table)};`,
            note: 'Access doesn’t change. If the policy was meant to allow access, correct it instead.',
          },
        };
      }),
};

function reasonForNoMatch(catalog: Catalog, policy: Policy): string | undefined {
  const { command, using, check, roles } = policy;
  // PostgreSQL combines the USING clauses of all policies separately from their WITH CHECK clauses. A policy therefore
  // has no effect only if neither its USING clause nor its WITH CHECK clause can be true.
  const clauses = [using, check].filter((text) => text !== null);
  if (clauses.length > 0 && clauses.every(isNeverTrue)) return 'its condition is never true';
  if (roles.every((role) => catalog.bypassingRoles.includes(role)))
    return `${roles.join(', ')} ${roles.length === 1 ? 'bypasses' : 'bypass'} row-level security`;
  const own = command === 'ALL' ? commands : [command];
  if (own.every((each) => policy.commandsWithoutPrivilege.includes(each)))
    return `${roles.join(', ')} ${roles.length === 1 ? 'has' : 'have'} no ${command === 'ALL' ? '' : `${command} `}privilege on the table`;
  return undefined;
}
