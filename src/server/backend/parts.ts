/** Reads the options, and creates the objects that all parts of the server share. */
import { join, resolve } from 'node:path';
import { type Logger, silentLogger } from '../../base/kernel/log.ts';
import { thisMachine } from '../../base/shared/machine.ts';
import {
  type Config,
  ConfigError,
  createLiveConfig,
  type LiveConfig,
  type LiveConfigOwner,
  noticeText,
  savedDirOf,
  shellEnvironment,
} from '../../platform/config/index.ts';
import { createDatabase, type DatabaseOptions } from '../../platform/database/index.ts';
import type { Database } from '../../platform/database/types.ts';
import { type GroupState, localState } from '../../platform/group/types.ts';
import { createKeys, type KeyStore } from '../../platform/keys/index.ts';
import {
  createTelemetry,
  createTraceExporter,
  type Telemetry,
  type TraceExporter,
} from '../../platform/telemetry/index.ts';
import { configOfBranch, readIdentity } from './branches/identity.ts';
import type { BranchIdentity } from './branches/types.ts';
import { type ConfigSource, configSourceOf } from './configuration.ts';
import { poolLimits, requestPathLimits } from './connection-limits.ts';
import { configOfCopy, copyMessage, isCopy } from './copy.ts';
import { closeDataFolder, rejectUnfinishedRestore } from './data-folder.ts';
import { databaseSettings } from './database-settings.ts';
import { type Modules, migrationSets } from './modules.ts';
import { preparedCluster } from './prepared-cluster.ts';
import { createSpareCopy, type SpareCopy } from './spare-copy.ts';
import type { BackendOptions, WorkersOption } from './types.ts';
import { unusedSettings } from './unused-settings.ts';

/** The options and the objects that all parts of the server share. */
export interface BackendParts {
  /** The options without defaults. */
  readonly options: BackendOptions;
  readonly projectDir: string;
  readonly supabaseDir: string;
  readonly dataDir: string;
  /** Whether the data folder is that of a branch, or a restored copy that hasn't been promoted. */
  readonly isCopy: boolean;
  /** The addresses of the branch that this server serves. Undefined if the server doesn't serve a branch. */
  readonly branch: BranchIdentity | undefined;
  readonly mode: 'development' | 'production';
  readonly log: Logger;
  readonly telemetry: Telemetry;
  /** Undefined if no collector for traces is configured. */
  readonly traceExporter: TraceExporter | undefined;
  readonly onProgress: (message: string) => void;
  /** Undefined if this process serves the API's port by itself. */
  readonly workers: WorkersOption | undefined;
  /** The configuration at startup, for settings that apply only after a restart. */
  readonly config: Config;
  readonly configSource: ConfigSource | undefined;
  /** The running configuration. */
  readonly live: LiveConfigOwner;
  /** The state that several nodes of a project share. */
  readonly group: GroupState;
  readonly keys: KeyStore;
  readonly spareCopy: SpareCopy;
  readonly database: Database;
}

/** Returns the settings without those that a copy or a branch must not use. */
export function allowedConfig(
  config: Config,
  { isCopy, branch }: Pick<BackendParts, 'isCopy' | 'branch'>,
): Config {
  const allowed = isCopy ? configOfCopy(config) : config;
  return branch === undefined ? allowed : configOfBranch(allowed, branch);
}

/** The parts that don't depend on state that other nodes may have changed. */
export type BackendSettings = Omit<BackendParts, 'database' | 'group' | 'keys'>;

export function readOptions(options: BackendOptions): BackendSettings {
  const projectDir = resolve(options.projectDir ?? process.cwd());
  const supabaseDir = join(projectDir, 'supabase');
  const dataDir = resolve(options.dataDir ?? join(projectDir, '.plinth'));
  const mode = options.mode ?? 'development';
  rejectUnfinishedRestore(dataDir);
  closeDataFolder(dataDir);
  const onProgress = options.onProgress ?? (() => undefined);
  const isRestored = isCopy(dataDir);
  const savedDir = savedDirOf({ dataDir, mode, databaseUrl: options.databaseUrl });
  const ownSource = configSourceOf({ projectDir, savedDir });
  const given = options.config ?? ownSource.load().config;
  const branch = readIdentity(dataDir);
  const config = allowedConfig(given, { isCopy: isRestored, branch });
  if (isRestored && branch === undefined) onProgress(copyMessage);
  reportUnused(config, { mode, databaseUrl: options.databaseUrl, onProgress });
  const ownLog = options.log ?? silentLogger;
  const live = createLiveConfig(config);
  const configSource = options.configSource ?? (options.config === undefined ? ownSource : undefined);
  const traceExporter = exporterOf(live, ownLog);
  const telemetry = createTelemetry({
    log: ownLog,
    dir: options.logDir,
    traces: traceExporter,
    samples: { dir: join(dataDir, 'metrics'), keptMs: () => live.current.plinth.log.max_age },
  });
  const { log } = telemetry;
  return {
    options,
    projectDir,
    supabaseDir,
    dataDir,
    isCopy: isRestored,
    branch,
    mode,
    telemetry,
    traceExporter,
    log,
    onProgress,
    workers: typeof options.workers === 'function' ? options.workers(config) : options.workers,
    config,
    configSource,
    live,
    spareCopy: createSpareCopy({
      dataDir,
      prepared: () => preparedCluster(onProgress, options.signal),
      isWanted: mode === 'development',
      log,
    }),
  };
}

/** @throws {ConfigError} in production, if a setting needs the other kind of database server */
function reportUnused(
  config: Config,
  {
    mode,
    databaseUrl,
    onProgress,
  }: Pick<BackendParts, 'mode' | 'onProgress'> & { databaseUrl?: string | undefined },
): void {
  const { faults, warnings } = unusedSettings(config, databaseUrl);
  if (mode === 'production' && faults.length > 0) throw new ConfigError(faults);
  for (const notice of [...faults, ...warnings]) onProgress(`Warning: ${noticeText(notice)}`);
}

function exporterOf(live: LiveConfig, log: Logger): TraceExporter | undefined {
  const { plinth, project_id }: Config = live.current;
  const { otlp_endpoint: endpoint, otlp_headers: headers } = plinth.telemetry;
  if (endpoint === undefined) return undefined;
  return createTraceExporter({
    endpoint,
    headers,
    sampling: () => live.current.plinth.telemetry.sampling / 100,
    resource: { namespace: project_id },
    log: log.child({ service: 'telemetry' }),
  });
}

/**
 * Opens the database and the keys. The keys are opened first, unless other nodes may have changed them in an external
 * database.
 * @param check Called before an embedded database is started.
 */
export async function openState(
  settings: BackendSettings,
  load: () => Promise<Modules>,
  check: (keys: KeyStore) => void,
): Promise<Pick<BackendParts, 'database' | 'group' | 'keys'>> {
  const { options, isCopy: isRestored, mode } = settings;
  if (options.databaseUrl === undefined || mode !== 'production' || isRestored) {
    const keys = openKeys(settings, localState);
    check(keys);
    const database = options.database ?? (await openDatabase(settings, load, { keys }));
    return { database, group: localState, keys };
  }
  const { examineGroup, openGroup } = await import('./group.ts');
  const database = await openDatabase(settings, load, { examine: examineGroup(settings) });
  let group = localState;
  try {
    group = await openGroup(settings, database, await load());
    const keys = openKeys(settings, group);
    check(keys);
    return { database, group, keys };
  } catch (error) {
    await group.stop();
    await database.stop();
    throw error;
  }
}

const openKeys = (
  { mode, config, supabaseDir, dataDir, log }: BackendSettings,
  { change }: GroupState,
): KeyStore => createKeys({ mode, config, supabaseDir, dataDir, log, change });

/** Starts or connects to the database server, and loads the modules that need the database at the same time. */
async function openDatabase(
  settings: BackendSettings,
  load: () => Promise<Modules>,
  // Only the embedded server needs the keys.
  { keys, examine }: { readonly keys?: KeyStore } & Pick<DatabaseOptions, 'examine'>,
): Promise<Database> {
  const { config, mode, dataDir, log, onProgress, options } = settings;
  const workers = settings.workers?.count;
  const ofWorkers =
    workers === undefined || options.databaseUrl === undefined
      ? undefined
      : (await import('./share.ts')).nodeLimits(config, workers, thisMachine()).workers;
  return createDatabase({
    dataDir,
    port: options.dbPort ?? config.db.port,
    databaseUrl: options.databaseUrl,
    databaseDirectUrl: options.databaseDirectUrl ?? config.plinth.database.direct_url,
    replicaUrls: config.plinth.database.replica_urls,
    replicaMaxLagMs: config.plinth.database.replica_max_lag,
    environment: shellEnvironment(),
    extensionFolders: config.plinth.database.extension_folders,
    examine,
    durable: options.durable,
    ...(keys &&
      databaseSettings(config, keys, { mode, workers, machine: thisMachine(), isCopy: settings.isCopy })),
    password: keys?.databasePassword,
    sharedPassword: config.plinth.database.shared_password,
    replication: config.plinth.database.replication,
    requestPath: requestPathLimits(config.plinth.rest, thisMachine()),
    pools: poolLimits(config.plinth.database, thisMachine()),
    workers: ofWorkers,
    knownMigrations: async () => migrationSets(await load()),
    log,
    onProgress,
    whileStarting() {
      load().catch(() => undefined);
    },
    prepared: settings.spareCopy.prepared,
    signal: options.signal,
  });
}
