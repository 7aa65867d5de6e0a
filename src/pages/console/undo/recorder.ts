/** Journals the changes of the Console's transactions. */
import type { Logger } from '../../../base/kernel/log.ts';
import { isPostgresError } from '../../../base/shared/errors.ts';
import type { Database, Queryable } from '../../../platform/database/types.ts';
import type { Actor } from '../audit.ts';
import { beginCapture, type EmptiedTables, finishCapture, type Hint } from './capture.ts';
import { type Limits, storeEntry } from './journal.ts';
import { readEmptied } from './truncated.ts';

export interface Change {
  readonly operator: Actor;
  readonly action: string;
  readonly undoes?: number | undefined;
  /** Whether the transaction runs as the operator and not as a persona. */
  readonly isOperator: boolean;
}

/** The entry of a transaction. */
export interface Recorded {
  readonly id: number;
  /** Whether the changes of some tables aren't in the journal. */
  readonly isPartial: boolean;
}

export interface Recording {
  /**
   * Reads the rows that a TRUNCATE is about to delete, by running it in a savepoint first. Errors are ignored, because
   * the statement reports them when it runs.
   */
  beforeTruncate(run: () => Promise<void>): Promise<void>;
  /**
   * Stores the changes. Must be called at the end of the transaction. Returns undefined if the transaction changed no
   * rows. @throws {PostgresErrorShape} the errors of deferred triggers and constraints
   */
  finish(hint?: Hint): Promise<Recorded | undefined>;
}

export interface Recorder {
  /** Must be called in a transaction before its first change. */
  begin(tx: Queryable, change: Change): Promise<Recording>;
}

export interface RecorderDeps {
  readonly database: Database;
  readonly limits: () => Limits;
  readonly log: Logger;
}

const nothing: Recording = { beforeTruncate: async () => {}, finish: async () => undefined };

export function createRecorder({ database, limits, log }: RecorderDeps): Recorder {
  const db = database.pool('supabase_admin');
  return {
    async begin(tx, { isOperator, ...entry }) {
      if (!database.info.ownsSchemas || limits().days === 0) return nothing;
      const beginning = await beginCapture(tx);
      const options = { database, isOperator };
      const emptied: EmptiedTables = new Map();
      return {
        async beforeTruncate(run) {
          await readEmptied(tx, { beginning, emptied, run }, options);
        },
        async finish(hint) {
          // Runs deferred triggers now, so that their changes are captured.
          await tx.exec('set constraints all immediate');
          try {
            const captured = await finishCapture(tx, beginning, { ...options, hint, emptied });
            if (captured === undefined || captured.tables.length === 0) return undefined;
            const id = await storeEntry(db, entry, captured, limits());
            return { id, isPartial: captured.tables.some(({ reason }) => reason !== null) };
          } catch (error) {
            // The change itself is valid, and the operator sees that it can't be taken back.
            // The error's details can contain values of rows.
            const code = isPostgresError(error) ? error.code : (error as Error).name;
            log.error({ code, action: entry.action }, 'the undo journal could not be written');
            return undefined;
          }
        },
      };
    },
  };
}
