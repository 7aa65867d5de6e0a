/** Reads the options, and creates the objects that all parts of the server share. */
import { join, resolve } from 'node:path';
import { type Logger, silentLogger } from '../../base/kernel/log.ts';
import { thisMachine } from '../../base/shared/machine.ts';
import {
  type Config,
  createLiveConfig,
  type LiveConfig,
  type LiveConfigOwner,
  shellEnvironment,
} from '../../platform/config/index.ts';
import { createDatabase } from '../../platform/database/index.ts';
import type { Database } from '../../platform/database/types.ts';
import { createKeys, type KeyStore } from '../../platform/keys/index.ts';
import {
  createTelemetry,
  createTraceExporter,
  type Telemetry,
  type TraceExporter,
} from '../../platform/telemetry/index.ts';
import { type ConfigSource, configSourceOf, savedDirOf } from './configuration.ts';
import { poolLimits, requestPathLimits } from './connection-limits.ts';
import { configOfCopy, copyMessage, isCopy } from './copy.ts';
import { closeDataFolder, rejectUnfinishedRestore } from './data-folder.ts';
import { databaseSettings } from './database-settings.ts';
import { type Modules, migrationSets } from './modules.ts';
import { preparedCluster } from './prepared-cluster.ts';
import { createSpareCopy, type SpareCopy } from './spare-copy.ts';
import type { BackendOptions } from './types.ts';

/** The options and the objects that all parts of the server share. */
export interface BackendParts {
  /** The options without defaults. */
  readonly options: BackendOptions;
  readonly projectDir: string;
  readonly supabaseDir: string;
  readonly dataDir: string;
  /** Whether the data folder is a restored copy that hasn't been promoted. */
  readonly isCopy: boolean;
  readonly mode: 'development' | 'production';
  readonly log: Logger;
  readonly telemetry: Telemetry;
  /** Undefined if no collector for traces is configured. */
  readonly traceExporter: TraceExporter | undefined;
  readonly onProgress: (message: string) => void;
  /** The configuration at startup, for settings that apply only after a restart. */
  readonly config: Config;
  readonly configSource: ConfigSource | undefined;
  /** The running configuration. */
  readonly live: LiveConfigOwner;
  readonly keys: KeyStore;
  readonly spareCopy: SpareCopy;
  readonly database: Database;
}

export function readOptions(options: BackendOptions): Omit<BackendParts, 'database'> {
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
  const config = isRestored ? configOfCopy(given) : given;
  if (isRestored) onProgress(copyMessage);
  const ownLog = options.log ?? silentLogger;
  const live = createLiveConfig(config);
  const configSource = options.configSource ?? (options.config === undefined ? ownSource : undefined);
  const traceExporter = exporterOf(live, ownLog);
  const telemetry = createTelemetry({ log: ownLog, dir: options.logDir, traces: traceExporter });
  const { log } = telemetry;
  const keys = createKeys({ mode, config, supabaseDir, dataDir, log });
  return {
    options,
    projectDir,
    supabaseDir,
    dataDir,
    isCopy: isRestored,
    mode,
    telemetry,
    traceExporter,
    log,
    onProgress,
    config,
    configSource,
    live,
    keys,
    spareCopy: createSpareCopy({
      dataDir,
      prepared: () => preparedCluster(onProgress),
      isWanted: mode === 'development',
      log,
    }),
  };
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

/** Starts the database server, and loads the modules that need the database at the same time. */
export function openDatabase(
  parts: Omit<BackendParts, 'database'>,
  load: () => Promise<Modules>,
): Promise<Database> {
  const { options, config, keys, mode, dataDir, log, onProgress } = parts;
  const workers = options.workers?.count;
  return createDatabase({
    dataDir,
    port: options.dbPort ?? config.db.port,
    databaseUrl: options.databaseUrl,
    environment: shellEnvironment(),
    durable: options.durable,
    ...databaseSettings(config, keys, { mode, workers, machine: thisMachine() }),
    password: keys.databasePassword,
    sharedPassword: config.plinth.database.shared_password,
    replication: config.plinth.database.replication,
    requestPath: requestPathLimits(config.plinth.rest, thisMachine()),
    pools: poolLimits(config.plinth.database, thisMachine()),
    knownMigrations: async () => migrationSets(await load()),
    log,
    onProgress,
    whileStarting() {
      load().catch(() => undefined);
    },
    prepared: parts.spareCopy.prepared,
  });
}
