/**
 * Pushes a project folder's migrations, roles and seeds to a linked Plinth server through its Management API. The
 * server applies one file per call. If a response is lost, the file is sent again, and the server doesn't run a file
 * that it has already recorded. [Decision 117](../../../../docs/decisions/0117-migrations-through-the-link.md)
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { readTextFile } from '../../../base/shared/files.ts';
import {
  compareMigrations,
  type MigrationState,
  type PushOptions,
  type PushPlan,
  planPush,
  readMigrationFolder,
} from '../../../project/folder/index.ts';
import { CommandError } from '../errors.ts';
import { ConnectionLost, type ManagementClient } from './client.ts';

export interface ServerPush extends PushPlan {
  /** The newest version that is applied to the server's database. An empty string if there is none. */
  readonly newest: string;
}

type PushDeps = Parameters<typeof planPush>[1];

/**
 * Determines the changes that a push to the server will make, without making them.
 * @throws {ProjectError} `remote_missing`; `local_older` unless `includeAll` is set
 * @throws {CommandError} if the server rejects a call
 *
 * @example
 * const plan = await planServerPush(linkedClient(location, undefined), deps, options);
 * await pushToServer(client, plan, { onProgress: say });
 */
export async function planServerPush(
  client: ManagementClient,
  deps: PushDeps,
  options: PushOptions,
): Promise<ServerPush> {
  const versions = await serverVersions(client);
  const applied = {
    target: '--linked',
    versions: async () => versions,
    seeds: async () => {
      const seeds =
        await client.call<readonly { readonly path: string; readonly hash: string }[]>('listSeeds');
      return new Map(seeds.map(({ path, hash }) => [path, hash]));
    },
  };
  return { ...(await planPush(applied, deps, options)), newest: newestOf(versions) };
}

/** Returns the project folder's migrations and those applied to the server's database. */
export async function serverHistory(
  client: ManagementClient,
  supabaseDir: string,
): Promise<readonly MigrationState[]> {
  return compareMigrations(readMigrationFolder(supabaseDir).files, await serverVersions(client));
}

async function serverVersions(client: ManagementClient): Promise<readonly string[]> {
  const applied = await client.call<readonly { readonly version: string }[]>('listMigrations');
  return applied.map(({ version }) => version);
}

const newestOf = (versions: readonly string[]): string =>
  versions.reduce((newest, version) => (version > newest ? version : newest), '');

export interface PushEvents {
  /** Called before each file, and with notes from the server. */
  readonly onProgress: (message: string) => void;
  /** Called after each migration. `isNew` is false if another push had already applied it. */
  readonly onApplied?: (shownPath: string, isNew: boolean) => void;
}

/**
 * Makes the changes, in the same order as a push to a database: roles, vault secrets, migrations, seeds.
 * @throws {CommandError} for the first file that fails. The changes of earlier files remain applied.
 */
export async function pushToServer(
  client: ManagementClient,
  { roles, vault, migrations, seeds, newest }: ServerPush,
  { onProgress, onApplied }: PushEvents,
): Promise<void> {
  const send = async <T extends Noted>(name: SentCall, input: Readonly<Record<string, unknown>>) => {
    const response = await sendAgain(() => client.call<T>(name, input), onProgress);
    response.notes.forEach(onProgress);
    return response;
  };
  if (roles !== undefined) {
    onProgress('Creating roles from supabase/roles.sql...');
    // The file isn't recorded, and running it twice may fail, so it isn't sent again.
    const { notes } = await client.call<Noted>('pushRoles', { query: roles });
    notes.forEach(onProgress);
  }
  if (vault.length > 0) {
    onProgress('Updating vault secrets...');
    await sendAgain(() => client.call('storeVaultSecrets', { secrets: vault }), onProgress);
  }
  let after = newest;
  for (const { version, name, path, shownPath } of migrations) {
    onProgress(`Applying migration ${version}_${name}.sql...`);
    const { is_new: isNew } = await send<Noted & { readonly is_new: boolean }>('pushMigration', {
      version,
      name,
      query: readTextFile(path),
      after,
    });
    if (version > after) after = version;
    onApplied?.(shownPath, isNew);
  }
  for (const { shownPath, text, isChanged } of seeds) {
    onProgress(isChanged ? `Updating seed hash to ${shownPath}...` : `Seeding data from ${shownPath}...`);
    await send<Noted>('pushSeed', { path: shownPath, query: text });
  }
}

type SentCall = 'pushMigration' | 'pushSeed';

interface Noted {
  /** Messages from the run, such as an extension that the server doesn't have. */
  readonly notes: readonly string[];
}

const maxAttempts = 5;
/** The pause before the second attempt. Each later pause is twice as long. */
const firstPauseMs = 1000;

/**
 * Repeats a call whose response was lost, for example because a proxy or the server was restarted. The server may still
 * be running the first call. The repeated call then waits until the first one has ended.
 */
async function sendAgain<T>(call: () => Promise<T>, onProgress: (message: string) => void): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof ConnectionLost)) throw error;
      if (attempt === maxAttempts)
        throw new CommandError(
          error.message,
          'It is unknown whether the server has applied the file. Run the command again, which continues after the files that were applied.',
        );
      onProgress(`${error.message} Trying again...`);
      await sleep(firstPauseMs * 2 ** (attempt - 1));
    }
  }
}
