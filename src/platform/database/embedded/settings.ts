/** Generates the text of the server's two configuration files, postgresql.conf and pg_hba.conf. */
import { delimiter, join } from 'node:path';
import { quoteIdentifier } from '../../../base/kernel/sql.ts';
import { DatabaseError } from '../errors.ts';

export interface ServerSettings {
  readonly port: number;
  /** The address on which the server listens. Null disables TCP. */
  readonly listenAddress: string | null;
  readonly socketDir: string | null;
  /**
   * Folders that contain an `extension/` folder with control files. PostgreSQL searches these folders before its own
   * extension folder.
   */
  readonly extensionDirs: readonly string[];
  /** Folders that contain libraries of extensions. PostgreSQL searches them after its own folder. */
  readonly libraryDirs?: readonly string[];
  /** Libraries that PostgreSQL loads when it starts, in addition to its own. */
  readonly preload?: readonly string[];
  /**
   * Whether data must survive a crash. False for disposable clusters, in which fsync is disabled and many slots and
   * connections are allowed.
   */
  readonly durable: boolean;
  /** The size of the disk that contains the data. On a small disk, the size of the WAL is limited. */
  readonly diskBytes: number;
  /** The settings in `[db.settings]` of config.toml, which override all other settings. */
  readonly extra: Readonly<Record<string, string | number | boolean>>;
}

/** Returns the complete postgresql.conf. The file is rewritten at every start, so manual changes are lost. */
export function postgresqlConf(settings: ServerSettings): string {
  const values: Record<string, string | number | boolean> = {
    listen_addresses: settings.listenAddress ?? '',
    port: settings.port,
    // The value of this setting is a list of folders, so the path is quoted in case it contains a comma.
    unix_socket_directories: settings.socketDir === null ? '' : quoteIdentifier(settings.socketDir),
    unix_socket_permissions: '0700',
    timezone: 'UTC',
    log_timezone: 'UTC',
    datestyle: 'iso, mdy',
    lc_messages: 'C',
    // Without this setting, initdb chooses `simple` because of the locale C. Full-text search without a configuration
    // must find the same rows as on the hosted service.
    default_text_search_config: 'pg_catalog.english',
    password_encryption: 'scram-sha-256',

    // These defaults suit a developer's machine. With these settings, PostgreSQL uses little memory until more is
    // needed and doesn't start idle helper processes.
    shared_buffers: '64MB',
    io_method: 'sync',
    huge_pages: false,
    // These values match those of the server in upstream's local stack, so that query plans and the settings in EXPLAIN
    // are the same.
    effective_cache_size: '128MB',

    // Realtime uses logical decoding, which requires this setting.
    wal_level: 'logical',
    max_wal_senders: 10,
    max_replication_slots: 10,
    ...walSizes(settings.diskBytes),

    fsync: true,
    synchronous_commit: true,

    shared_preload_libraries: ['pg_stat_statements', ...(settings.preload ?? [])].join(','),
    extension_control_path: [...settings.extensionDirs, '$system'].join(delimiter),
    dynamic_library_path: [
      ...settings.extensionDirs.map((folder) => join(folder, 'lib')),
      '$libdir',
      ...(settings.libraryDirs ?? []),
    ].join(delimiter),

    // This process reads the server's messages from stderr. Clients receive errors over their own connections.
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
 * Returns the complete pg_hba.conf. Every login requires a password, even on the socket. Modules such as dblink connect
 * from within the server as the server's operating system user, so with `trust` or `peer`, SQL could gain superuser
 * privileges. If the server has a socket, the superuser can't connect over TCP. Logical replication connections
 * (`replication=database`) match the lines for ordinary connections, and physical replication connections are rejected.
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

/**
 * Returns pg_hba.conf and pg_ident.conf for a cluster whose passwords aren't known. Only the operating system user
 * `systemUser` can connect, and only as the superuser `role`.
 */
export const peerOnly = (
  systemUser: string,
  role: string,
): { readonly hba: string; readonly ident: string } => ({
  hba: `local all ${role} peer map=plinth\n`,
  ident: `plinth "${systemUser.replaceAll('"', '""')}" ${role}\n`,
});

/**
 * Returns the WAL limits, which are PostgreSQL's defaults and a limit for slots. On a small disk, WAL between
 * checkpoints is limited to a tenth of the disk, and WAL that a slot retains is limited to a quarter of the disk.
 */
function walSizes(diskBytes: number): Record<string, string> {
  const diskMb = Math.floor(diskBytes / 1024 / 1024);
  const within = (min: number, value: number, max: number): string =>
    `${Math.min(max, Math.max(min, Math.floor(value)))}MB`;
  return {
    max_wal_size: within(32, diskMb / 10, 1024),
    min_wal_size: within(32, diskMb / 20, 80),
    max_slot_wal_keep_size: within(64, diskMb / 4, 4096),
  };
}

/** Formats a value for postgresql.conf. Quoted strings support backslash escapes and must not contain line breaks. */
function quote(value: string | number | boolean): string {
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  return `'${String(value)
    .replaceAll('\\', '\\\\')
    .replaceAll("'", "''")
    .replaceAll(/[\n\r\0]/g, ' ')}'`;
}
