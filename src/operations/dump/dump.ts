/**
 * Dumps a database as SQL that psql and `plinth db restore` can run. The whole database is read in one REPEATABLE READ
 * snapshot with shared locks on the tables, so the dump is consistent even during writes.
 */
import { sql } from '../../base/kernel/sql.ts';
import { oneLine } from '../../base/shared/printable.ts';
import {
  type ConnectionOptions,
  type CopySession,
  openCopySession,
  PostgresError,
  readCopiedRow,
} from '../../platform/database/index.ts';
import { projectSelection } from './core/selection.ts';
import { renderStatements, type Statements } from './core/statements.ts';
import { literal } from './core/text.ts';
import { DumpError } from './errors.ts';
import { largeObjectStatements } from './large-objects.ts';
import { readSequenceValue } from './objects/relation-rows.ts';
import {
  type CronJobRow,
  readCronJobs,
  readMemberships,
  readRoleSettings,
  readRoles,
  roleStatements,
} from './objects/roles.ts';
import type { DumpOutput } from './output.ts';
import { readCatalog } from './read-catalog.ts';
import type { Catalog, Selection, TableData } from './types.ts';

export interface DumpOptions {
  readonly target: ConnectionOptions;
  readonly output: DumpOutput;
  readonly content: 'all' | 'schema' | 'data' | 'roles';
  readonly schemas?: readonly string[];
  /** Tables whose rows are omitted, in the form `schema.table`. */
  readonly excludedTables?: readonly string[];
  /** Whether rows are written as INSERT statements instead of COPY data. */
  readonly inserts?: boolean;
  /**
   * A random alphanumeric key. If set, psql runs no backslash command between the first and the last line of the dump,
   * as in pg_dump since the minor versions of August 2025 (CVE-2025-8714).
   */
  readonly restrictKey?: string;
  readonly onProgress: (message: string) => void;
  readonly signal?: AbortSignal | undefined;
}

export interface DumpReport {
  readonly tables: number;
  readonly rows: number;
  readonly objects: number;
  /** Objects that the dump doesn't contain, such as `subscription orders`. */
  readonly unsupported: readonly string[];
}

/** Writes the dump and returns a summary of its content. @throws {DumpError} @throws {ConnectionError} */
export async function dumpDatabase(options: DumpOptions): Promise<DumpReport> {
  const session = await openCopySession(options.target);
  const onAbort = (): void => session.destroy();
  options.signal?.addEventListener('abort', onAbort, { once: true });
  try {
    options.signal?.throwIfAborted();
    await session.exec(`${sessionSettings};begin isolation level repeatable read read only`);
    const report = await writeDump(session, options);
    await session.exec('commit');
    return report;
  } catch (error) {
    if (error instanceof PostgresError && session.isOpen())
      throw new DumpError('read_failed', { reason: error.message }, error);
    throw error;
  } finally {
    options.signal?.removeEventListener('abort', onAbort);
    session.destroy();
  }
}

/** Settings that make the values in the dump independent of the settings of the role and the database. */
export const sessionSettings = [
  "set client_encoding = 'UTF8'",
  "set search_path = ''",
  "set datestyle = 'ISO, MDY'",
  "set intervalstyle = 'postgres'",
  "set timezone = 'UTC'",
  'set extra_float_digits = 3',
  "set bytea_output = 'hex'",
  "set xmloption = 'content'",
  'set standard_conforming_strings = on',
  'set quote_all_identifiers = off',
  'set synchronize_seqscans = off',
  'set statement_timeout = 0',
  'set lock_timeout = 0',
  'set idle_in_transaction_session_timeout = 0',
  // Makes a statement fail instead of silently omitting rows that a policy hides.
  'set row_security = off',
].join(';');

async function writeDump(session: CopySession, options: DumpOptions): Promise<DumpReport> {
  const { output, restrictKey } = options;
  const report = await writeContent(session, options);
  if (restrictKey !== undefined) await output.write(`\\unrestrict ${restrictKey}\n`);
  return report;
}

async function writeContent(session: CopySession, options: DumpOptions): Promise<DumpReport> {
  const { output, content, schemas = [] } = options;
  await output.write(header(session.serverVersion, options.restrictKey));
  if (content === 'roles' || (content === 'all' && schemas.length === 0)) await writeRoles(session, output);
  if (content === 'roles') return { tables: 0, rows: 0, objects: 0, unsupported: [] };
  const selection = await selectionOf(session, options);
  if (content !== 'schema') await lockTables(session, selection);
  options.onProgress('Reading the catalogs');
  const catalog = await readCatalog(session, { includes: selection.includes });
  const statements: Statements =
    content === 'data' ? { beforeData: [], afterData: [], objects: 0 } : renderStatements(catalog, selection);
  await writeStatements(output, statements.beforeData);
  const copied =
    content === 'schema' ? { tables: 0, rows: 0 } : await writeData(session, catalog, selection, options);
  if (content !== 'schema' && schemas.length === 0) {
    for await (const statement of largeObjectStatements(session, catalog))
      await output.write(`${statement};\n`);
  }
  await writeStatements(output, statements.afterData);
  for (const object of catalog.unsupported) await output.write(`-- Not included: ${oneLine(object)}\n`);
  return { ...copied, objects: statements.objects, unsupported: catalog.unsupported };
}

const header = (serverVersion: number, restrictKey: string | undefined): string => `--
-- PostgreSQL database dump, written by Plinth from PostgreSQL ${Math.floor(serverVersion / 10_000)}.${serverVersion % 10_000}
--
${restrictKey === undefined ? '' : `\n\\restrict ${restrictKey}\n`}
SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET datestyle = 'ISO, MDY';
SET intervalstyle = 'postgres';
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

`;

async function writeStatements(output: DumpOutput, statements: readonly string[]): Promise<void> {
  for (const statement of statements) await output.write(`${statement};\n\n`);
}

async function writeRoles(session: CopySession, output: DumpOutput): Promise<void> {
  const roles = await readRoles(session);
  const memberships = await readMemberships(session);
  const settings = await readRoleSettings(session);
  await writeStatements(output, roleStatements({ roles, memberships, settings }));
}

/** Determines which schemas, objects and rows the dump contains. @throws {DumpError} schema_unknown */
async function selectionOf(session: CopySession, options: DumpOptions): Promise<Selection> {
  const { schemas = [], excludedTables = [], content } = options;
  const rows = await session.query<{ name: string; owner: string }>(
    sql`select nspname::text as name, pg_get_userbyid(nspowner)::text as owner from pg_namespace`,
  );
  const missing = schemas.find((schema) => !rows.some(({ name }) => name === schema));
  if (missing !== undefined) throw new DumpError('schema_unknown', { schema: missing });
  const authOwner = rows.find(({ name }) => name === 'auth')?.owner;
  return projectSelection({ schemas, excludedTables, withHistory: content === 'all', authOwner });
}

/** Locks the tables so that their definitions can't change until the end of the dump. */
async function lockTables(session: CopySession, selection: Selection): Promise<void> {
  const rows = await session.query<{ table: string; schema: string; name: string }>(sql`
    select c.oid::regclass::text as table, n.nspname::text as schema, c.relname::text as name
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'p') and c.relpersistence <> 't' and n.nspname !~ '^pg_' and n.nspname <> 'information_schema'`);
  const tables = rows.filter(({ schema, name }) => selection.includesData(schema, name));
  for (let start = 0; start < tables.length; start += lockedPerStatement) {
    const names = tables.slice(start, start + lockedPerStatement).map(({ table }) => table);
    await session.exec(`lock table ${names.join(', ')} in access share mode`);
  }
}

const lockedPerStatement = 100;
const progressIntervalMs = 5_000;

async function writeData(
  session: CopySession,
  catalog: Catalog,
  selection: Selection,
  options: DumpOptions,
): Promise<{ tables: number; rows: number }> {
  const { output, content } = options;
  const tables = catalog.tables
    .filter(({ schema, name }) => selection.includesData(schema, name))
    .toSorted((a, b) => (a.table < b.table ? -1 : 1));
  // Disables triggers and foreign keys that already exist in the target database, because they would apply to the
  // copied rows.
  const hasTriggers = content === 'data' || tables.some(({ schema }) => !selection.includes(schema));
  if (hasTriggers) await output.write('SET session_replication_role = replica;\n\n');
  let rows = 0;
  for (const [index, table] of tables.entries()) {
    const label = `${table.table} (${index + 1} of ${tables.length})`;
    rows += await writeTable(session, table, options, label);
  }
  for (const { sequence, schema } of catalog.sequences.toSorted((a, b) =>
    a.sequence < b.sequence ? -1 : 1,
  )) {
    if (!selection.includesData(schema, '')) continue;
    const { lastValue, isCalled } = await readSequenceValue(session, sequence);
    await output.write(`SELECT pg_catalog.setval(${literal(sequence)}, ${lastValue}, ${isCalled});\n\n`);
  }
  if (hasTriggers) await output.write('RESET session_replication_role;\n\n');
  if (!options.schemas?.length)
    await writeStatements(output, (await readCronJobs(session)).map(scheduleStatement));
  return { tables: tables.length, rows };
}

/** The statements call pg_cron's functions, because pg_cron validates and stores its jobs itself. */
function scheduleStatement({ name, schedule, command, isActive }: CronJobRow): string {
  const args = [...(name === null ? [] : [name]), schedule, command].map(literal).join(', ');
  const call = `cron.schedule(${args})`;
  return `SELECT ${isActive ? call : `cron.alter_job(${call}, active := false)`}`;
}

async function writeTable(
  session: CopySession,
  { table, columns, condition }: TableData,
  { output, inserts, onProgress }: DumpOptions,
  label: string,
): Promise<number> {
  // Omits the column list if the table has no columns, because such a table can still have rows.
  const names = columns.length === 0 ? '' : ` (${columns.join(', ')})`;
  const source =
    condition === undefined
      ? `${table}${names}`
      : `(SELECT ${columns.join(', ')} FROM ONLY ${table} WHERE ${condition})`;
  let rows = 0;
  let reportedAt = performance.now();
  const report = (): void => {
    const now = performance.now();
    if (now - reportedAt < progressIntervalMs) return;
    reportedAt = now;
    onProgress(`Copying ${label}: ${rows.toLocaleString('en-US')} rows`);
  };
  const prefix = `INSERT INTO ${table}${names} OVERRIDING SYSTEM VALUE `;
  if (inserts !== true) await output.write(`COPY ${table}${names} FROM stdin;\n`);
  await session.copyOut(`copy ${source} to stdout`, (buffer, start, end) => {
    rows += 1;
    report();
    return inserts === true
      ? output.push(insertText(prefix, columns, buffer.toString('utf8', start, end)))
      : output.push(buffer.subarray(start, end));
  });
  await output.write(inserts === true ? (rows > 0 ? '\n' : '') : '\\.\n\n');
  return rows;
}

/**
 * Converts a line in COPY's text format to an INSERT statement. The server converts the literals to the column types.
 */
function insertText(prefix: string, columns: readonly string[], line: string): string {
  if (columns.length === 0) return `${prefix}DEFAULT VALUES;\n`;
  const values = readCopiedRow(line).map((cell) => (cell === null ? 'NULL' : literal(cell)));
  return `${prefix}VALUES (${values.join(', ')});\n`;
}
