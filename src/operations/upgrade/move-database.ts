/** Moves the contents of one database: objects, rows, sequences, large objects and privileges. */

import { quoteIdentifier, sql } from '../../base/kernel/sql.ts';
import {
  type ConnectionOptions,
  type CopySession,
  openCopySession,
  type PostgresErrorShape,
  placeholderVersion,
} from '../../platform/database/index.ts';
import {
  type CopiedTable,
  copyTable,
  type MovePlan,
  type MoveStatement,
  planMove,
  type TableData,
} from '../dump/index.ts';
import { UpgradeError } from './errors.ts';
import {
  alignMembers,
  movedGuard,
  moveGuard,
  systemPrivileges,
  validateForeignKeys,
} from './moved-catalogs.ts';
import { isSuperuser, type Roles, searchPathOf } from './roles.ts';
import { moveSubscriptions } from './subscriptions.ts';

export interface MoveOptions {
  readonly database: string;
  readonly source: ConnectionOptions;
  /** Returns a role's connection options for the new cluster. Without a role, returns the superuser's options. */
  readonly target: (role?: string) => ConnectionOptions;
  readonly roles: Roles;
  /** Whether to create only the objects, for a rehearsal. */
  readonly schemaOnly: boolean;
  readonly onProgress: (message: string) => void;
  readonly signal: AbortSignal;
}

export interface Moved {
  readonly tables: readonly TableData[];
  /** The result of copying each table. */
  readonly copied: ReadonlyMap<string, CopiedTable>;
  readonly rows: number;
  readonly bytes: number;
  readonly warnings: readonly string[];
}

/**
 * A temporary role whose members can use and create objects in every schema. All table owners are members of this role
 * until the tables exist, because the final privileges are granted later.
 */
const moverRole = 'plinth_upgrade';

/** Moves a database and returns the results. @throws {UpgradeError} statement_failed, unsupported */
export async function moveDatabase(options: MoveOptions): Promise<Moved> {
  const warnings: string[] = [];
  const source = await openCopySession(options.source);
  const targets = new Targets(options, warnings);
  const onAbort = (): void => {
    source.destroy();
    targets.destroy();
  };
  options.signal.addEventListener('abort', onAbort, { once: true });
  try {
    options.signal.throwIfAborted();
    const plan = await planMove(source);
    if (plan.unsupported.length > 0)
      throw new UpgradeError('unsupported', {
        objects: `${options.database}: ${plan.unsupported.join(', ')}`,
      });
    const mover = new Mover(options, plan, source, targets);
    return { ...(await mover.run()), warnings };
  } catch (error) {
    options.signal.throwIfAborted();
    throw error;
  } finally {
    options.signal.removeEventListener('abort', onAbort);
    onAbort();
  }
}

/** The sessions in the new database, one for each role. */
class Targets {
  readonly #sessions = new Map<string, CopySession>();
  readonly #options: MoveOptions;
  readonly #warnings: string[];

  constructor(options: MoveOptions, warnings: string[]) {
    this.#options = options;
    this.#warnings = warnings;
  }

  /** Returns the session of a role, or of the superuser if `role` is undefined. */
  async of(role?: string): Promise<CopySession> {
    const key = role ?? '';
    const known = this.#sessions.get(key);
    if (known !== undefined) return known;
    const session = await openCopySession(this.#options.target(role), ({ severity, message }) => {
      if (severity === 'WARNING' && !expectedWarning.test(message)) this.#warnings.push(message);
    });
    await session.exec(`set check_function_bodies = false; set search_path = ''; set xmloption = content;
      set datestyle = 'ISO, MDY'; set intervalstyle = 'postgres'; set timezone = 'UTC'; set client_encoding = 'UTF8';
      set client_min_messages = warning`);
    this.#sessions.set(key, session);
    return session;
  }

  destroy(): void {
    for (const session of this.#sessions.values()) session.destroy();
  }
}

/**
 * Matches PostgreSQL's expected warnings. Subscriptions are created without a connection, and publications are created
 * while wal_level is minimal.
 */
const expectedWarning = /^subscription was created, but is not connected$|"wal_level" is insufficient/;

const progressIntervalMs = 5_000;

class Mover {
  readonly #options: MoveOptions;
  readonly #plan: MovePlan;
  readonly #source: CopySession;
  readonly #targets: Targets;
  readonly #owners = new Set<string>();
  readonly #copied = new Map<string, CopiedTable>();
  #rows = 0;
  #bytes = 0;

  constructor(options: MoveOptions, plan: MovePlan, source: CopySession, targets: Targets) {
    this.#options = options;
    this.#plan = plan;
    this.#source = source;
    this.#targets = targets;
  }

  async run(): Promise<Omit<Moved, 'warnings'>> {
    const { database, schemaOnly, onProgress } = this.#options;
    const admin = await this.#targets.of();
    onProgress(`Creating the objects of the database ${database}`);
    await admin.exec(
      `create role ${moverRole}; grant create on database ${quoteIdentifier(database)} to ${moverRole}`,
    );
    await this.#allow('schema', 'public');
    for (const statement of this.#plan.beforeData) await this.#run(statement);
    for (const statement of await systemPrivileges(this.#source))
      await this.#run({ text: statement, subject: 'A privilege on a system object' });
    if (!schemaOnly) await this.#copyData(admin);
    onProgress(`Creating the indexes and constraints of the database ${database}`);
    for (const statement of this.#plan.afterData) await this.#run(statement);
    await validateForeignKeys(this.#source, admin);
    await this.#forbid(admin);
    for (const statement of await alignMembers(this.#source, admin))
      await this.#run({ text: statement, subject: 'A privilege on an object of an extension' });
    await moveGuard(this.#source, admin);
    await moveSubscriptions(this.#source, admin);
    if (!schemaOnly) {
      onProgress(`Collecting statistics of the database ${database}`);
      await admin.exec('analyze');
    }
    const tables = [...this.#plan.tables, ...this.#plan.memberTables].filter(
      ({ table }) => table !== movedGuard,
    );
    return { tables, copied: this.#copied, rows: this.#rows, bytes: this.#bytes };
  }

  async #run(statement: MoveStatement): Promise<void> {
    this.#options.signal.throwIfAborted();
    const { text, kind, identity = '' } = statement;
    const role = this.#roleOf(statement.role);
    try {
      if (role !== undefined) await this.#admit(role);
      const session = await this.#targets.of(role);
      if (kind === 'EXTENSION' && role !== undefined) await this.#createExtension(text, identity, role);
      else await session.exec(text);
      if (kind === 'EXTENSION' && text.startsWith('CREATE')) await this.#requireExtension(identity);
      if (kind === 'SCHEMA') await this.#allow('schema', identity);
      if (kind === 'SERVER') await this.#allow('foreign server', identity);
      if (kind === 'FOREIGN DATA WRAPPER') await this.#allow('foreign data wrapper', identity);
    } catch (error) {
      if (isFromExtension(statement, error)) return;
      throw this.#failure(statement.subject, error);
    }
  }

  /**
   * Checks that the new cluster doesn't have a placeholder instead of an extension.
   *
   * @throws {UpgradeError} extension_missing
   */
  async #requireExtension(identity: string): Promise<void> {
    const versionIn = async (session: CopySession): Promise<string | undefined> => {
      const [found] = await session.query<{ version: string }>(
        sql`select extversion as version from pg_catalog.pg_extension where quote_ident(extname) = ${identity}`,
      );
      return found?.version;
    };
    const version = await versionIn(this.#source);
    if (version === placeholderVersion) return;
    if ((await versionIn(await this.#targets.of())) === placeholderVersion)
      throw new UpgradeError('extension_missing', {
        extension: identity,
        version,
        database: this.#options.database,
      });
  }

  #failure(subject: string, error: unknown): unknown {
    if (error instanceof UpgradeError || this.#options.signal.aborted) return error;
    const { message, detail, where } = error as PostgresErrorShape & { where?: string };
    const reason = [message, detail, where?.split('\n')[0]].filter(Boolean).join('; ');
    return new UpgradeError('statement_failed', { subject, database: this.#options.database, reason }, error);
  }

  #roleOf(role: string | undefined): string | undefined {
    return role === undefined || isSuperuser(this.#options.roles, role) ? undefined : role;
  }

  /** Allows a role to create its objects in every schema. */
  async #admit(role: string): Promise<void> {
    if (this.#owners.has(role)) return;
    this.#owners.add(role);
    const admin = await this.#targets.of();
    await admin.exec(`grant ${moverRole} to ${quoteIdentifier(role)} with inherit true`);
  }

  async #allow(kind: string, identity: string): Promise<void> {
    const admin = await this.#targets.of();
    await admin.exec(`grant ${kind === 'schema' ? 'all' : 'usage'} on ${kind} ${identity} to ${moverRole}`);
  }

  async #forbid(admin: CopySession): Promise<void> {
    await admin.exec(`drop owned by ${moverRole}; drop role ${moverRole}`);
  }

  /**
   * Creates an extension. If the owner may not create the extension, the superuser creates it and the catalogs are
   * changed to name the owner. PostgreSQL doesn't have a statement that changes the owner of an extension.
   */
  async #createExtension(text: string, identity: string, role: string): Promise<void> {
    const session = await this.#targets.of(role);
    try {
      await session.exec(text);
      return;
    } catch (error) {
      if ((error as PostgresErrorShape).code !== '42501') throw error;
    }
    const admin = await this.#targets.of();
    await admin.exec(text);
    if (!/^CREATE EXTENSION/.test(text)) return;
    await admin.exec(`begin; set local allow_system_table_mods = on;
      update pg_catalog.pg_extension set extowner = ${quoteIdentifierAsRole(role)} where quote_ident(extname) = '${identity.replaceAll("'", "''")}';
      insert into pg_catalog.pg_shdepend (dbid, classid, objid, objsubid, refclassid, refobjid, deptype)
        select d.oid, 'pg_catalog.pg_extension'::pg_catalog.regclass, e.oid, 0, 'pg_catalog.pg_authid'::pg_catalog.regclass, e.extowner, 'o'
        from pg_catalog.pg_extension e, pg_catalog.pg_database d
        where quote_ident(e.extname) = '${identity.replaceAll("'", "''")}' and d.datname = current_database();
      commit`);
  }

  async #copyData(admin: CopySession): Promise<void> {
    const { tables, memberTables } = this.#plan;
    const moved = tables.filter(({ table }) => table !== movedGuard);
    for (const [index, table] of moved.entries())
      await this.#copyTable(table, `${table.table} (${index + 1} of ${moved.length})`);
    await this.#copyMemberTables(admin, memberTables);
    for await (const statement of this.#plan.sequences())
      await this.#run({ text: statement, subject: 'A sequence value' });
    for await (const statement of this.#plan.largeObjects())
      await this.#run({ text: statement, subject: 'A large object' });
  }

  /**
   * Fills a table as its owner, so that functions in check constraints and generated columns run with the owner's
   * privileges. The same transaction truncates the table, so that PostgreSQL writes its pages only once, already frozen
   * and without WAL.
   */
  async #copyTable(data: TableData, label: string): Promise<void> {
    const role = this.#roleOf(data.owner);
    if (role !== undefined) await this.#admit(role);
    const session = await this.#targets.of(role);
    const { roles, database } = this.#options;
    const path = role === undefined ? undefined : searchPathOf(roles, role, database);
    try {
      // Functions in constraints and generated columns may rely on the search path of the owner's sessions.
      if (path !== undefined)
        await session.query(sql`select pg_catalog.set_config('search_path', ${path}, false)`);
      await session.exec(`begin; truncate only ${data.table}`);
      await this.#copy(session, data, label, ' with (freeze)');
      await session.exec("commit; set search_path = ''");
    } catch (error) {
      throw this.#failure(`TABLE ${data.table}`, error);
    }
  }

  /** Fills the tables that were created by extensions. These tables already have foreign keys and triggers. */
  async #copyMemberTables(admin: CopySession, tables: readonly TableData[]): Promise<void> {
    if (tables.length === 0) return;
    await admin.exec('set session_replication_role = replica');
    for (const data of tables) {
      try {
        await admin.exec(`delete from only ${data.table}`);
        await this.#copy(admin, data, data.table, '');
      } catch (error) {
        throw this.#failure(`TABLE ${data.table}`, error);
      }
    }
    await admin.exec('reset session_replication_role');
  }

  async #copy(
    session: CopySession,
    { table, columns }: TableData,
    label: string,
    options: string,
  ): Promise<void> {
    const names = columns.length === 0 ? '' : ` (${columns.join(', ')})`;
    let reportedAt = performance.now();
    const copied = await copyTable(
      this.#source,
      session,
      { from: `copy ${table}${names} to stdout`, to: `copy ${table}${names} from stdin${options}` },
      ({ rows, bytes }) => {
        const now = performance.now();
        if (now - reportedAt < progressIntervalMs) return;
        reportedAt = now;
        this.#options.onProgress(
          `Copying ${label}: ${rows.toLocaleString('en-US')} rows, ${megabytes(bytes)}`,
        );
      },
    );
    this.#copied.set(table, copied);
    this.#rows += copied.rows;
    this.#bytes += copied.bytes;
  }
}

/** An extension creates its tables together with their triggers, policies and rules. */
const isFromExtension = ({ kind = 'TABLE' }: MoveStatement, error: unknown): boolean =>
  ['TRIGGER', 'POLICY', 'RULE'].includes(kind) && (error as PostgresErrorShape).code === '42710';

const quoteIdentifierAsRole = (role: string): string =>
  `(select oid from pg_catalog.pg_authid where rolname = '${role.replaceAll("'", "''")}')`;

export const megabytes = (bytes: number): string => `${(bytes / 1024 / 1024).toFixed(1)} MB`;
