/**
 * What commands do with a backend. In the running process they are reached through `control.ts`; with nothing
 * running, {@link withBackend} brings one up for the length of a command, on ports nobody notices.
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
 * Runs an operation in the process that serves this folder, else in a backend made for it. `needs: 'running'` refuses
 * the latter: the services do not listen there.
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

/** A backend whose database is up, for the length of `work`; its services do not listen. */
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

/** The same, to be stopped by the caller. */
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
