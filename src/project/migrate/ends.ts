/** Opens the sessions on source and target with the same settings, so that equal rows have equal text. */
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from '../../base/kernel/sql.ts';
import { sessionSettings } from '../../operations/dump/index.ts';
import { type CopySession, openOtherSession } from '../../platform/database/index.ts';
import { MigrateError } from './errors.ts';
import type { End, EndFacts, EndOptions } from './types.ts';

/**
 * Opens the source. The source's transaction reads one snapshot and is read-only, so code in the source's schema can't
 * make this session change anything.
 */
export async function openSource(options: EndOptions): Promise<End> {
  const end = await openEnd(options);
  await end.session.exec('begin isolation level repeatable read read only');
  return end;
}

/** Opens the target for one migration at a time. @throws {MigrateError} superuser, busy */
export async function openTarget(options: EndOptions): Promise<End> {
  const end = await openEnd(options);
  const { user, isSuperuser } = end.facts;
  if (!isSuperuser && (await lockTarget(end.session))) return end;
  end.session.destroy();
  throw isSuperuser ? new MigrateError('superuser', { user, end: options.name }) : new MigrateError('busy');
}

/**
 * The time limit for acquiring the lock. After a process is killed, the database server may need a moment to end the
 * process's session.
 */
const lockTimeoutMs = 30_000;
const lockPauseMs = 200;

async function lockTarget({ query }: CopySession): Promise<boolean> {
  for (const startedAt = performance.now(); ; ) {
    const [row] = await query<{ free: boolean }>(
      sql`select pg_try_advisory_lock(hashtextextended('plinth migrate', 0)) as free`,
    );
    if (row?.free === true) return true;
    if (performance.now() - startedAt > lockTimeoutMs) return false;
    await sleep(lockPauseMs);
  }
}

async function openEnd({ name, databaseUrl, password, storage }: EndOptions): Promise<End> {
  const session = await openOtherSession(databaseUrl, { password });
  try {
    await session.exec(sessionSettings);
    return { name, session, storage, facts: await readFacts(session) };
  } catch (error) {
    session.destroy();
    throw error;
  }
}

async function readFacts(session: CopySession): Promise<EndFacts> {
  const [row] = await session.query<{ user: string; isSuperuser: boolean }>(sql`
    select current_user::text as user, rolsuper as "isSuperuser" from pg_catalog.pg_roles where rolname = current_user`);
  const extensions = await session.query<{ name: string; isInstalled: boolean }>(sql`
    select name::text, installed_version is not null as "isInstalled" from pg_catalog.pg_available_extensions`);
  const installed = await session.query<{ name: string }>(
    sql`select extname::text as name from pg_catalog.pg_extension`,
  );
  return {
    user: row?.user ?? '',
    isSuperuser: row?.isSuperuser ?? false,
    canReplicate: await canReplicate(session),
    extensions: new Set(installed.map(({ name }) => name)),
    availableExtensions: new Set(extensions.map(({ name }) => name)),
  };
}

async function canReplicate(session: CopySession): Promise<boolean> {
  try {
    await session.exec('begin; set local session_replication_role = replica');
    return true;
  } catch {
    return false;
  } finally {
    await session.exec('rollback');
  }
}

/**
 * Runs `work` in a transaction on the target. Triggers and foreign keys are disabled if the account is allowed to
 * disable them.
 */
export async function inTransaction<T>({ session, facts }: End, work: () => Promise<T>): Promise<T> {
  // A storage trigger rejects the deletion of rows unless this setting allows it. The storage server uses the same
  // setting.
  const settings = [
    "set local storage.allow_delete_query = 'true'",
    ...(facts.canReplicate ? ['set local session_replication_role = replica'] : []),
  ];
  await session.exec(['begin', ...settings].join('; '));
  try {
    const result = await work();
    await session.exec('commit');
    return result;
  } catch (error) {
    if (session.isOpen()) await session.exec('rollback');
    throw error;
  }
}
