/**
 * The Management API's operations with which `db push` sends the files of a linked project folder, and with which
 * `migration` commands read and change the history.
 */
import { isPostgresError } from '../../../base/shared/errors.ts';
import type {
  HistoryChange,
  SeedOutcome,
  SentFile,
  SentMigration,
  VaultSecret,
} from '../../../project/folder/index.ts';
import type { Audit } from '../audit.ts';
import { withReason } from './database-calls.ts';
import { type Caller, detailOf, type Handlers, ManagementError } from './handlers.ts';
import { createTurns } from './turns.ts';

/** Runs and records files that clients of the Management API send (`project/folder/sent-files.ts`). */
export interface SentFiles {
  /** Returns false if the migration was already applied. */
  applyMigration(migration: SentMigration, run: SentRun): Promise<boolean>;
  applySeed(seed: SentFile, run: SentRun): Promise<SeedOutcome>;
  /** Runs a file that isn't recorded. */
  run(file: SentFile, run: SentRun): Promise<void>;
  storeSecrets(secrets: readonly VaultSecret[]): Promise<void>;
  /** Returns the hashes of the applied seeds, by path. */
  seeds(): Promise<ReadonlyMap<string, string>>;
  /** Returns all recorded migrations with their statements. */
  history(): Promise<HistoryChange['applied']>;
  changeHistory(
    change: Omit<HistoryChange, 'applied'> & { readonly applied: readonly RecordedFile[] },
  ): Promise<void>;
}

export interface SentRun {
  readonly onProgress: (note: string) => void;
  /** Ends the wait for another run. A file that is already running continues, because the client may ask again. */
  readonly signal?: AbortSignal | undefined;
}

/** A migration that is recorded without being run. */
export interface RecordedFile {
  readonly version: string;
  readonly name: string;
  readonly text: string;
}

/** The maximum number of files that wait for the file that is running. Waiting files use no connections. */
const maxWaiting = 50;

export function pushCalls({ sentFiles, audit }: { readonly sentFiles: SentFiles; readonly audit: Audit }) {
  const inTurn = createTurns(1, maxWaiting);

  /** Runs a file, and records it in the audit log even if it fails, because its first statements may be committed. */
  async function recorded<T>(
    caller: Caller,
    { action, target, detail }: { readonly action: string; readonly target: string; readonly detail: object },
    work: (run: SentRun) => Promise<T>,
  ): Promise<{ readonly result: T; readonly notes: readonly string[] }> {
    const notes: string[] = [];
    const record = (outcome: object): Promise<void> =>
      audit(caller, action, target, { ...detail, ...outcome, ...detailOf(caller) });
    let result: T;
    try {
      result = await inTurn(() => {
        caller.gone?.throwIfAborted();
        return withReason(() => work({ onProgress: (note) => void notes.push(note), signal: caller.gone }));
      });
    } catch (error) {
      if (caller.gone?.aborted === true && error === caller.gone.reason)
        throw new ManagementError(400, 'The client disconnected before the file ran.', { cause: error });
      // A call that is rejected because too many files are waiting runs nothing.
      if (!(error instanceof ManagementError && error.status === 429)) await record({ failed: true });
      throw error;
    }
    await record(result === false ? { already_applied: true } : {});
    return { result, notes };
  }

  return {
    pushMigration: [
      'write',
      async ({ version, name, query: text, after }, caller) => {
        const entry = { action: 'migration.apply', target: version, detail: { name, source: 'push' } };
        const { result, notes } = await recorded(caller, entry, (run) =>
          sentFiles.applyMigration({ version, name, text, after }, run),
        );
        return { version, name, is_new: result, notes };
      },
    ],
    listSeeds: ['read', async () => [...(await sentFiles.seeds())].map(([path, hash]) => ({ path, hash }))],
    pushSeed: [
      'write',
      async ({ path: shownPath, query: text }, caller) => {
        const entry = { action: 'seed.apply', target: shownPath, detail: {} };
        const { result, notes } = await recorded(caller, entry, (run) =>
          sentFiles.applySeed({ shownPath, text }, run),
        );
        return { path: shownPath, outcome: result, notes };
      },
    ],
    pushRoles: [
      'write',
      async ({ query: text }, caller) => {
        const shownPath = 'supabase/roles.sql';
        const entry = { action: 'roles.apply', target: shownPath, detail: {} };
        const { notes } = await recorded(caller, entry, (run) => sentFiles.run({ shownPath, text }, run));
        return { notes };
      },
    ],
    storeVaultSecrets: [
      'write',
      async ({ secrets }, caller) => {
        try {
          await sentFiles.storeSecrets(secrets);
        } catch (error) {
          if (!isPostgresError(error)) throw error;
          throw new ManagementError(400, `The vault secrets can't be stored: ${error.message}`, {
            cause: error,
          });
        }
        for (const { name } of secrets) await audit(caller, 'vault.set', name, detailOf(caller));
      },
    ],
    // Migrations can contain passwords.
    getMigration: [
      'secrets',
      async ({ version }) => {
        const found = (await sentFiles.history()).find((migration) => migration.version === version);
        if (found === undefined) throw new ManagementError(404, 'Migration not found');
        return found;
      },
    ],
    readHistory: ['secrets', () => sentFiles.history()],
    changeHistory: [
      'write',
      async ({ applied, reverted, is_whole: isWhole }, caller) => {
        const entries = applied.map(({ query: text, ...migration }) => ({ ...migration, text }));
        await withReason(() => sentFiles.changeHistory({ applied: entries, reverted, isWhole }));
        const record = (version: string, status: string, name?: string): Promise<void> =>
          audit(caller, 'migration.repair', version, { status, name, ...detailOf(caller) });
        if (isWhole) await record('all', 'reverted');
        for (const version of reverted) await record(version, 'reverted');
        for (const { version, name } of applied) await record(version, 'applied', name);
      },
    ],
  } satisfies Partial<Handlers>;
}
