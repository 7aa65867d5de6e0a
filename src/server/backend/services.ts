/** Creates the services, and passes to each service the functions of other services that it uses. */
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { systemClock } from '../../base/kernel/clock.ts';
import type { DiskState } from '../../base/kernel/disk.ts';
import type { Logger } from '../../base/kernel/log.ts';
import type { Observe, Service } from '../../base/kernel/service.ts';
import type { JournalFiles } from '../../operations/backup/index.ts';
import { shellEnvironment } from '../../platform/config/index.ts';
import { dropUnusedBackupSlot } from '../../platform/database/index.ts';
import { type Addresses, loopbackOf } from './addresses.ts';
import { noMailServer, sendsNoMail } from './health.ts';
import { httpsSettings } from './https.ts';
import { createLocalBackups } from './local-backups.ts';
import type { Modules } from './modules.ts';
import type { BackendParts } from './parts.ts';

/** The folder that contains the built web app. */
export const webDir = fileURLToPath(new URL('../../../dist/web/', import.meta.url));

/** The parts of the server that the services use. */
export interface ServiceDeps {
  readonly addresses: Addresses;
  readonly disk: DiskState;
  /** Records a call between services. */
  readonly observe: Observe;
}

export function createServices(
  parts: BackendParts,
  modules: Modules,
  { addresses, disk, observe }: ServiceDeps,
) {
  // `atStart` contains the settings that apply only after a restart.
  const {
    options,
    config: atStart,
    live,
    keys,
    database,
    mode,
    projectDir,
    supabaseDir,
    dataDir,
    log,
  } = parts;
  const { apiUrl, localUrl, host } = addresses;
  const logOf = (service: string): Logger => log.child({ service });
  const clock = systemClock;
  if (sendsNoMail(parts)) parts.onProgress(`Warning: ${noMailServer}`);
  const mail = modules.mail.createMail({
    database,
    config: live,
    // The host is always a loopback address, because the inbox doesn't require a password.
    host: loopbackOf(host),
    port: options.mailPort ?? (mode === 'development' ? atStart.local_smtp.port : undefined),
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
    hasAccountPages: !options.exclude?.includes('account'),
    clock,
    observe,
    ...(options.outgoing === undefined ? {} : { outgoing: options.outgoing }),
    ...(options.passwordCost === undefined ? {} : { passwordCost: options.passwordCost }),
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
  const graphql = modules.graphql.createGraphql({
    database,
    config: live,
    createEndpoint: rest.createEndpoint,
    log: logOf('graphql'),
  });
  const realtime = modules.realtime.createRealtime({ database, keys, config: live, log: logOf('realtime') });
  const journal = database.info.embedded ? modules.backup?.openJournal(dataDir) : undefined;
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
    isShared: parts.group.isShared,
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
    handlers: { graphql: graphql.answer },
    log: logOf('jobs'),
  });
  const account = modules.account.createAccount({
    database,
    keys,
    config: live,
    auth,
    apiUrl,
    webDir,
    clock,
    log: logOf('account'),
    isDevelopment: mode === 'development',
  });
  return {
    ...{ mail, auth, rest, graphql, realtime, storage, functions, jobs, account },
    ...createBackupParts(parts, modules, { journal, store: storage.bodies }),
    localBackups: createLocalBackups(parts, storage.bodies),
  };
}

interface BackupInput {
  /** Undefined if no backup target is configured or Plinth doesn't manage the database server. */
  readonly journal: JournalFiles | undefined;
  readonly store: ReturnType<Modules['storage']['createStorage']>['bodies'];
}

function createBackupParts(
  { config: atStart, live, database, projectDir, supabaseDir, dataDir, log: allLog }: BackendParts,
  { backup }: Modules,
  { journal, store }: BackupInput,
) {
  const log = allLog.child({ service: 'backup' });
  const archivesWal = journal !== undefined && atStart.plinth.backup.wal;
  const backups =
    journal &&
    backup?.createBackups({
      get settings() {
        return live.current.plinth.backup;
      },
      database,
      journal,
      store,
      sources: { dataDir, supabaseDir },
      projectDir,
      now: () => systemClock.now(),
      log,
    });
  const verifications =
    backups &&
    backup?.createVerifications({
      dataDir,
      log,
      verify: async (onProgress, signal) => {
        const { runVerification } = await import('./verification.ts');
        const config = live.current;
        const settings = config.plinth.backup;
        return await runVerification({ settings, config, projectDir, workDir: tmpdir(), onProgress, signal });
      },
    });
  return {
    backups,
    verifications,
    /**
     * Drops the replication slot. Undefined if the archiver uses the slot or if Plinth doesn't manage the database
     * server.
     */
    dropUnusedSlot:
      archivesWal || !database.info.embedded ? undefined : () => dropUnusedBackupSlot(database, log),
  };
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

export type Services = ReturnType<typeof createServices>;

/** Returns the API's services that the configuration enables, in the order in which they start. */
export function enabledServices(parts: BackendParts, services: Services): Service[] {
  const { config, isCopy, options } = parts;
  const { mail, auth, rest, graphql, realtime, storage, functions, jobs, account } = services;
  const wanted: [Service, { readonly enabled: boolean }][] = [
    [mail, config.local_smtp],
    [auth, config.auth],
    [rest, config.api],
    // GraphQL requests are calls of a function over REST.
    [graphql, { enabled: config.api.enabled && !options.exclude?.includes('rest') }],
    [realtime, config.realtime],
    [storage, config.storage],
    [functions, config.edge_runtime],
    [jobs, { enabled: !isCopy }],
    // The Account pages need the auth service. If the auth service is excluded, users must not be able to sign in
    // through these pages either.
    [account, { enabled: config.auth.enabled && !options.exclude?.includes('auth') }],
  ];
  return wanted.filter(([{ name }, setting]) => isEnabled(parts, name, setting)).map(([service]) => service);
}

/** Whether the server has the service: its setting enables it, and the options don't exclude it. */
export const isEnabled = (
  { options }: BackendParts,
  name: string,
  setting: { readonly enabled: boolean },
): boolean => setting.enabled && !options.exclude?.includes(name);
