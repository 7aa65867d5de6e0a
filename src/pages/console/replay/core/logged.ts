/** Derives the parts of a request that the log doesn't contain. */
import type { LogEntry } from '../../../../platform/telemetry/types.ts';

type Entry = Pick<LogEntry, 'method' | 'path' | 'status' | 'schema' | 'statements'>;

/** Matches a statement of the REST service that returns the written rows. */
const returnsRows = / returning (?!1\b|nullif\(current_setting\('pgrst\.inserted')|json_agg\(_postgrest_t/;

/**
 * Returns the headers that the request probably had. A write whose statement returned rows had `Prefer:
 * return=representation`, and a request that failed with 406 after its statement expected a single row.
 */
export function likelyHeaders({
  method,
  path = '',
  status,
  schema,
  statements = [],
}: Entry): Record<string, string> {
  if (!path.startsWith('/rest/v1/')) return hasBody({ method }) ? { 'content-type': 'application/json' } : {};
  const isWrite = hasBody({ method }) || method === 'DELETE';
  const statement = statements.at(-1)?.text ?? '';
  return {
    ...(status === 406 && statements.length > 0 ? { accept: 'application/vnd.pgrst.object+json' } : {}),
    ...(isWrite && !path.startsWith('/rest/v1/rpc/') && returnsRows.test(statement)
      ? { prefer: 'return=representation' }
      : {}),
    ...(schema === undefined || schema === 'public'
      ? {}
      : { [isWrite ? 'content-profile' : 'accept-profile']: schema }),
    ...(hasBody({ method }) ? { 'content-type': 'application/json' } : {}),
  };
}

export const hasBody = ({ method }: Pick<Entry, 'method'>): boolean =>
  method === 'POST' || method === 'PUT' || method === 'PATCH';

/** Whether the log has removed a part of the query, such as a secret. */
export const isQueryCut = (query: string | undefined): boolean => query?.includes('…') === true;
