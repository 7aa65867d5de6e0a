/**
 * Generates types for client code from the schemas of a database. Plinth uses the same generator as upstream.
 *
 * Adds `ComputedFields` to generated TypeScript types, in the format that CLI 3.1 generates. A computed field is a
 * property of a `Row` whose value is returned by a function instead of being stored in a column. The published version
 * of the type generator doesn't support computed fields yet.
 */
import { DatabaseError } from './errors.ts';
import {
  Client,
  type ConnectionTarget,
  isConnectionUri,
  parseConnectionString,
  printConnectionUri,
} from './wire/index.ts';

export const typeLanguages = ['typescript', 'go', 'python', 'swift'] as const;
export type TypeLanguage = (typeof typeLanguages)[number];

interface TypesOptions {
  readonly language?: TypeLanguage;
  readonly swiftAccess?: 'internal' | 'public';
  /**
   * Whether a foreign key on a unique column is treated as a one-to-one relationship, as PostgREST 10 and newer
   * versions do.
   */
  readonly detectsOneToOne?: boolean;
  /** The password to use if the URL doesn't contain one. */
  readonly password?: string | undefined;
  /** The time limit for connecting and for each query. */
  readonly timeoutMs?: number;
}

/**
 * Generates the types and returns their source code. The generator and its database client are imported here because
 * loading them is slow.
 * @throws {DatabaseError} types_timeout
 */
export async function generateTypes(
  url: string,
  schemas: readonly string[],
  options: TypesOptions = {},
): Promise<string> {
  const { language = 'typescript', swiftAccess = 'internal', detectsOneToOne = true, timeoutMs } = options;
  const [{ default: pg }, { introspect }, generators] = await Promise.all([
    import('pg'),
    import('@supabase/postgrest-typegen/introspection'),
    import('@supabase/postgrest-typegen/generation'),
  ]);
  const pool = new pg.Pool({
    connectionString: await clientUrl(url, options.password),
    max: 4,
    ...(timeoutMs === undefined ? {} : { connectionTimeoutMillis: timeoutMs, query_timeout: timeoutMs }),
  });
  // Without this listener, an error on an idle connection would terminate the process.
  pool.on('error', () => undefined);
  try {
    const metadata = generators.sortGeneratorMetadata(
      await introspect(comparingBareNames(pool), { includedSchemas: [...schemas] }),
    );
    if (language === 'go') return generators.generateGo(metadata);
    if (language === 'python') return generators.generatePython(metadata);
    if (language === 'swift') return generators.generateSwift(metadata, { accessControl: swiftAccess });
    const types = await generators.generateTypescript(metadata, {
      detectOneToOneRelationships: detectsOneToOne,
    });
    return withComputedFields(types, metadata.columns);
  } catch (error) {
    if (/^(Query read timeout|timeout exceeded)/.test((error as Error).message))
      throw new DatabaseError('types_timeout', { seconds: (timeoutMs ?? 0) / 1000 }, error);
    throw error;
  } finally {
    await pool.end();
  }
}

interface Queryable {
  // biome-ignore lint/suspicious/noExplicitAny: the generator defines this type.
  query(text: string): Promise<{ rows: any[] }>;
}

/**
 * Returns a client that corrects the generator's queries. They compare schema names with the text of `regnamespace`,
 * which is quoted if necessary, so schemas such as `MySchema` would lose their relationships (postgres-meta 1147).
 */
const comparingBareNames = (pool: Queryable): Queryable => ({
  query: (text) =>
    pool.query(
      text.replaceAll(
        /((?:\w+\.)?connamespace)::regnamespace::text/g,
        '(select n.nspname::text from pg_catalog.pg_namespace n where n.oid = $1)',
      ),
    ),
});

/**
 * Returns the URL with the password included, for the one host that node-postgres can connect to. Also sets the option
 * with which `sslmode=require` works as in libpq, which encrypts the connection but doesn't check the certificate. By
 * default, node-postgres checks the certificate, which fails for hosted databases.
 */
async function clientUrl(text: string, password: string | undefined): Promise<string> {
  const target = parseConnectionString(text, { password });
  const isSingleUri = target.otherHosts === undefined && isConnectionUri(text);
  const url = new URL(isSingleUri ? text : printConnectionUri(await singleHost(target)));
  if (password !== undefined && url.password === '') url.password = encodeURIComponent(password);
  if (url.searchParams.get('sslmode') === 'require' && !url.searchParams.has('sslrootcert'))
    url.searchParams.set('uselibpqcompat', 'true');
  return url.href;
}

/** Selects the host that a connection with several hosts uses. */
async function singleHost(target: ConnectionTarget): Promise<ConnectionTarget> {
  if (target.otherHosts === undefined) return target;
  const { connection } = await Client.connect({ ...target, applicationName: 'plinth' });
  const { host, port, address } = connection.options;
  await connection.close();
  return { ...target, host, port, address, otherHosts: undefined, sessionKind: 'any' };
}

interface Column {
  readonly schema: string;
  readonly table: string;
  readonly name: string;
}

const key = String.raw`("(?:[^"\\]|\\.)*"|[^\s"'{}[\]|:?]+)`;
const levels = {
  schema: new RegExp(`^ {2}${key}: \\{$`),
  relation: new RegExp(`^ {6}${key}: \\{$`),
  field: new RegExp(`^ {10}${key}: `),
  row: /^ {8}Row: \{(\})?$/,
  rowEnd: /^ {8}\}$/,
};
const width = 80;

/**
 * Returns the types with the computed fields added.
 * @param types the generated types, indented with two spaces per level
 * @param columns the columns of all tables and views in the types
 */
export function withComputedFields(types: string, columns: readonly Column[]): string {
  const known = new Set(columns.map(({ schema, table, name }) => JSON.stringify([schema, table, name])));
  const result: string[] = [];
  let schema = '';
  let relation = '';
  let computed: string[] | undefined;
  for (const line of types.split('\n')) {
    result.push(line);
    schema = nameIn(line, levels.schema) ?? schema;
    relation = nameIn(line, levels.relation) ?? relation;
    const row = levels.row.exec(line);
    if (row !== null) computed = [];
    if (computed === undefined) continue;
    const field = nameIn(line, levels.field);
    if (field !== undefined && !known.has(JSON.stringify([schema, relation, field]))) computed.push(field);
    if (row?.[1] !== undefined || levels.rowEnd.test(line)) {
      result.push(...member(computed));
      computed = undefined;
    }
  }
  return result.join('\n');
}

function nameIn(line: string, pattern: RegExp): string | undefined {
  const written = pattern.exec(line)?.[1];
  return written?.startsWith('"') ? (JSON.parse(written) as string) : written;
}

function member(names: readonly string[]): string[] {
  const quoted = names.map((name) => JSON.stringify(name));
  const line = `        ComputedFields: ${quoted.join(' | ') || 'never'}`;
  return line.length <= width
    ? [line]
    : ['        ComputedFields:', ...quoted.map((name) => `          | ${name}`)];
}
