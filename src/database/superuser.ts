/**
 * How our superuser sessions begin. `postgres` owns the database, so a project may give it settings of its own; what a
 * client sends when it signs in comes after those. See docs/decisions/0032-superuser-sessions.md.
 */

/** Names mean PostgreSQL's own objects: a better match in a schema of a project's is never considered. */
export const superuserSearchPath = 'pg_catalog, pg_temp';

/** For the account of our numbered files, a superuser or not. */
export const ownSessionSettings: Readonly<Record<string, string>> = {
  search_path: superuserSearchPath,
  default_transaction_read_only: 'off',
};

/** The event triggers of a project would run with our rights; the setting is PostgreSQL 17's. */
export const superuserSettings = (serverVersion: number): Readonly<Record<string, string>> => ({
  ...ownSessionSettings,
  session_replication_role: 'origin',
  ...(serverVersion >= 170_000 ? { event_triggers: 'off' } : {}),
});
