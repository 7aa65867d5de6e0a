/** Generates the server's two configuration files. Pure. */
import { delimiter } from 'node:path';
import { quoteIdentifier } from '../../kernel/sql.ts';
import { DatabaseError } from '../errors.ts';

export interface ServerSettings {
  readonly port: number;
  /** Null disables TCP. */
  readonly listenAddress: string | null;
  readonly socketDir: string | null;
  /** Folders that contain an `extension/` folder with control files. They are searched before the stock folder. */
  readonly extensionDirs: readonly string[];
  /** False for disposable clusters, which disable fsync and allow many slots and connections. */
  readonly durable: boolean;
  /** `[db.settings]` from config.toml. They override all other settings. */
  readonly extra: Readonly<Record<string, string | number | boolean>>;
}

/** Returns the complete postgresql.conf. It is rewritten at every start, so manual edits are lost. */
export function postgresqlConf(settings: ServerSettings): string {
  const values: Record<string, string | number | boolean> = {
    listen_addresses: settings.listenAddress ?? '',
    port: settings.port,
    // The value is a list, so it is quoted in case the path contains a comma.
    unix_socket_directories: settings.socketDir === null ? '' : quoteIdentifier(settings.socketDir),
    unix_socket_permissions: '0700',
    timezone: 'UTC',
    log_timezone: 'UTC',
    datestyle: 'iso, mdy',
    lc_messages: 'C',
    password_encryption: 'scram-sha-256',

    // Defaults for a developer's machine: little memory until it is needed, and no idle helper processes.
    shared_buffers: '64MB',
    io_method: 'sync',
    huge_pages: false,
    // The values from the local stack's server, so that plans and the settings in EXPLAIN are the same.
    effective_cache_size: '128MB',

    // Required for logical decoding, which realtime uses.
    wal_level: 'logical',
    max_wal_senders: 10,
    max_replication_slots: 10,
    max_slot_wal_keep_size: '4GB',

    fsync: true,
    synchronous_commit: true,

    shared_preload_libraries: 'pg_stat_statements',
    extension_control_path: [...settings.extensionDirs, '$system'].join(delimiter),

    // The parent process reads the server's messages. Clients receive their own errors.
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
        reason: `"${name}" under [db.settings] isn't a setting name`,
      });
    }
    values[name] = value;
  }
  return `${Object.entries(values)
    .map(([name, value]) => `${name} = ${quote(value)}`)
    .join('\n')}\n`;
}

/**
 * Every login requires a password, even on the socket. dblink and similar modules connect from within the server as the
 * server's operating system user, so neither `trust` nor `peer` would prevent SQL from becoming the superuser. If there
 * is a socket, the superuser can only use the socket. Logical replication in database mode matches the ordinary lines.
 * No line matches physical replication.
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

/** Quoted strings in this file support backslash escapes and must not contain line breaks. */
function quote(value: string | number | boolean): string {
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  return `'${String(value)
    .replaceAll('\\', '\\\\')
    .replaceAll("'", "''")
    .replaceAll(/[\n\r\0]/g, ' ')}'`;
}
