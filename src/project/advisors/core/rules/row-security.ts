import { type Catalog, clientRoles, type Relation } from '../../catalog.ts';
import type { Fix } from '../../types.ts';
import {
  isExposed,
  isTable,
  isUserRelation,
  isUserSchema,
  policiesOf,
  qualified,
  type Rule,
  upstreamDocs,
} from '../rule.ts';

const tableMetadata = ({ schema, name }: Relation) => ({ schema, name, type: 'table' });

const enableRowSecurity = ({ schema, name }: Relation, note: string): Fix => ({
  sql: `alter table ${qualified(schema, name)} enable row level security;`,
  note,
});

const noteWithoutPolicies =
  'Clients can no longer read or change any rows until you create policies. Secret keys are unaffected.';

/** Returns the tables without row-level security whose rows clients can read or change through the API. */
const openTables = (catalog: Catalog): Relation[] =>
  catalog.relations.filter(
    (relation) =>
      isTable(relation) &&
      !relation.rowSecurity &&
      relation.access.length > 0 &&
      isExposed(catalog, relation.schema) &&
      isUserSchema(relation.schema),
  );

export const rlsDisabledInPublic: Rule = {
  name: 'rls_disabled_in_public',
  title: 'RLS Disabled in Public',
  level: 'ERROR',
  category: 'SECURITY',
  description:
    'The table is in an exposed schema, and row-level security is off. Clients with the publishable key can use all of its rows.',
  remediation: upstreamDocs('0013_rls_disabled_in_public'),
  find: (catalog) =>
    openTables(catalog).map((table) => ({
      detail: `Table \`${table.schema}.${table.name}\` is exposed through the API without row-level security. ${listAccess(table)}`,
      metadata: tableMetadata(table),
      key: [table.schema, table.name],
      affectedRows: table.rows,
      fix: enableRowSecurity(
        table,
        policiesOf(catalog, table.schema, table.name).length > 0
          ? 'The existing policies of this table then apply.'
          : noteWithoutPolicies,
      ),
    })),
};

export const policyExistsRlsDisabled: Rule = {
  name: 'policy_exists_rls_disabled',
  title: 'Policy Exists RLS Disabled',
  level: 'ERROR',
  category: 'SECURITY',
  description: 'The table has policies, but they have no effect because row-level security is off.',
  remediation: upstreamDocs('0007_policy_exists_rls_disabled'),
  find: (catalog) =>
    catalog.relations
      .filter((table) => isTable(table) && isUserRelation(table) && !table.rowSecurity)
      .map((table) => ({
        table,
        policies: policiesOf(catalog, table.schema, table.name).map(({ name }) => name),
      }))
      .filter(({ policies }) => policies.length > 0)
      .map(({ table, policies }) => ({
        detail: `Row-level security is off for table \`${table.schema}.${table.name}\`, so its policies have no effect: ${policies.join(', ')}.`,
        metadata: tableMetadata(table),
        key: [table.schema, table.name],
        affectedRows: table.rows,
        fix: enableRowSecurity(table, 'The existing policies of this table then apply.'),
      })),
};

export const rlsEnabledNoPolicy: Rule = {
  name: 'rls_enabled_no_policy',
  title: 'RLS Enabled No Policy',
  level: 'INFO',
  category: 'SECURITY',
  description:
    'Row-level security is on, but the table has no policies. Clients can’t access any rows, which is correct only if the table is internal.',
  remediation: upstreamDocs('0008_rls_enabled_no_policy'),
  find: (catalog) =>
    catalog.relations
      .filter(
        (table) =>
          isTable(table) &&
          isUserRelation(table) &&
          table.rowSecurity &&
          policiesOf(catalog, table.schema, table.name).length === 0,
      )
      .map((table) => ({
        detail: `Row-level security is on for table \`${table.schema}.${table.name}\`, but no policy allows access.`,
        metadata: tableMetadata(table),
        key: [table.schema, table.name],
        affectedRows: table.rows,
      })),
};

export const sensitiveColumnsExposed: Rule = {
  name: 'sensitive_columns_exposed',
  title: 'Sensitive Columns Exposed',
  level: 'ERROR',
  category: 'SECURITY',
  description:
    'A table without row-level security has columns whose names suggest credentials or personal data. Anyone with the publishable key can read them.',
  remediation: upstreamDocs('0023_sensitive_columns_exposed'),
  find: (catalog) =>
    openTables(catalog)
      .filter(({ readableBy }) => readableBy.length > 0)
      .map((table) => ({
        table,
        found: table.columns
          .map(({ name }) => ({ name, pattern: name.toLowerCase().replaceAll('-', '_') }))
          .filter(({ pattern }) => sensitiveNames.has(pattern)),
      }))
      .filter(({ found }) => found.length > 0)
      .map(({ table, found }) => ({
        detail: `Table \`${table.schema}.${table.name}\` is exposed through the API without row-level security and has sensitive columns: ${found.map(({ name }) => name).join(', ')}.`,
        metadata: {
          ...tableMetadata(table),
          sensitive_columns: found.map(({ name }) => name).sort(),
          matched_patterns: [...new Set(found.map(({ pattern }) => pattern))].sort(),
        },
        key: [table.schema, table.name],
        affectedRows: table.rows,
        fix: enableRowSecurity(table, noteWithoutPolicies),
      })),
};

export const insecureQueueExposed: Rule = {
  name: 'insecure_queue_exposed_in_api',
  keyPrefix: 'rls_disabled_in_public',
  title: 'Insecure Queue Exposed in API',
  level: 'ERROR',
  category: 'SECURITY',
  description:
    'Queues are exposed through the schema pgmq_public, and row-level security is off for a queue’s table. Any client can read its messages.',
  remediation: upstreamDocs('0019_insecure_queue_exposed_in_api'),
  find: (catalog) =>
    isExposed(catalog, 'pgmq_public')
      ? catalog.relations
          .filter(
            (table) =>
              isTable(table) &&
              table.schema === 'pgmq' &&
              /^q./.test(table.name) &&
              !table.rowSecurity &&
              table.readableBy.length > 0,
          )
          .map((table) => ({
            detail: `Table \`${table.schema}.${table.name}\` of a queue is exposed through the API without row-level security.`,
            metadata: tableMetadata(table),
            key: [table.schema, table.name],
            affectedRows: table.rows,
            fix: enableRowSecurity(table, noteWithoutPolicies),
          }))
      : [],
};

const verbs = { select: 'read', update: 'change', delete: 'delete' } as const;
const listing = new Intl.ListFormat('en', { style: 'long', type: 'conjunction' });

/** Describes what clients can do with the rows of a table without row-level security. */
function listAccess({ access }: Relation): string {
  const byCommands = Map.groupBy(access, ({ commands }) => commands.join());
  return [...byCommands.values()]
    .map((same) => {
      const roles = same.map(({ role }) => role);
      const commands = same[0]?.commands ?? [];
      const who =
        roles.length === clientRoles.length
          ? 'Anyone with the publishable key'
          : `The role ${roles.join(', ')}`;
      const everyRow = commands.flatMap((command) => (command === 'insert' ? [] : [verbs[command]]));
      const parts = [
        ...(everyRow.length === 0 ? [] : [`${listing.format(everyRow)} every row`]),
        ...(commands.includes('insert') ? ['insert new rows'] : []),
      ];
      return `${who} can ${parts.join(', and can ')}.`;
    })
    .join(' ');
}

/**
 * Column names that suggest credentials or personal data. The list is based on upstream's rule
 * `sensitive_columns_exposed`.
 */
const sensitiveNames: ReadonlySet<string> = new Set(
  `password passwd pwd passphrase secret secret_key private_key api_key apikey auth_key token jwt access_token
  refresh_token oauth_token session_token bearer_token auth_code session_id session_key session_secret recovery_code
  backup_code verification_code otp two_factor 2fa_secret 2fa_code ssn social_security social_security_number
  driver_license drivers_license license_number passport_number passport_id national_id tax_id credit_card card_number
  cvv cvc cvn bank_account account_number routing_number iban swift_code bic health_record medical_record patient_id
  insurance_number health_insurance medical_insurance treatment mac_address macaddr imei device_uuid pgp_key gpg_key
  ssh_key certificate license_key activation_key facial_recognition`.split(/\s+/),
);
