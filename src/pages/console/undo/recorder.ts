/** Journals the changes of the Console's transactions. */
import type { Logger } from '../../../base/kernel/log.ts';
import type { Database, Queryable } from '../../../platform/database/types.ts';
import type { Actor } from '../audit.ts';
import type { Hint } from './capture.ts';
import type { Limits } from './journal.ts';

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

const nothing: Recording = { finish: async () => undefined };

export function createRecorder({ database, limits, log }: RecorderDeps): Recorder {
  const db = database.pool('supabase_admin');
  return {
    async begin(tx, { isOperator, ...entry }) {
      if (!database.info.ownsSchemas || limits().days === 0) return nothing;
      const { beginCapture, finishCapture } = await import('./capture.ts');
      const beginning = await beginCapture(tx);
      return {
        async finish(hint) {
          // Runs deferred triggers now, so that their changes are captured.
          await tx.exec('set constraints all immediate');
          try {
            const captured = await finishCapture(tx, beginning, { database, hint, isOperator });
            if (captured === undefined || captured.tables.length === 0) return undefined;
            const { storeEntry } = await import('./journal.ts');
            const id = await storeEntry(db, entry, captured, limits());
            return { id, isPartial: captured.tables.some(({ reason }) => reason !== null) };
          } catch (error) {
            // The change itself is valid, and the operator sees that it can't be taken back.
            log.error({ error, action: entry.action }, 'the undo journal could not be written');
            return undefined;
          }
        },
      };
    },
  };
}
