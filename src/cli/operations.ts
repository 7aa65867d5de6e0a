/**
 * The operations that commands run on a backend. Commands call them in the running process through `control.ts`. If no
 * process is running, {@link withBackend} starts a backend for the duration of the command, on free ports.
 */
import { loadConfig } from '../config/index.ts';
import { silentLogger } from '../kernel/log.ts';
import { type Backend, createBackend } from '../main.ts';
import { lint, listMigrations, migrateUp, repairMigrations, seedBuckets } from '../project/index.ts';
import { findRunning, type Operation } from './control.ts';
import { notRunning } from './errors.ts';
import type { Place } from './place.ts';
import { functionsServeOperation } from './serve-functions.ts';
import { ensureDataDir } from './state.ts';

interface Context extends Place {
  readonly mode: 'development' | 'production';
}

export interface MigrationRow {
  readonly version: string;
  readonly name: string;
  readonly local: boolean;
  readonly applied: boolean;
}

export function backendOperations(backend: () => Backend, { projectDir, mode }: Context) {
  const projectDeps = (onProgress: (message: string) => void) => {
    const { database, config, keys } = backend();
    return { database, config, keys, projectDir, mode, log: silentLogger, onProgress };
  };
  return {
    status: async () => backend().status(),
    consoleLink: async ({ operator }) => backend().consoleLink(operator as string | undefined),
    operatorsList: async () => backend().operators.listOperators(),
    operatorsCreate: async ({ name, role }) =>
      backend().operators.createOperator(name as string, role as 'owner'),
    functionsServe: functionsServeOperation(backend),
    databaseUrl: async () => backend().database.info.url,
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
    migrationRepair: async ({ versions, status }) =>
      repairMigrations(
        projectDeps(() => {}),
        versions as string[],
        status as 'applied' | 'reverted',
      ),
    lint: async ({ schemas }, onProgress) =>
      lint(backend().database.pool('postgres'), schemas as string[], onProgress),
    seedBuckets: async (_, onProgress) => {
      const { config, fetch, keys } = backend();
      await seedBuckets({ config, fetch, serviceRoleKey: keys.serviceRoleKey, onProgress });
    },
  } satisfies Record<string, Operation>;
}

type OperationName = keyof ReturnType<typeof backendOperations>;

/**
 * Runs an operation in the process that serves this folder, or in a temporary backend. `needs: 'running'` excludes the
 * latter because its services don't listen.
 */
export async function perform<T>(
  place: Place,
  operation: OperationName,
  parameters: Readonly<Record<string, unknown>>,
  {
    needs,
    onProgress,
  }: { readonly needs: 'running' | 'database'; readonly onProgress: (message: string) => void },
): Promise<T> {
  const running = await findRunning(place.dataDir);
  if (running !== undefined) return await running.call<T>(operation, parameters, onProgress);
  if (needs === 'running') throw notRunning();
  return await withBackend(place, onProgress, async (backend) => {
    const operations: Readonly<Record<string, Operation>> = backendOperations(() => backend, {
      ...place,
      mode: 'development',
    });
    return (await operations[operation]?.(parameters, onProgress, new AbortController().signal)) as T;
  });
}

/** Starts a backend with its database for the duration of `work`. Its services don't listen. */
export async function withBackend<T>(
  place: Place,
  onProgress: (message: string) => void,
  work: (backend: Backend) => Promise<T>,
): Promise<T> {
  const backend = await openBackend(place, onProgress);
  try {
    return await work(backend);
  } finally {
    await backend.stop();
  }
}

/** Starts such a backend. The caller stops it. */
export async function openBackend(
  { projectDir, dataDir }: Place,
  onProgress: (message: string) => void,
): Promise<Backend> {
  ensureDataDir(dataDir);
  const { config } = loadConfig({ projectDir });
  return await createBackend({
    projectDir,
    dataDir,
    config,
    port: 0,
    dbPort: 0,
    mailPort: 0,
    consolePort: 0,
    onProgress,
  });
}
