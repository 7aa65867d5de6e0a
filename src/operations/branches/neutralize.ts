/**
 * Removes everything from a copied database with which a client of the branch could act in the project, or that the
 * branch can't use: sessions, tokens, codes, operators, vault secrets, and the logins of other databases. The rest of the
 * data stays.
 */
import { type Sql, sql } from '../../base/kernel/sql.ts';
import type { Database, Queryable } from '../../platform/database/types.ts';

/** Tables of Plinth's own schema. Only Plinth can change them, so no trigger of the project runs. */
const ownTables = [
  // With their sessions, links, second factors, tokens, agents and private queries.
  '_plinth.operators',
  '_plinth.account_sessions',
  '_plinth.account_waiting_windows',
  '_plinth.captured_messages',
  '_plinth.known_devices',
  '_plinth.resumable_uploads',
  '_plinth.user_event_endpoints',
  '_plinth.user_event_deliveries',
  '_plinth.user_events',
  '_plinth.group_state',
  '_plinth.group_nodes',
  '_plinth.realtime_nodes',
  // The statements that ran in the project.
  '_plinth.history_samples',
  '_plinth.history_statements',
  '_plinth.history_marks',
  '_plinth.history_sampler',
  // Rows as they were in the project, with values that a branch masks.
  '_plinth.undo_entries',
];

/** Sessions, tokens and codes of users. Refresh tokens and codes are valid in the project until they are used. */
const authTables = [
  'auth.refresh_tokens',
  'auth.mfa_amr_claims',
  'auth.sessions',
  'auth.one_time_tokens',
  'auth.flow_state',
  'auth.oauth_authorizations',
  'auth.oauth_client_states',
  'auth.mfa_challenges',
  'auth.webauthn_challenges',
  'auth.saml_relay_states',
];

/** Vault secrets, and requests that were never sent, which usually contain a key. */
const secretTables = ['vault.secrets', 'net.http_request_queue'];

/** The secrets with which the project identifies itself to its users' other accounts. */
const providerSecrets: Sql = sql`update auth.custom_oauth_providers set client_secret = ''`;

const userTokens: Sql = sql`
  update auth.users set confirmation_token = '', recovery_token = '', email_change_token_new = '',
    email_change_token_current = '', phone_change_token = '', reauthentication_token = ''
  where concat(confirmation_token, recovery_token, email_change_token_new, email_change_token_current,
    phone_change_token, reauthentication_token) <> ''`;

/**
 * Disables the subscriptions of all databases of the cluster, and removes their slots and passwords. A subscription of the
 * copy would use the project's slot, so that changes would reach the branch instead of the project. `alter subscription`
 * can't change the subscriptions of other databases.
 */
const subscriptions: Sql = sql`
  update pg_catalog.pg_subscription set subenabled = false, subslotname = null, subconninfo = ''`;

/** The statements that remove the logins with which foreign tables read and write other servers. */
const mappings: Sql = sql`
  select pg_catalog.format('drop user mapping for %s server %I',
    case when umuser operator(pg_catalog.=) 0 then 'public' else pg_catalog.quote_ident(usename) end, srvname) as statement
  from pg_catalog.pg_user_mappings`;

/**
 * The statements that remove the project's JWT secret from the settings that every role can read. The branch's server
 * replaces only its own secret and the secrets that are public.
 */
const secretSettings: Sql = sql`
  select case
      when setrole operator(pg_catalog.=) 0 then pg_catalog.format('alter database %I', datname)
      when setdatabase operator(pg_catalog.=) 0 then pg_catalog.format('alter role %I', rolname)
      else pg_catalog.format('alter role %I in database %I', rolname, datname)
    end operator(pg_catalog.||) ' reset "app.settings.jwt_secret"' as statement
  from pg_catalog.pg_db_role_setting s
    left join pg_catalog.pg_database d on d.oid operator(pg_catalog.=) setdatabase
    left join pg_catalog.pg_roles r on r.oid operator(pg_catalog.=) setrole
  where exists (select from pg_catalog.unnest(s.setconfig) setting
    where pg_catalog.starts_with(setting, 'app.settings.jwt_secret='))`;

/** Removes what only a superuser may remove for all owners and roles. */
const removeLogins = (database: Pick<Database, 'pool'>): Promise<void> =>
  database.pool('supabase_admin').transaction(async (tx) => {
    await tx.query(sql`set local allow_system_table_mods = on`);
    await tx.query(subscriptions);
    for (const found of [mappings, secretSettings])
      for (const { statement } of await tx.query<{ statement: string }>(found))
        await tx.query(sql`${sql.raw(statement)}`);
  });

export async function neutralize(database: Pick<Database, 'pool'>): Promise<void> {
  await emptyTables(database, ownTables);
  await removeLogins(database);
  await withoutTriggers(database, async (tx) => {
    for (const table of authTables)
      if (await exists(tx, table)) await tx.query(sql`delete from ${sql.raw(table)}`);
    await tx.query(userTokens);
    for (const table of secretTables)
      if (await exists(tx, table)) await tx.query(sql`delete from ${sql.raw(table)}`);
    if (await exists(tx, 'auth.custom_oauth_providers')) await tx.query(providerSecrets);
  });
}

/** Empties tables of Plinth's own schema, which only Plinth's superuser may do. */
export const emptyTables = (database: Pick<Database, 'pool'>, tables: readonly string[]): Promise<void> =>
  database.pool('supabase_admin').transaction(async (tx) => {
    for (const table of tables)
      if (await exists(tx, table)) await tx.query(sql`truncate ${sql.raw(table)} cascade`);
  });

/**
 * Runs statements as `postgres`, the role of the project's own migrations. Triggers, which could send requests or fail
 * for the changed rows, don't run, and neither do the actions of foreign keys.
 */
export const withoutTriggers = (
  database: Pick<Database, 'pool'>,
  work: (tx: Queryable) => Promise<void>,
): Promise<void> =>
  database.pool('postgres').transaction(async (tx) => {
    await tx.query(sql`set local session_replication_role = replica`);
    await tx.query(sql`set local search_path = pg_catalog, pg_temp`);
    await work(tx);
  });

export async function exists(tx: Queryable, table: string): Promise<boolean> {
  const [row] = await tx.query<{ found: boolean }>(
    sql`select pg_catalog.to_regclass(${table}) is not null as found`,
  );
  return row?.found === true;
}
