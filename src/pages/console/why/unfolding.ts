/**
 * The limits and roles that apply when the bodies of functions are evaluated. All statements run in read-only
 * transactions that are rolled back. The evaluation stops after a number of steps or when a time limit is reached.
 */

import { sql } from '../../../base/kernel/sql.ts';
import type { Database, LoginRole, Setting, Transaction } from '../../../platform/database/types.ts';
import { defaultSearchPath, type Identity, settingsOf } from '../persona/act.ts';
import { messageOf, type Unfolding } from './scope.ts';
import { inSession, loginFor } from './session.ts';

/** The maximum depth to which functions that call other functions are evaluated. */
export const maxUnfoldDepth = 5;
/** The maximum number of calls and subselects that are evaluated for an explanation. */
const maxSteps = 120;
/** The time after which no more calls are evaluated. */
const maxDurationMs = 6000;
/** The timeout of each statement that evaluates part of a function. */
const stepTimeoutMs = 2000;

type OwnUnfolding = Pick<Unfolding, 'depth' | 'role' | 'author' | 'searchPath' | 'showsValues'>;

export function unfoldingFor(
  database: Database,
  {
    tx,
    identity,
    role,
    author,
    mayRead,
  }: {
    readonly tx: Transaction;
    readonly identity: Identity;
    readonly role: string;
    /** The table's owner. */
    readonly author: string;
    readonly mayRead: (schema: string) => boolean;
  },
): Unfolding {
  let steps = maxSteps;
  const end = performance.now() + maxDurationMs;
  const take = (): boolean => steps-- > 0 && performance.now() < end;
  const make = (current: Transaction, own: OwnUnfolding, login: LoginRole): Unfolding => {
    const inside = async <T>(
      next: LoginRole,
      settings: readonly Setting[],
      work: (tx: Transaction) => Promise<T>,
    ): Promise<T | undefined> => {
      try {
        if (next === login)
          return await undone(current, async (same) => {
            for (const [name, value] of settings)
              await same.query(sql`select pg_catalog.set_config(${name}, ${value}, true)`);
            return work(same);
          });
        const options = { end: 'rollback', readOnly: true, settings } as const;
        return await inSession(database.pool(next), (other) => undone(other, work), options);
      } catch (error) {
        messageOf(error);
        return undefined;
      }
    };
    return {
      ...own,
      mayRead,
      take,
      async asRole(next, searchPath, work) {
        // A session of `postgres` doesn't switch to a role with fewer privileges, because code of that role could
        // switch back to `postgres`.
        if (login === 'postgres' && next !== 'postgres') return undefined;
        const inner = { ...own, role: next, author: next, searchPath, showsValues: mayRead('auth') };
        const nextLogin = next === 'postgres' ? 'postgres' : 'authenticator';
        const settings = settingsOf({ role: next, claims: identity.claims }, searchPath);
        return inside(nextLogin, settings, (tx) => work(tx, make(tx, inner, nextLogin)));
      },
      asReader(work) {
        const reader = 'supabase_read_only_user';
        return inside(reader, settingsOf({ role: reader, claims: identity.claims }, own.searchPath), work);
      },
    };
  };
  return make(
    tx,
    {
      depth: 0,
      role,
      author,
      searchPath: defaultSearchPath,
      showsValues: role === identity.role || mayRead('auth'),
    },
    loginFor(identity, role),
  );
}

export const pathText = (path: readonly string[]): string =>
  path.map((name) => `"${name.replaceAll('"', '""')}"`).join(', ');

/** Thrown to roll back a savepoint after the work in it has succeeded. */
class Undo<T> extends Error {
  readonly result: T;
  constructor(result: T) {
    super('undo');
    this.result = result;
  }
}

/** Calls `work` in a read-only savepoint with a short timeout and then rolls back everything, including settings. */
export async function undone<T>(tx: Transaction, work: (tx: Transaction) => Promise<T>): Promise<T> {
  try {
    return await tx.savepoint(async (inner) => {
      await inner.query(sql`select pg_catalog.set_config('transaction_read_only', 'on', true),
        pg_catalog.set_config('statement_timeout', ${String(stepTimeoutMs)}, true)`);
      throw new Undo(await work(inner));
    });
  } catch (error) {
    if (error instanceof Undo) return error.result as T;
    throw error;
  }
}
