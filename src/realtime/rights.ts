/**
 * Evaluates the policies on realtime.messages for a caller and a private topic. Runs in a transaction that is always
 * rolled back. Channels cache the results.
 */
import type { Database, PostgresErrorShape } from '../database/types.ts';
import type { Logger } from '../kernel/log.ts';
import { isServerResponse } from './core/server-response.ts';
import type { Caller } from './core/token.ts';
import { ChannelError, joinRefusals, systemErrors, unauthorizedRead } from './errors.ts';
import { keepPartitions, type RightsContext, readRights, writeRights } from './queries.ts';

export type Extension = 'broadcast' | 'presence';

export interface Rights {
  /** @throws {ChannelError} */
  read(query: RightsQuery, extensions: readonly Extension[]): Promise<ReadonlySet<Extension>>;
  /** @throws {ChannelError} */
  write(query: RightsQuery, extensions: readonly Extension[]): Promise<ReadonlySet<Extension>>;
}

export interface RightsQuery {
  readonly subTopic: string;
  readonly caller: Caller;
  readonly headersJson: string;
}

export function createRights(database: Database, log: Logger): Rights {
  const ask = async (
    how: typeof readRights,
    query: RightsQuery,
    extensions: readonly Extension[],
  ): Promise<ReadonlySet<Extension>> => {
    const context = contextOf(query);
    const pool = database.pool('supabase_realtime_admin');
    const attempt = (): Promise<string[]> =>
      pool.transaction((tx) => how(tx, context, extensions), { end: 'rollback' });
    try {
      return new Set((await attempt()) as Extension[]);
    } catch (error) {
      if (!isMissingPartition(error)) throw refusal(error, query, log);
    }
    // Today's partition doesn't exist yet, because the machine was suspended or the clock changed.
    try {
      await keepPartitions(pool);
      return new Set((await attempt()) as Extension[]);
    } catch (error) {
      throw refusal(error, query, log);
    }
  };
  return {
    read: (query, extensions) => ask(readRights, query, extensions),
    write: (query, extensions) => ask(writeRights, query, extensions),
  };
}

function contextOf({ subTopic, caller, headersJson }: RightsQuery): RightsContext {
  return {
    topic: subTopic,
    role: caller.role,
    sub: caller.sub ?? '',
    claimsJson: caller.claimsJson,
    headersJson,
  };
}

function isMissingPartition(error: unknown): boolean {
  const { code, table } = error as Partial<PostgresErrorShape>;
  return code === '23514' && table === 'messages';
}

function refusal(error: unknown, query: RightsQuery, log: Logger): ChannelError {
  const { code } = error as Partial<PostgresErrorShape>;
  const options = { cause: error };
  if (isMissingPartition(error))
    return new ChannelError(joinRefusals.missingPartition, systemErrors.noDatabase, options);
  if (code === '57014')
    return new ChannelError(joinRefusals.queryCanceled, systemErrors.queryCanceled, options);
  if (isServerResponse(error)) {
    log.warn(
      { code: 'RlsPolicyError', topic: query.subTopic, role: query.caller.role, error },
      'a policy on realtime.messages failed',
    );
    const text = unauthorizedRead(query.subTopic);
    return new ChannelError(`Unauthorized: ${text}`, text, options);
  }
  log.error({ error }, 'failed to check permissions on realtime.messages');
  return new ChannelError(joinRefusals.unableToConnect, systemErrors.noDatabase, options);
}
