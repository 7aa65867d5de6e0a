/**
 * Reads the users of access tokens in batches. Apps and servers send GET /user to check a token, so it is the most
 * frequent request that reads a user. Starting a statement and exchanging messages costs several times more than
 * reading one more user, so reads that arrive while a read is running share the next statement.
 */
import { sql } from '../../../base/kernel/sql.ts';
import { traces } from '../../../base/kernel/trace.ts';
import type { Pool } from '../../../platform/database/types.ts';
import type { User } from '../common/rows.ts';
import { noInstance, userColumns, userRelations } from '../common/user-queries.ts';
import { createBatcher } from './batcher.ts';

const maxBatchSize = 32;
/** A read takes about a millisecond. A slower one must not delay the reads that arrive later. */
const slowAfterMs = 10;
const maxConcurrent = 4;

interface OwnUserRead {
  readonly userId: string;
  /** Undefined if the token doesn't belong to a session. */
  readonly sessionId: string | undefined;
}

export interface OwnUser {
  readonly user: User;
  /** Whether the session exists. True if the token doesn't belong to a session. */
  readonly hasSession: boolean;
}

/** Resolves with undefined if the user doesn't exist. */
export type ReadOwnUser = (read: OwnUserRead) => Promise<OwnUser | undefined>;

interface Result {
  readonly own: OwnUser | undefined;
  /** The statement that an earlier request has started, which must be added to the request's trace. */
  readonly shared:
    | { readonly text: string; readonly startedAt: number; readonly endedAt: number }
    | undefined;
}

interface Row extends User {
  readonly place: number;
  readonly has_session: boolean;
}

export function createOwnUserReads(pool: Pick<Pool, 'query'>): ReadOwnUser {
  const readAll = async (reads: readonly OwnUserRead[]): Promise<Result[]> => {
    const statement = sql`
      select asked.place::int, found.*
      from unnest(${reads.map(({ userId }) => userId)}::uuid[],
                  ${reads.map(({ sessionId }) => sessionId ?? null)}::uuid[])
        with ordinality as asked (user_id, session_id, place)
      cross join lateral (
        select ${userColumns}, ${userRelations},
               asked.session_id is null or exists (select from auth.sessions s where s.id = asked.session_id)
                 as has_session
        from auth.users u where u.instance_id = ${noInstance} and u.id = asked.user_id limit 1
      ) as found`;
    const startedAt = performance.now();
    const rows = await pool.query<Row>(statement);
    const run = { text: statement.compile().text, startedAt, endedAt: performance.now() };
    const found: (OwnUser | undefined)[] = reads.map(() => undefined);
    for (const { place, has_session: hasSession, ...user } of rows) found[place - 1] = { user, hasSession };
    // The pool adds the statement only to the trace of the first request, in whose context it runs.
    return found.map((own, index) => ({ own, shared: index === 0 ? undefined : run }));
  };
  const enqueue = createBatcher({ work: readAll, maxBatchSize, slowAfterMs, maxConcurrent });
  return async (read) => {
    const { own, shared } = await enqueue(read);
    if (shared !== undefined) traces.getStore()?.statement(shared.text, shared.startedAt, shared.endedAt);
    return own;
  };
}
