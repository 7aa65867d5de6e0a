/**
 * Defines the settings of Plinth's superuser sessions. The role `postgres` owns the database, so a project can set the
 * database's default settings. Settings that the client sends when it opens the session override these defaults. See
 * docs/decisions/0032-superuser-sessions.md.
 */

/**
 * With this search path, names refer only to PostgreSQL's own objects, even if a project's schema contains a better
 * match.
 */
export const superuserSearchPath = 'pg_catalog, pg_temp';

/**
 * The settings for the account that applies Plinth's numbered SQL files, whether or not this account is a superuser.
 */
export const ownSessionSettings: Readonly<Record<string, string>> = {
  search_path: superuserSearchPath,
  default_transaction_read_only: 'off',
};

/**
 * Returns the settings of a superuser session. Event triggers are disabled, because a project's event triggers would
 * run with Plinth's privileges. The setting `event_triggers` was added in PostgreSQL 17.
 */
export const superuserSettings = (serverVersion: number): Readonly<Record<string, string>> => ({
  ...ownSessionSettings,
  session_replication_role: 'origin',
  ...(serverVersion >= 170_000 ? { event_triggers: 'off' } : {}),
});
