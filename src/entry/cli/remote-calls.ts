/**
 * The calls that commands make to a backend. If a Plinth process is running in this folder, commands make
 * the calls in this process through `control.ts`. Otherwise, {@link withBackend} starts a backend on free ports for
 * the duration of the command.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { silentLogger } from '../../base/kernel/log.ts';
import { loadConfig } from '../../platform/config/index.ts';
import { inspect, type ReportName } from '../../platform/database/index.ts';
import { runAdvisors } from '../../project/advisors/index.ts';
import {
  lacksFirstStart,
  lint,
  listMigrations,
  migrateUp,
  recordedMigrations,
  repairMigrations,
  seedBuckets,
  squashHistory,
} from '../../project/folder/index.ts';
import {
  type AdmittedOperator,
  type Backend,
  type BranchOperator,
  createBackend,
  type ManagementCallName,
} from '../main.ts';
import { findRunning, type RemoteCall } from './control.ts';
import { CommandError, notRunning } from './errors.ts';
import { decodeFiles, encodeFiles } from './management/encoded-files.ts';
import type { ProjectLocation } from './project-location.ts';
import { functionsServeCall } from './serve-functions.ts';
import { withCleanUp } from './signals.ts';
import { ensureDataDir } from './state.ts';

interface Context extends ProjectLocation {
  readonly mode: 'development' | 'production';
}

export interface MigrationRow {
  readonly version: string;
  readonly name: string;
  readonly local: boolean;
  readonly applied: boolean;
}

/** The access data of this project as one end of a migration. */
export interface LocalEnd {
  /** The database URL, with the role that runs the project's code. */
  readonly databaseUrl: string;
  readonly projectUrl: string;
  readonly serviceKey: string;
  readonly jwtSecret: string;
}

export const localEndOf = ({ database, url, keys }: Backend): LocalEnd => ({
  databaseUrl: database.info.projectUrl,
  projectUrl: url,
  serviceKey: keys.secretKey,
  jwtSecret: keys.jwtSecret,
});

export function backendCalls(backend: () => Backend, { projectDir, mode }: Context) {
  const projectDeps = (onProgress: (message: string) => void) => {
    const { database, config, keys } = backend();
    return { database, config, keys, projectDir, mode, log: silentLogger, onProgress };
  };
  return {
    status: async () => backend().status(),
    nodes: async () => backend().nodes(),
    consoleLink: async ({ operator }) => backend().consoleLink(operator as string | undefined),
    operatorsList: async () => backend().operators.listOperators(),
    operatorsCreate: async ({ name, role }) =>
      backend().operators.createOperator(name as string, role as 'owner'),
    manage: async ({ name, input, ref }) =>
      encodeFiles(
        await backend().manage(name as ManagementCallName, decodeFiles(input), {
          ref: ref as string | undefined,
        }),
      ),
    manageAs: async ({ name, input, operator }) => {
      try {
        const by = { operator: operator as BranchOperator };
        const result = await backend().manage(name as ManagementCallName, decodeFiles(input), by);
        return { result: encodeFiles(result) ?? null };
      } catch (error) {
        const { name: kind, status, message } = error as Error & { readonly status?: number };
        if (kind !== 'ManagementError' || status === undefined) throw error;
        return { failed: { status, message } };
      }
    },
    admit: async ({ operator }) => backend().admit(operator as BranchOperator),
    setOperators: async ({ operators }) => backend().setOperators(operators as AdmittedOperator[]),
    mcp: async ({ message }) => backend().mcp(message as Parameters<Backend['mcp']>[0]),
    tokenCreate: async ({ name, operator, lifetimeSeconds, role }) =>
      backend().operators.tokens.create(
        name as string,
        operator as string | undefined,
        lifetimeSeconds as number | null,
        role as 'owner' | null,
      ),
    tokenList: async () => backend().operators.tokens.list(),
    tokenRevoke: async ({ name, operator }) =>
      backend().operators.tokens.revoke(name as string, operator as string | undefined),
    functionsServe: functionsServeCall(backend),
    databaseUrl: async () => backend().database.info.url,
    migrationEnd: async (): Promise<LocalEnd> => localEndOf(backend()),
    migrationList: async () => {
      const states = await listMigrations(projectDeps(() => {}));
      return states.map(
        ({ version, file, applied }): MigrationRow => ({
          version,
          name: file?.name ?? '',
          local: file !== undefined,
          applied,
        }),
      );
    },
    migrationUp: async ({ includeAll }, onProgress) =>
      migrateUp(projectDeps(onProgress), { includeAll: includeAll === true }),
    migrationRepair: async ({ versions, status, isWhole }) =>
      repairMigrations(
        projectDeps(() => {}),
        {
          versions: versions as string[],
          status: status as 'applied' | 'reverted',
          isWhole: isWhole === true,
        },
      ),
    migrationSquash: async ({ version }) =>
      squashHistory(backend().database.pool('postgres'), projectDir, version as string),
    recordedMigrations: async () => recordedMigrations(backend().database.pool('postgres')),
    lint: async ({ schemas }, onProgress) =>
      lint(backend().database.pool('postgres'), schemas as string[], onProgress),
    advisors: async () => {
      const { database, config } = backend();
      return runAdvisors(database.pool('postgres'), { exposedSchemas: config.api.schemas });
    },
    inspect: async ({ name }) =>
      (await inspect(backend().database.pool('postgres'), name as ReportName)) ?? null,
    backupRun: async () => backupsOf(backend()).run(),
    backupPrune: async () => backupsOf(backend()).prune(),
    seedBuckets: async (_, onProgress) => {
      const { config, fetch, keys } = backend();
      await seedBuckets({ config, fetch, secretKey: keys.secretKey, onProgress });
    },
  } satisfies Record<string, RemoteCall>;
}

function backupsOf({ backups, database }: Backend): NonNullable<Backend['backups']> {
  if (backups !== undefined) return backups;
  if (!database.info.embedded)
    throw new CommandError(
      'Plinth backs up only the embedded PostgreSQL, but this project uses another server.',
    );
  throw new CommandError(
    'No backup target is configured.',
    'Set [backup] to and encryption_key in supabase/plinth.toml.',
  );
}

type CallName = keyof ReturnType<typeof backendCalls>;

/**
 * Runs a call in the Plinth process that is running in this folder, or in a temporary backend. With `needs:
 * 'running'`, doesn't start a temporary backend, because the services of such a backend don't listen on any port. With
 * `needs: 'schema'`, the project's first start must have completed the database.
 *
 * @throws {CommandError}
 */
export async function perform<T>(
  location: ProjectLocation,
  name: CallName,
  parameters: Readonly<Record<string, unknown>>,
  {
    needs,
    onProgress,
  }: { readonly needs: 'running' | 'schema' | 'database'; readonly onProgress: (message: string) => void },
): Promise<T> {
  const running = await findRunning(location.dataDir);
  if (running !== undefined) return await running.call<T>(name, parameters, onProgress);
  if (needs === 'running') throw notRunning();
  const start = needs === 'schema' ? withCompleteDatabase : withBackend;
  return await start(location, onProgress, async (backend) => {
    const calls: Readonly<Record<string, RemoteCall>> = backendCalls(() => backend, {
      ...location,
      mode: 'development',
    });
    return (await calls[name]?.(parameters, onProgress, new AbortController().signal)) as T;
  });
}

/**
 * Starts a backend and its database for the duration of `work`. Stops the backend even if a signal interrupts the
 * command. The services of this backend don't listen on any port.
 */
export async function withBackend<T>(
  location: ProjectLocation,
  onProgress: (message: string) => void,
  work: (backend: Backend) => Promise<T>,
): Promise<T> {
  const opening = openBackend(location, onProgress);
  return await withCleanUp(
    async () => await work(await opening),
    async () => (await opening).stop(),
  );
}

/**
 * Like {@link withBackend}, for commands that read the project's schema.
 *
 * @throws {CommandError} if the database is empty or incomplete because the first start failed or never ran
 */
export async function withCompleteDatabase<T>(
  location: ProjectLocation,
  onProgress: (message: string) => void,
  work: (backend: Backend) => Promise<T>,
): Promise<T> {
  requireProject(location);
  return await withBackend(location, onProgress, async (backend) => {
    const incomplete = await incompleteDatabase(backend, location);
    if (incomplete !== undefined) throw incomplete;
    return await work(backend);
  });
}

/**
 * Checks that the folder contains a project or its database, because a new database would look like an empty project.
 *
 * @throws {CommandError}
 */
export function requireProject({ projectDir, dataDir }: ProjectLocation): void {
  if (existsSync(join(projectDir, 'supabase')) || existsSync(join(dataDir, 'postgres'))) return;
  throw new CommandError(
    `${projectDir} contains neither a project (supabase/) nor a database.`,
    'Run the command in a project folder, or specify the folder with --workdir.',
  );
}

/** Returns an error if the first start hasn't completed the database, which the command must not mistake for empty. */
export async function incompleteDatabase(
  { database, config }: Backend,
  { projectDir }: ProjectLocation,
): Promise<CommandError | undefined> {
  if (!(await lacksFirstStart({ database, config, projectDir }))) return undefined;
  return new CommandError(
    "This project's database is incomplete, because its first start failed or never ran.",
    'Run "plinth start" or "plinth migration up", which apply the migrations, and then run this command again.',
  );
}

/** The options of a backend that can run at the same time as other backends. */
export const freePorts = { port: 0, dbPort: 0, mailPort: 0, consolePort: 0 } as const;

async function openBackend(
  { projectDir, dataDir }: ProjectLocation,
  onProgress: (message: string) => void,
): Promise<Backend> {
  ensureDataDir(dataDir);
  const { config } = loadConfig({ projectDir });
  return await createBackend({ projectDir, dataDir, config, ...freePorts, onProgress });
}
