import { quoteIdentifier } from '../../../../base/kernel/sql.ts';
import type { Catalog, ClientRole, DatabaseFunction, Extension } from '../../catalog.ts';
import type { Fix } from '../../types.ts';
import { isExposed, isUserSchema, qualified, type Rule, upstreamDocs } from '../rule.ts';

const signatureOf = ({ schema, name, arguments: list }: DatabaseFunction): string =>
  `${schema}.${name}(${list})`;
const statementName = ({ kind, schema, name, arguments: list }: DatabaseFunction): string =>
  `${kind} ${qualified(schema, name)}(${list})`;

export const functionSearchPathMutable: Rule = {
  name: 'function_search_path_mutable',
  title: 'Function Search Path Mutable',
  level: 'WARN',
  category: 'SECURITY',
  description:
    'Unqualified names in the function are resolved with the caller’s search path, so a caller can make it use other tables and functions.',
  remediation: upstreamDocs('0011_function_search_path_mutable'),
  find: (catalog) =>
    catalog.functions
      .filter(
        ({ schema, extension, hasSearchPath }) =>
          isUserSchema(schema) && extension === null && !hasSearchPath,
      )
      .map((each) => ({
        detail: `Function \`${each.schema}.${each.name}\` doesn’t set its search_path.`,
        metadata: { schema: each.schema, name: each.name, type: 'function' },
        key: [each.schema, each.name, each.sourceMd5],
        ...fixSearchPath(each),
      })),
};

/**
 * Returns the fix for a function without a fixed search path. The fix sets the search path to the API's usual schemas,
 * because function bodies with unqualified names would fail with an empty path. Procedures have no fix, because a
 * procedure that has settings can't control transactions.
 */
const fixSearchPath = (each: DatabaseFunction): { readonly fix?: Fix } =>
  each.kind === 'procedure'
    ? {}
    : {
        fix: {
          sql: `alter ${statementName(each)} set search_path = ${qualifiedPath(each.schema)};`,
          note: `If the body qualifies every name with its schema, use set search_path = '' instead.${each.language === 'sql' ? ' PostgreSQL no longer inlines the function in queries.' : ''}`,
        },
      };

const qualifiedPath = (schema: string): string =>
  [...new Set([schema, 'public', 'extensions', 'pg_temp'])].map(quoteIdentifier).join(', ');

/** Returns the functions that this role can call through the API (RPC). */
const callable = (catalog: Catalog, role: ClientRole): DatabaseFunction[] =>
  catalog.functions.filter(
    ({ schema, executableBy }) =>
      isExposed(catalog, schema) && isUserSchema(schema) && executableBy.includes(role),
  );

function definerRule(role: ClientRole, number: string, who: string, title: string): Rule {
  const name = `${role}_security_definer_function_executable`;
  return {
    name,
    title,
    level: 'WARN',
    category: 'SECURITY',
    description: `The function runs with its owner’s privileges, and ${who} can call it through the API.`,
    remediation: upstreamDocs(`${number}_${name}`),
    find: (catalog) =>
      callable(catalog, role)
        .filter(({ securityDefiner }) => securityDefiner)
        .map((each) => ({
          detail: `Function \`${signatureOf(each)}\` runs with its owner’s privileges, and the role ${role} can call it at /rest/v1/rpc/${each.name}.`,
          metadata: {
            schema: each.schema,
            name: each.name,
            arguments: each.arguments,
            language: each.language,
            security_definer: true,
          },
          key: [each.schema, each.name, each.arguments],
          fix: revokeExecute(each, role),
        })),
  };
}

/** Roles that need the privilege may have it only through PUBLIC, so the fix grants them the privilege explicitly. */
function revokeExecute(each: DatabaseFunction, role: ClientRole): Fix {
  const keepsAuthenticated = role === 'anon' && each.executableBy.includes('authenticated');
  const revoked = role === 'anon' ? 'public, anon' : 'public, anon, authenticated';
  const granted = keepsAuthenticated ? 'authenticated, service_role' : 'service_role';
  return {
    sql: `revoke execute on ${statementName(each)} from ${revoked};\ngrant execute on ${statementName(each)} to ${granted};`,
    note: each.isTrigger
      ? 'Triggers keep working because they don’t need this privilege.'
      : `${keepsAuthenticated ? 'Signed-in users can still call it. ' : ''}Policies and views that call the function need the privilege. In that case, move the function to a schema that isn’t exposed instead.`,
  };
}

export const anonSecurityDefinerFunction = definerRule(
  'anon',
  '0028',
  'anyone with the publishable key',
  'Public Can Execute SECURITY DEFINER Function',
);
export const authenticatedSecurityDefinerFunction = definerRule(
  'authenticated',
  '0029',
  'any signed-in user',
  'Signed-In Users Can Execute SECURITY DEFINER Function',
);

export const extensionFunctionExecutable: Rule = {
  name: 'extension_function_executable',
  title: 'Extension Function Executable by Clients',
  level: 'WARN',
  category: 'SECURITY',
  description:
    'An extension is installed in an exposed schema, so clients can call its functions as RPC. Some of them change data, read files or send requests.',
  remediation: 'Move the extension to the extensions schema.',
  find: (catalog) =>
    catalog.extensions
      .map((extension) => ({
        extension,
        functions: callable(catalog, 'anon').filter(
          (each) => each.extension === extension.name && each.isVolatile,
        ),
      }))
      .filter(({ functions }) => functions.length > 0)
      .map(({ extension, functions }) => ({
        detail: `Anyone with the publishable key can call ${functions.length} volatile functions of the extension \`${extension.name}\`, such as ${functions
          .slice(0, 3)
          .map(({ name }) => name)
          .join(', ')}.`,
        metadata: {
          schema: extension.schema,
          name: extension.name,
          type: 'extension',
          functions: functions.map(signatureOf),
        },
        key: [extension.name],
        ...moveExtension(extension),
      })),
};

/**
 * Returns the fix for an extension in an exposed schema. The fix recreates the extension, because
 * `alter extension ... set schema` requires superuser privileges. Extensions with tables have no fix, because
 * recreating the extension would delete the rows in its tables.
 */
export function moveExtension({ name: extension, ownsTables }: Extension): { readonly fix?: Fix } {
  if (ownsTables) return {};
  const name = quoteIdentifier(extension);
  return {
    fix: {
      sql: `drop extension ${name};\ncreate extension ${name} with schema extensions;`,
      note: 'The first statement fails if columns or indexes use the extension. You must also change function bodies that reference the old schema.',
    },
  };
}
