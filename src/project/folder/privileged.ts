/**
 * Runs the statements of a migration that require a superuser (`core/privileged.ts`) inside the user's own transaction.
 * Each of these statements runs in a security definer function that is created for this purpose and dropped at the end.
 * `postgres` becomes the owner of the created event triggers and publications, so later migrations can alter and drop
 * them.
 */

import { quoteIdentifier, quoteLiteral, sql } from '../../base/kernel/sql.ts';
import { extensionAmendment } from '../../platform/database/index.ts';
import type { Database, Queryable } from '../../platform/database/types.ts';
import type { PlannedStatement } from './core/plan.ts';
import type { Privileged } from './core/privileged.ts';

export interface PrivilegedRunner {
  /** Creates the functions in a separate transaction, before the user's transaction begins. */
  prepare(statements: readonly PlannedStatement[]): Promise<void>;
  /** Runs one of the prepared statements in the user's transaction. */
  run(tx: Queryable, statement: PlannedStatement): Promise<void>;
  /** Drops the functions of this run, and the functions that killed processes left behind. */
  cleanUp(): Promise<void>;
}

const functionName = (index: number) => `_plinth.${quoteIdentifier(`project_step_${index}`)}`;

export interface PrivilegedOptions {
  /** The role that runs the statements in the file. */
  readonly role: string;
  /** In production, the user's event triggers are created but disabled. */
  readonly mode: 'development' | 'production';
}

export function createPrivilegedRunner(database: Database, options: PrivilegedOptions): PrivilegedRunner {
  const admin = database.pool('supabase_admin');
  let used = false;
  return {
    async prepare(statements) {
      for (const { index, privileged } of statements) {
        if (privileged === undefined) continue;
        used = true;
        await admin.exec(definition(index, privileged, options, database.info.serverVersion));
      }
    },
    async run(tx, { index, text }) {
      // If the file has switched to a different role, the statement is sent unchanged, and PostgreSQL rejects it.
      const isOwnRole = await isSessionRole(tx);
      await tx.exec(isOwnRole ? `select ${functionName(index)}()` : text);
    },
    async cleanUp() {
      if (!used) return;
      used = false;
      await dropLeftovers(admin);
    },
  };
}

async function isSessionRole(tx: Queryable): Promise<boolean> {
  const [row] = await tx.query<{ current: string; session: string }>(
    sql`select current_user::text as current, session_user::text as session`,
  );
  return row !== undefined && row.current === row.session;
}

/** Drops functions that remain because a process was killed while it ran a file. */
export async function dropLeftovers(admin: Queryable): Promise<void> {
  const rows = await admin.query<{ name: string }>(sql`
    select p.oid::regprocedure::text as name from pg_catalog.pg_proc p
    where p.pronamespace = to_regnamespace('_plinth') and p.proname like 'project\\_step\\_%'`);
  for (const { name } of rows) await admin.exec(`drop function ${name}`);
}

function definition(
  index: number,
  privileged: Privileged,
  options: PrivilegedOptions,
  serverVersion: number,
): string {
  const owner = quoteIdentifier(options.role);
  const body = bodyOf(privileged, options, serverVersion);
  // Disables event triggers, because the user's event triggers would run with Plinth's privileges.
  const silence = serverVersion >= 170_000 ? 'event_triggers = off' : 'session_replication_role = replica';
  return `begin;
set local ${silence};
create or replace function ${functionName(index)}() returns void
language plpgsql security definer set ${silence} as ${quoteLiteral(body)};
revoke all on function ${functionName(index)}() from public;
grant execute on function ${functionName(index)}() to ${owner};
commit`;
}

function bodyOf(privileged: Privileged, options: PrivilegedOptions, serverVersion: number): string {
  if (privileged.object === 'extension') return extensionBody(privileged);
  if (privileged.isChange) return changeBody(privileged, options);
  if (privileged.object === 'event trigger' && serverVersion < 170_000) return disabledBody(privileged);
  return ownerBody(privileged, options);
}

function ownerBody({ object, name, text }: Privileged, { role, mode }: PrivilegedOptions): string {
  const owner = quoteIdentifier(role);
  const disable =
    object === 'event trigger' && mode === 'production' ? `alter event trigger ${name} disable;` : '';
  // When an object's owner changes, PostgreSQL requires that both the old and the new owner are superusers. Other
  // sessions never see the role as a superuser, because the superuser attribute is removed before the transaction
  // commits.
  return `begin
  ${text};
  ${disable}
  alter role ${owner} superuser;
  alter ${object} ${name} owner to ${owner};
  alter role ${owner} nosuperuser;
end`;
}

/**
 * Changes a publication if the role owns it. Names include their schema because operators and functions are looked up
 * with the file's search path.
 */
function changeBody({ name, text }: Privileged, { role }: PrivilegedOptions): string {
  const publication = name.startsWith('"') ? name.slice(1, -1) : name.toLowerCase();
  return `begin
  if exists (
    select from pg_catalog.pg_publication p
    where p.pubname operator(pg_catalog.=) ${quoteLiteral(publication)}::pg_catalog.name
      and not pg_catalog.pg_has_role(${quoteLiteral(role)}::pg_catalog.name, p.pubowner, 'usage'::pg_catalog.text)
  ) then
    raise insufficient_privilege using message = ${quoteLiteral(`must be owner of publication ${publication}`)};
  end if;
  ${text};
end`;
}

/**
 * Creates an event trigger that never runs. Before PostgreSQL 17, no setting turns off event triggers that are enabled
 * with ALWAYS, so they would also run in superuser sessions. The superuser remains the owner because an owner can enable
 * the trigger.
 */
const disabledBody = ({ name, text }: Privileged): string => `begin
  ${text};
  alter event trigger ${name} disable;
end`;

/**
 * Creates or drops the extension. After the creation, makes the changes that Plinth also makes on the embedded server.
 * As on the hosted service, the extension belongs to the superuser. CREATE EXTENSION chooses the schema with the file's search path. Under this
 * path, a type or an operator could be the project's and would run as the superuser, so the function uses neither until
 * it has replaced the path. The changes run with the extension's schema as search path, as the extension's script does.
 */
function extensionBody({ name, text }: Privileged): string {
  const extension = name.slice(1, -1);
  const amendment = text.startsWith('drop') ? undefined : extensionAmendment(extension);
  const setPath = (path: string) => `perform pg_catalog.set_config('search_path', ${path}, true);`;
  const amend = `${setPath("'pg_catalog, pg_temp'")}
  ${setPath(`(
    select quote_ident(n.nspname) from pg_extension e join pg_namespace n on n.oid = e.extnamespace
    where e.extname = ${quoteLiteral(extension)})`)}
  execute ${quoteLiteral(amendment ?? '')};
  ${setPath('previous_path')}`;
  return `declare
  previous_path constant pg_catalog.text := pg_catalog.current_setting('search_path');
begin
  ${text};
  ${amendment === undefined ? '' : amend}
end`;
}

/** Disables the user's event triggers under `serve`, including event triggers that were created under `start`. */
export async function disableUserEventTriggers(admin: Queryable): Promise<string[]> {
  const rows = await admin.query<{ name: string }>(sql`
    select t.evtname as name from pg_catalog.pg_event_trigger t
    join pg_catalog.pg_roles r on r.oid = t.evtowner
    where t.evtenabled <> 'D' and not r.rolsuper`);
  for (const { name } of rows) await admin.exec(`alter event trigger ${quoteIdentifier(name)} disable`);
  return rows.map(({ name }) => name);
}
