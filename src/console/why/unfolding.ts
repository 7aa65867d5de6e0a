/**
 * Limits and roles for evaluating the bodies of functions. Everything runs in transactions that are rolled back, is
 * read-only, and stops after a number of steps or after some time.
 */
import type { Database, Transaction } from '../../database/types.ts';
import { sql } from '../../kernel/sql.ts';
import { defaultSearchPath, type Identity, settingsOf } from '../persona/act.ts';
import { messageOf, type Unfolding } from './scope.ts';

/** How deep functions that call functions are followed. */
export const maxUnfoldDepth = 5;
/** The number of calls and subselects of one explanation that are evaluated. */
const maxSteps = 120;
/** The time after which no further calls are evaluated. */
const maxDurationMs = 6000;
/** The timeout of each statement that evaluates a part of a function. */
const stepTimeoutMs = 2000;

export function unfoldingFor(
  database: Database,
  {
    tx,
    identity,
    role,
    mayRead,
  }: {
    readonly tx: Transaction;
    readonly identity: Identity;
    readonly role: string;
    readonly mayRead: (schema: string) => boolean;
  },
): Unfolding {
  let steps = maxSteps;
  const end = performance.now() + maxDurationMs;
  const take = (): boolean => steps-- > 0 && performance.now() < end;
  // Transactions that log in as `postgres` can switch to the roles that own functions. Others need a second connection.
  const isElevated =
    role !== identity.role || (identity.claims === undefined && identity.operatorRole === 'postgres');
  const make = (
    current: Transaction,
    own: Pick<Unfolding, 'depth' | 'role' | 'searchPath' | 'showsValues'>,
    elevated: boolean,
  ): Unfolding => {
    const unfolding: Unfolding = {
      ...own,
      mayRead,
      take,
      async asRole(next, searchPath, work) {
        const inner = { ...own, role: next, searchPath, showsValues: mayRead('auth') };
        try {
          if (elevated)
            return await undone(current, async (same) => {
              await same.query(sql`select set_config('role', ${next}, true),
                set_config('search_path', ${pathText(searchPath)}, true)`);
              return work(same, make(same, inner, true));
            });
          const settings = settingsOf({ role: next, claims: identity.claims }, searchPath);
          return await database
            .pool('postgres')
            .transaction((other) => undone(other, (same) => work(same, make(same, inner, true))), {
              end: 'rollback',
              readOnly: true,
              settings,
            });
        } catch (error) {
          messageOf(error);
          return undefined;
        }
      },
    };
    return unfolding;
  };
  return make(
    tx,
    { depth: 0, role, searchPath: defaultSearchPath, showsValues: role === identity.role || mayRead('auth') },
    isElevated,
  );
}

export const pathText = (path: readonly string[]): string =>
  path.map((name) => `"${name.replaceAll('"', '""')}"`).join(', ');

/** Signals that a savepoint ended as planned. */
class Undo<T> extends Error {
  readonly result: T;
  constructor(result: T) {
    super('undo');
    this.result = result;
  }
}

/** Runs read-only work in a savepoint with a short timeout, and rolls everything back, including settings. */
export async function undone<T>(tx: Transaction, work: (tx: Transaction) => Promise<T>): Promise<T> {
  try {
    return await tx.savepoint(async (inner) => {
      await inner.query(sql`select set_config('transaction_read_only', 'on', true),
        set_config('statement_timeout', ${String(stepTimeoutMs)}, true)`);
      throw new Undo(await work(inner));
    });
  } catch (error) {
    if (error instanceof Undo) return error.result as T;
    throw error;
  }
}
