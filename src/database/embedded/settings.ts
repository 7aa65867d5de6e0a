/** The server's two configuration files as text. Pure: what is asked for in, file content out. */
import { delimiter } from 'node:path';
import { quoteIdentifier } from '../../kernel/sql.ts';
import { DatabaseError } from '../errors.ts';

export interface ServerSettings {
  readonly port: number;
  /** Null: no TCP at all. */
  readonly listenAddress: string | null;
  readonly socketDir: string | null;
  /** Folders with an `extension/` folder of control files, before the stock ones. */
  readonly extensionDirs: readonly string[];
  /** False for throw-away clusters: no fsync, many slots and connections. */
  readonly durable: boolean;
  /** `[db.settings]` of config.toml; the last word. */
  readonly extra: Readonly<Record<string, string | number | boolean>>;
}

/** The whole postgresql.conf; it is written anew at every start, so nothing in it is edited by hand. */
export function postgresqlConf(settings: ServerSettings): string {
  const values: Record<string, string | number | boolean> = {
    listen_addresses: settings.listenAddress ?? '',
    port: settings.port,
    // A list: quoted, so that a comma in the path divides nothing.
    unix_socket_directories: settings.socketDir === null ? '' : quoteIdentifier(settings.socketDir),
    unix_socket_permissions: '0700',
    timezone: 'UTC',
    log_timezone: 'UTC',
    datestyle: 'iso, mdy',
    lc_messages: 'C',
    password_encryption: 'scram-sha-256',

    // A laptop: little memory until it is needed, and no processes that wait for work that never comes.
    shared_buffers: '64MB',
    io_method: 'sync',
    huge_pages: false,
    // What the local stack's server says, so that plans and EXPLAIN's list of settings are alike.
    effective_cache_size: '128MB',

    // Logical decoding for realtime.
    wal_level: 'logical',
    max_wal_senders: 10,
    max_replication_slots: 10,
    max_slot_wal_keep_size: '4GB',

    fsync: true,
    synchronous_commit: true,

    shared_preload_libraries: 'pg_stat_statements',
    extension_control_path: [...settings.extensionDirs, '$system'].join(delimiter),

    // The process that starts the server reads its messages; clients hear of their own errors themselves.
    log_destination: 'stderr',
    logging_collector: false,
    log_min_messages: 'log',
    log_checkpoints: false,
  };
  if (!settings.durable) {
    Object.assign(values, {
      fsync: false,
      synchronous_commit: false,
      full_page_writes: false,
      max_connections: 300,
      max_replication_slots: 64,
      max_wal_senders: 64,
      autovacuum: false,
    });
  }
  for (const [name, value] of Object.entries(settings.extra)) {
    if (!/^[a-z_][a-z0-9_]*(\.[a-z_][a-z0-9_]*)*$/i.test(name)) {
      throw new DatabaseError('start_failed', {
        reason: `"${name}" under [db.settings] is no name of a setting`,
      });
    }
    values[name] = value;
  }
  return `${Object.entries(values)
    .map(([name, value]) => `${name} = ${quote(value)}`)
    .join('\n')}\n`;
}

/**
 * Every login needs its password, on the socket too: dblink and the like connect from inside the server, as its own user of the
 * machine, so neither `trust` nor `peer` would keep SQL apart from the superuser. The superuser is for the socket alone where there
 * is one. Logical replication in database mode is matched by the ordinary lines, physical replication by nothing else.
 */
export function pgHbaConf({ superuserOverTcp }: { readonly superuserOverTcp: boolean }): string {
  return [
    'local replication all reject',
    'host replication all all reject',
    'local all all scram-sha-256',
    ...(superuserOverTcp ? [] : ['host all supabase_admin all reject']),
    'host all all all scram-sha-256',
    '',
  ].join('\n');
}

/** The file's quoted strings know backslash escapes, and end at a line break. */
function quote(value: string | number | boolean): string {
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  return `'${String(value)
    .replaceAll('\\', '\\\\')
    .replaceAll("'", "''")
    .replaceAll(/[\n\r\0]/g, ' ')}'`;
}
