/**
 * Settings with which Plinth's superuser sessions start. `postgres` owns the database, so a project can set defaults
 * for it, but settings that the client sends on sign-in override those. See docs/decisions/0032-superuser-sessions.md.
 */

/** Names refer to PostgreSQL's own objects. A better match in a project's schema is never considered. */
export const superuserSearchPath = 'pg_catalog, pg_temp';

/** Settings for the account that applies Plinth's numbered SQL files, whether or not it is a superuser. */
export const ownSessionSettings: Readonly<Record<string, string>> = {
  search_path: superuserSearchPath,
  default_transaction_read_only: 'off',
};

/** A project's event triggers would run with Plinth's privileges. The setting was added in PostgreSQL 17. */
export const superuserSettings = (serverVersion: number): Readonly<Record<string, string>> => ({
  ...ownSessionSettings,
  session_replication_role: 'origin',
  ...(serverVersion >= 170_000 ? { event_triggers: 'off' } : {}),
});
