/** Creates the services, and passes to each service the functions of other services that it uses. */
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { systemClock } from '../../base/kernel/clock.ts';
import type { DiskState } from '../../base/kernel/disk.ts';
import type { Logger } from '../../base/kernel/log.ts';
import { requireWithin } from '../../base/kernel/real-path.ts';
import type { Health, Observe, Service } from '../../base/kernel/service.ts';
import type { ConsoleService } from '../../pages/console/index.ts';
import { shellEnvironment } from '../../platform/config/index.ts';
import { type Addresses, loopbackOf } from './addresses.ts';
import type { Configuration } from './configuration.ts';
import type { ScratchBackend } from './drift.ts';
import { noMailServer, sendsNoMail } from './health.ts';
import { httpsSettings } from './https.ts';
import type { Modules } from './modules.ts';
import type { BackendParts } from './types.ts';

const webDir = fileURLToPath(new URL('../../../dist/web/', import.meta.url));

/** Information about the server that runs the services. */
export interface Hosting {
  readonly addresses: Addresses;
  /** Sends a request to the API without using the network. */
  readonly internalFetch: (path: string, init?: RequestInit) => Promise<Response>;
  readonly internalStream: (path: string, init?: RequestInit) => Promise<Response>;
  /** Records a call between services. */
  readonly observe: Observe;
  readonly health: () => Record<string, string | undefined>;
  /** The health of the disk, and of the certificates if the server uses HTTPS. */
  readonly conditions: () => { readonly disk: Health; readonly tls?: Health };
  readonly disk: DiskState;
  readonly configuration: Configuration | undefined;
  /** Creates a backend with an empty database in the folder. */
  readonly openScratch: (dataDir: string) => Promise<ScratchBackend>;
}

export function createServices(parts: BackendParts, modules: Modules, hosting: Hosting) {
  // `atStart` contains the settings that apply only after a restart.
  const { config: atStart, live, keys, database, mode, projectDir, supabaseDir, dataDir, log } = parts;
  const { observe, disk } = hosting;
  const { apiUrl, localUrl, host } = hosting.addresses;
  const logOf = (service: string): Logger => log.child({ service });
  const clock = systemClock;
  if (sendsNoMail(parts)) parts.onProgress(`Warning: ${noMailServer}`);
  const mail = modules.mail.createMail({
    database,
    config: live,
    // The host is always a loopback address, because the inbox doesn't require a password.
    host: loopbackOf(host),
    port: parts.mailPort ?? (mode === 'development' ? atStart.local_smtp.port : undefined),
    log: logOf('mail'),
  });
  const auth = modules.auth.createAuth({
    database,
    keys,
    config: live,
    mailer: mail.mailer,
    projectDir,
    apiUrl,
    mode,
    hasAccountPages: !parts.exclude?.includes('account'),
    clock,
    observe,
    ...(parts.outgoing === undefined ? {} : { outgoing: parts.outgoing }),
    ...(parts.passwordCost === undefined ? {} : { passwordCost: parts.passwordCost }),
    log: logOf('auth'),
  });
  const rest = modules.rest.createRest({
    database,
    keys,
    config: live,
    dataDir,
    disk,
    log: logOf('rest'),
    permissionHints: mode === 'development' ? 'full' : 'short',
    ...pendingMigrationsOf(parts, modules),
  });
  const realtime = modules.realtime.createRealtime({ database, keys, config: live, log: logOf('realtime') });
  const journal =
    atStart.plinth.backup.to === undefined || !database.info.embedded
      ? undefined
      : modules.backup.openJournal(dataDir);
  const storage = modules.storage.createStorage({
    database,
    keys,
    config: live,
    dataDir,
    disk,
    mode,
    journal,
    // A restored copy must not change the bucket, because the bucket may belong to the original server.
    isReadOnly: parts.isCopy && atStart.plinth.storage.backend === 's3',
    log: logOf('storage'),
  });
  const functions = modules.functions.createFunctions({
    database,
    keys,
    config: live,
    shell: shellEnvironment(),
    supabaseDir,
    dataDir,
    disk,
    apiUrl,
    ownCertificate:
      httpsSettings(atStart, mode)?.source.kind === 'self-signed'
        ? modules.tls.selfSignedCertPath(dataDir)
        : undefined,
    isDevelopment: mode === 'development',
    traceparent: parts.traceExporter?.traceparent,
    log: logOf('functions'),
  });
  const jobs = modules.jobs.createJobs({
    database,
    config: live,
    mode,
    apiUrl,
    localUrl,
    log: logOf('jobs'),
  });
  const account = modules.account.createAccount({
    database,
    keys,
    config: live,
    ...forAccount(auth),
    selfService: auth.selfService,
    apiUrl,
    webDir,
    clock,
    log: logOf('account'),
    isDevelopment: mode === 'development',
  });
  const backupLog = logOf('backup');
  const archivesWal = journal !== undefined && atStart.plinth.backup.wal;
  /**
   * Drops the replication slot. Undefined if the archiver uses the slot or if Plinth doesn't manage the database
   * server.
   */
  const dropUnusedSlot =
    archivesWal || !database.info.embedded
      ? undefined
      : () => modules.backup.dropUnusedSlot(database, backupLog);
  const backups =
    journal &&
    modules.backup.createBackups({
      get settings() {
        return live.current.plinth.backup;
      },
      database,
      journal,
      store: storage.bodies,
      sources: { dataDir, supabaseDir },
      projectDir,
      now: () => clock.now(),
      log: backupLog,
    });
  const drills =
    backups &&
    modules.backup.createDrills({
      dataDir,
      log: backupLog,
      drill: async (onProgress, signal) => {
        const { runDrill } = await import('./drill.ts');
        const config = live.current;
        const settings = config.plinth.backup;
        return await runDrill({ settings, config, projectDir, workDir: tmpdir(), onProgress, signal });
      },
    });
  return { mail, auth, rest, realtime, storage, functions, jobs, account, backups, drills, dropUnusedSlot };
}

/** In development, REST mentions pending migrations if a table doesn't exist. */
function pendingMigrationsOf(
  { database, projectDir, live, mode }: BackendParts,
  { project }: Modules,
): { readonly pendingMigrations?: () => Promise<string | undefined> } {
  if (mode !== 'development') return {};
  return {
    pendingMigrations: async () =>
      project.pendingSentence(await project.countPending({ database, projectDir, config: live.current })),
  };
}

/** Returns the parts of the auth service that the Account pages use. */
const forAccount = (auth: ReturnType<Modules['auth']['createAuth']>) => ({
  isAllowedRedirect: auth.isAllowedRedirect,
  issueCode: auth.issueCode,
  transferGuest: auth.transferGuest,
  isTrustedClient: auth.isTrustedClient,
  isPostLogoutRedirect: auth.isPostLogoutRedirect,
  frontchannelUrls: auth.frontchannelUrls,
  requestingClient: auth.requestingClient,
  releaseAuthorization: auth.releaseAuthorization,
  customProviders: auth.customProviders,
});

export type Services = ReturnType<typeof createServices>;

export function createConsole(parts: BackendParts, modules: Modules, hosting: Hosting, services: Services) {
  const { live, keys, database, projectDir, supabaseDir, dataDir, telemetry, log } = parts;
  const { mail, auth, rest, realtime, functions, backups, drills } = services;
  const { internalFetch, internalStream, health } = hosting;
  const { apiUrl, consoleUrl, consolePublicUrl } = hosting.addresses;
  const clock = systemClock;
  return modules.console.createConsole({
    database,
    keys,
    config: live,
    inbox: mail.inbox,
    mailer: mail.mailer,
    messagePreviews: auth.messagePreviews,
    authChecks: auth.checks,
    callbackUrl: auth.callbackUrl,
    users: auth.users,
    guesses: auth.guesses,
    projectDir,
    supabaseDir,
    telemetry,
    functions,
    realtime,
    apiUrl,
    consoleUrl,
    ownAddress: { publicUrl: consolePublicUrl, scheme: hosting.addresses.scheme },
    attempt: rest.attempt,
    internalFetch,
    internalStream,
    projectMigrations: projectMigrations(parts, modules, hosting),
    createFunction(name) {
      requireWritable(parts, join(supabaseDir, 'functions'));
      return modules.project.createFunction(supabaseDir, name);
    },
    async writeMigration(tx, name, statements) {
      requireWritable(parts, join(supabaseDir, 'migrations'));
      return modules.project.writeMigration(tx, supabaseDir, { name, statements, now: clock.now() });
    },
    dataDir,
    webDir,
    clock,
    log: log.child({ service: 'console' }),
    health,
    conditions: hosting.conditions,
    configuration: hosting.configuration,
    restart: parts.restart,
    skipped: () => modules.project.listFailures(database),
    backups,
    drills,
  });
}

/**
 * Checks that this path isn't outside the project and the allowed folders, for example because of a symbolic link,
 * because operators choose the content that is written to the path.
 * @throws {OutsideFolders}
 */
function requireWritable({ live, projectDir, supabaseDir }: BackendParts, path: string): void {
  const allowed = live.current.plinth.files.allowed_folders.map((folder) => resolve(projectDir, folder));
  requireWithin([projectDir, supabaseDir, ...allowed], path);
}

/** Returns the migration functions for the Console's migrations page. */
function projectMigrations(parts: BackendParts, { project }: Modules, { openScratch }: Hosting) {
  const { database, live, keys, projectDir, mode, log, onProgress } = parts;
  const pool = database.pool('postgres');
  const deps = () => ({ database, config: live.current, keys, projectDir, mode, log, onProgress });
  return {
    list: () => project.reviewMigrations(pool, projectDir),
    text: (version: string) => project.migrationText(pool, projectDir, version),
    dryRun: (includeAll: boolean) => project.tryMigrations(deps(), { includeAll }),
    apply: (includeAll: boolean) => project.migrateUp(deps(), { includeAll }),
    repair: (version: string, status: 'applied' | 'reverted') =>
      project.repairMigrations(deps(), { versions: [version], status }),
    // The comparison starts a second PostgreSQL server, so it isn't offered where other work needs the resources.
    drift:
      mode === 'development'
        ? async () => (await import('./drift.ts')).findDrift(parts, project, openScratch)
        : undefined,
  };
}

/** Returns the services that the configuration enables, in the order in which they start. */
export function enabledServices(
  { config, exclude, isCopy }: BackendParts,
  services: Services,
  operators: ConsoleService,
): Service[] {
  const { mail, auth, rest, realtime, storage, functions, jobs, account } = services;
  const wanted: [Service, boolean][] = [
    [mail, config.local_smtp.enabled],
    [auth, config.auth.enabled],
    [rest, config.api.enabled],
    [realtime, config.realtime.enabled],
    [storage, config.storage.enabled],
    [functions, config.edge_runtime.enabled],
    [jobs, !isCopy],
    // The Account pages need the auth service. If the auth service is excluded, users must not be able to sign in
    // through these pages either.
    [account, config.auth.enabled && !exclude?.includes('auth')],
    [operators, config.studio.enabled],
  ];
  return wanted
    .filter(([service, enabled]) => enabled && !exclude?.includes(service.name))
    .map(([service]) => service);
}
