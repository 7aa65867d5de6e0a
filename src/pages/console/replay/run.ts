/** Runs a request again as a persona, in a transaction that is rolled back. */
import { sql } from '../../../base/kernel/sql.ts';
import type { Queryable } from '../../../platform/database/types.ts';
import type { Replay, ReplayResponse } from '../../../services/rest/index.ts';
import { may, type OperatorRole, permissionForRows } from '../core/roles.ts';
import type { ApiPort } from '../deps.ts';
import { ConsoleError } from '../errors.ts';
import { requireNormalizedPath } from '../service-client.ts';
import type { ReplayInput, Unsupported } from './contract.ts';
import { type Target, targetOf } from './core/target.ts';

export interface ReplayServices {
  readonly rest: Replay;
  readonly graphql: Replay;
  readonly stream: ApiPort['stream'];
}

/** The time after which a replayed request is canceled. The timeouts of its role apply too. */
const maxMs = 15_000;
const shownBytes = 256_000;

/** Extensions whose functions send requests or open connections that a rollback doesn't undo. */
const extensionsWithEffects = ['dblink', 'http', 'plperlu', 'plpython3u', 'pltclu'];

export async function effectsIn(db: Queryable): Promise<string[]> {
  const rows = await db.query<{ extname: string }>(sql`
    select extname from pg_extension where extname = any (${extensionsWithEffects}::text[]) order by extname`);
  return rows.map(({ extname }) => extname);
}

const reasons: Readonly<Record<Unsupported, string>> = {
  auth: 'Requests to auth are not replayed, because they need passwords, codes or tokens that are not logged, and can send emails.',
  functions:
    'Requests to functions are not replayed, because functions can do anything outside the database.',
  realtime: 'Realtime connections are not replayed.',
  'storage-write':
    'Only reads and lists of files are replayed, because stored files are not part of a transaction.',
  other: 'This path is not part of REST, GraphQL or storage.',
};

export interface Admitted {
  readonly target: Extract<Target, { readonly path: string }>;
  /** The schema that the request selects. */
  readonly schema: string;
  readonly access: 'read only' | 'read write';
}

/**
 * Decides whether the operator may replay the request, and what the request's transaction may do.
 * @throws {ConsoleError} bad_request if the request can't be replayed, forbidden
 */
export function admit(
  { method, path, headers }: ReplayInput,
  role: OperatorRole,
  schemas: readonly string[],
): Admitted {
  const target = targetOf(method, path);
  if (target.kind === null) throw new ConsoleError('bad_request', { message: reasons[target.unsupported] });
  const isReading = method === 'GET' || method === 'HEAD';
  const schema = headers[isReading ? 'accept-profile' : 'content-profile'] ?? schemas[0] ?? 'public';
  if (!may(role, 'write')) {
    if (target.isCall || (!target.isRead && target.kind !== 'graphql'))
      throw new ConsoleError('forbidden', {
        message:
          'Your role can only replay reads, because changes and function calls can have effects that a rollback does not undo.',
      });
    if (target.kind === 'rest' && !may(role, permissionForRows(schema)))
      throw new ConsoleError('forbidden', { message: `Your role can't read rows of ${schema}.` });
    return { target, schema, access: 'read only' };
  }
  return { target, schema, access: target.isRead ? 'read only' : 'read write' };
}

export async function replay(
  { rest, graphql, stream }: ReplayServices,
  { method, headers, body }: ReplayInput,
  { target, access }: Admitted,
  authorization: string,
): Promise<ReplayResponse> {
  const { kind, path, query } = target;
  const all = { ...headers, authorization };
  if (kind === 'storage') return await fromStorage(stream, { method, body, headers: all, path, query });
  const run = kind === 'rest' ? rest : graphql;
  return await run({ method, path, query, headers: all, body }, { access, maxBytes: shownBytes, maxMs });
}

/** Sends a read to the storage service, which changes nothing. */
async function fromStorage(
  stream: ApiPort['stream'],
  {
    method,
    path,
    query,
    headers,
    body,
  }: {
    readonly method: string;
    readonly path: string;
    readonly query: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
  },
): Promise<ReplayResponse> {
  const url = query === '' ? path : `${path}?${query}`;
  requireNormalizedPath(url);
  const startedAt = performance.now();
  const timeout = AbortSignal.timeout(maxMs);
  const response = await stream(url, {
    method,
    headers,
    signal: timeout,
    ...(method === 'POST' ? { body } : {}),
  });
  const { bytes, isCut } = await beginning(response);
  const isText = /json|text|xml/.test(response.headers.get('content-type') ?? '');
  return {
    status: response.status,
    headers: [...response.headers],
    text: isText ? bytes.toString('utf8') : '',
    isCut: isText && isCut,
    durationMs: performance.now() - startedAt,
    isTimedOut: timeout.aborted,
    statements: [],
    sqlstate: undefined,
  };
}

async function beginning({ body }: Response): Promise<{ bytes: Buffer; isCut: boolean }> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  // Leaving the loop cancels the stream.
  for await (const chunk of body ?? []) {
    chunks.push(chunk);
    size += chunk.byteLength;
    if (size > shownBytes) break;
  }
  return { bytes: Buffer.concat(chunks).subarray(0, shownBytes), isCut: size > shownBytes };
}
