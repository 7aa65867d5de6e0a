import { quoteIdentifier } from '../../../../base/kernel/sql.ts';
import { coversBucket } from '../expression.ts';
import { qualified, type Rule, upstreamDocs } from '../rule.ts';
import { moveExtension } from './functions.ts';

export const extensionInPublic: Rule = {
  name: 'extension_in_public',
  title: 'Extension in Public',
  level: 'WARN',
  category: 'SECURITY',
  description: 'The extension is installed in the public schema, so its functions are part of the API.',
  remediation: upstreamDocs('0014_extension_in_public'),
  find: ({ extensions }) =>
    extensions
      .filter(({ name, schema }) => name !== 'plpgsql' && schema === 'public')
      .map((extension) => ({ ...extension, ...moveExtension(extension) }))
      .map(({ name, schema, fix }) => ({
        detail: `Extension \`${name}\` is installed in the schema public.`,
        metadata: { schema, name, type: 'extension' },
        key: [name],
        ...(fix === undefined ? {} : { fix }),
      })),
};

export const extensionVersionsOutdated: Rule = {
  name: 'extension_versions_outdated',
  title: 'Extension Versions Outdated',
  level: 'WARN',
  category: 'SECURITY',
  description: 'A newer version of the extension is available. It may fix security problems.',
  remediation: upstreamDocs('0022_extension_versions_outdated'),
  find: ({ extensions }) =>
    extensions
      .filter(({ version, defaultVersion }) => defaultVersion !== null && defaultVersion !== version)
      .map(({ name, version, defaultVersion }) => ({
        detail: `Extension \`${name}\` has version ${version}, but version ${defaultVersion} is available.`,
        metadata: { extension_name: name, installed_version: version, default_version: defaultVersion },
        key: [name, version],
        fix: {
          sql: `alter extension ${quoteIdentifier(name)} update;`,
          note: 'Read the extension’s release notes first.',
        },
      })),
};

/** The types whose OID values pg_upgrade can't convert. */
const unsupportedTypes = new Set([
  'regcollation',
  'regconfig',
  'regdictionary',
  'regnamespace',
  'regoper',
  'regoperator',
  'regproc',
  'regprocedure',
]);

export const unsupportedRegTypes: Rule = {
  name: 'unsupported_reg_types',
  title: 'Unsupported reg types',
  level: 'WARN',
  category: 'SECURITY',
  description:
    'A column has a type that contains OIDs. pg_upgrade can’t upgrade databases with such columns.',
  remediation: upstreamDocs('unsupported_reg_types'),
  find: ({ relations }) =>
    relations
      .filter(({ schema }) => schema !== 'pgsodium')
      .flatMap(({ schema, name, columns }) =>
        columns
          .filter(({ type }) => unsupportedTypes.has(type))
          .map((column) => ({
            detail: `Column \`${column.name}\` of table \`${schema}.${name}\` has the type ${column.type}.`,
            metadata: { schema, name, column: column.name, type: 'table' },
            key: [schema, name, column.name],
          })),
      ),
};

export const fkeyToAuthUnique: Rule = {
  name: 'fkey_to_auth_unique',
  title: 'Foreign Key to Auth Unique Constraint',
  level: 'ERROR',
  category: 'SECURITY',
  description:
    'A foreign key references a unique constraint in the auth schema, which can change in a new release. Reference the primary key instead.',
  remediation: 'Drop the foreign key, and reference the primary key of the auth table.',
  find: ({ foreignKeys }) =>
    foreignKeys
      .filter(({ referencedSchema, referencesUnique }) => referencedSchema === 'auth' && referencesUnique)
      .map(({ schema, table, name }) => ({
        detail: `Foreign key \`${name}\` of table \`${schema}.${table}\` references a unique constraint of the auth schema.`,
        metadata: { schema, name: table, foreign_key: name },
        key: [schema, table, name],
        fix: {
          sql: `alter table ${qualified(schema, table)} drop constraint ${quoteIdentifier(name)};`,
          note: 'The column’s values are no longer checked.',
        },
      })),
};

export const publicBucketAllowsListing: Rule = {
  name: 'public_bucket_allows_listing',
  title: 'Public Bucket Allows Listing',
  level: 'WARN',
  category: 'SECURITY',
  description:
    'Files in a public bucket can be downloaded without a policy. A SELECT policy for the whole bucket also lets clients list all file names.',
  remediation: upstreamDocs('0025_public_bucket_allows_listing'),
  find: ({ publicBuckets, policies }) =>
    publicBuckets
      .map((bucket) => ({
        bucket,
        names: policies
          .filter(
            ({ schema, table, command, permissive, roles, using }) =>
              schema === 'storage' &&
              table === 'objects' &&
              permissive &&
              (command === 'SELECT' || command === 'ALL') &&
              roles.some((role) => ['public', 'anon', 'authenticated'].includes(role)) &&
              coversBucket(using, bucket.id),
          )
          .map(({ name }) => name),
      }))
      .filter(({ names }) => names.length > 0)
      .map(({ bucket, names }) => ({
        detail: `Clients can list all files of the public bucket \`${bucket.name}\`, because ${names.length === 1 ? 'this policy allows' : 'these policies allow'} it: ${names.join(', ')}.`,
        metadata: {
          schema: 'storage',
          name: bucket.name,
          type: 'bucket',
          bucket_id: bucket.id,
          bucket_name: bucket.name,
          policy_names: names,
          policy_count: names.length,
        },
        key: [bucket.id],
      })),
};
