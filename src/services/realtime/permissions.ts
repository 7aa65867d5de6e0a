/**
 * Evaluates the policies on realtime.messages for a caller and a private topic, in a transaction that is always rolled
 * back. Channels cache the results of these queries.
 */

import type { Logger } from '../../base/kernel/log.ts';
import type { Database, PostgresErrorShape, RequestClient } from '../../platform/database/types.ts';
import type { Caller } from './core/token.ts';
import { ChannelError, isServerResponse, joinRejections, systemErrors, unauthorizedRead } from './errors.ts';
import {
  ensurePartitions,
  type PolicyContext,
  queryReadPermissions,
  queryWritePermissions,
} from './queries.ts';

export type Extension = 'broadcast' | 'presence';

export interface Permissions {
  /** Returns the read permissions. @throws {ChannelError} if a query fails */
  read(query: PermissionsQuery, extensions: readonly Extension[]): Promise<ReadonlySet<Extension>>;
  /** Returns the write permissions. @throws {ChannelError} if a query fails */
  write(query: PermissionsQuery, extensions: readonly Extension[]): Promise<ReadonlySet<Extension>>;
}

export interface PermissionsQuery {
  readonly subTopic: string;
  readonly caller: Caller;
  readonly headersJson: string;
  /** The client on whose behalf the query runs. Clients take turns. Undefined if an operator runs a delivery check. */
  readonly client?: RequestClient | undefined;
}

export function createPermissions(database: Database, log: Logger): Permissions {
  const queryPermissions = async (
    run: typeof queryReadPermissions,
    query: PermissionsQuery,
    extensions: readonly Extension[],
  ): Promise<ReadonlySet<Extension>> => {
    const context = contextOf(query);
    const pool = database.pool('supabase_realtime_admin', query.client);
    const attempt = (): Promise<string[]> =>
      pool.transaction((tx) => run(tx, context, extensions), { end: 'rollback' });
    try {
      return new Set((await attempt()) as Extension[]);
    } catch (error) {
      if (!isMissingPartition(error)) throw rejection(error, query, log);
    }
    // Today's partition may not exist yet if the machine was suspended or the clock was changed.
    try {
      await ensurePartitions(pool);
      return new Set((await attempt()) as Extension[]);
    } catch (error) {
      throw rejection(error, query, log);
    }
  };
  return {
    read: (query, extensions) => queryPermissions(queryReadPermissions, query, extensions),
    write: (query, extensions) => queryPermissions(queryWritePermissions, query, extensions),
  };
}

function contextOf({ subTopic, caller, headersJson }: PermissionsQuery): PolicyContext {
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

function rejection(error: unknown, query: PermissionsQuery, log: Logger): ChannelError {
  const { code } = error as Partial<PostgresErrorShape>;
  const options = { cause: error };
  if (isMissingPartition(error))
    return new ChannelError(joinRejections.missingPartition, systemErrors.noDatabase, options);
  if (code === '57014')
    return new ChannelError(joinRejections.queryCanceled, systemErrors.queryCanceled, options);
  if (isServerResponse(error)) {
    log.warn(
      { code: 'RlsPolicyError', topic: query.subTopic, role: query.caller.role, error },
      'a policy on realtime.messages failed',
    );
    const text = unauthorizedRead(query.subTopic);
    return new ChannelError(`Unauthorized: ${text}`, text, options);
  }
  log.error({ error }, 'failed to check permissions on realtime.messages');
  return new ChannelError(joinRejections.unableToConnect, systemErrors.noDatabase, options);
}
