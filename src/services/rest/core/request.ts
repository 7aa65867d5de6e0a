/**
 * Parses a request: first the action and the schema, and then, for requests that read or change rows, the query, the
 * headers and the body.
 */

import type { Trace } from '../../../base/kernel/trace.ts';
import { decodeHeader } from '../../../base/shared/http/header-text.ts';
import type { Cancellation } from '../../../platform/database/types.ts';
import { restError } from '../errors.ts';
import type { RestSettings } from '../settings.ts';
import { JSON_TYPE, type MediaType, readMediaType } from './parse/media-type.ts';
import { type Payload, readPayload } from './parse/payload.ts';
import { type Preferences, readPreferences } from './parse/preferences.ts';
import {
  decodeText,
  type QueryTree,
  readQuery,
  rejectNul,
  rootRange,
  type ScannedQuery,
  scanQuery,
} from './parse/query.ts';
import { ALL_ROWS, isAllRows, type RowRange, rangeHeader, topLevelRange } from './parse/range.ts';
import type { Mutation } from './plan/types.ts';

/** An HTTP request, as the server passes it to the service. */
export interface RestRequest {
  readonly method: string;
  /** The path without mount prefix and query, such as `/todos`. */
  readonly path: string;
  /** The query string without `?`. */
  readonly query: string;
  /** The request headers by lowercase name. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: Uint8Array;
  /**
   * The time at which the headers arrived. As in PostgREST, a token that expires while the body is being transferred is
   * accepted. Defaults to the current time.
   */
  readonly receivedAtMs?: number;
  readonly signal?: Cancellation;
  /** The client's IP address. */
  readonly address?: string | undefined;
  /** Whether the transaction is rolled back, even if the settings specify otherwise. */
  readonly rollsBack?: boolean;
  /** The request's trace, in which the caller and the executed statement are recorded. */
  readonly trace?: Trace | undefined;
}

export type Action =
  | { readonly kind: 'read'; readonly name: string; readonly headersOnly: boolean }
  | { readonly kind: 'write'; readonly name: string; readonly mutation: Mutation }
  | { readonly kind: 'call'; readonly name: string; readonly method: 'GET' | 'HEAD' | 'POST' }
  | { readonly kind: 'root'; readonly headersOnly: boolean }
  | { readonly kind: 'options'; readonly of: 'relation' | 'routine' | 'root'; readonly name: string };

/**
 * The header with the position in the database's log after a write. If a client sends the header with a read, only a
 * replica that has replayed the write can serve the read.
 */
export const LSN_HEADER = 'plinth-lsn';

export const header = (request: RestRequest, name: string): string | undefined => {
  const value = request.headers[name];
  return typeof value === 'string' ? value : value?.join(', ');
};

/**
 * Returns the action that the request specifies.
 * @throws {RestError} PGRST125 for an unknown path, PGRST126 if the root is disabled, PGRST101 and PGRST117 if the
 *   method isn't allowed
 */
export function readAction(request: RestRequest, settings: RestSettings): Action {
  const segments = request.path.split('/').slice(1).map(decodePathSegment);
  const [first = '', second, ...more] = segments;
  if (more.length > 0) throw restError('PGRST125');
  if (second !== undefined) {
    if (first !== 'rpc' || second === '') throw restError('PGRST125');
    return routineAction(request.method, second);
  }
  if (first !== '') return relationAction(request.method, first);
  if (settings.openapiMode === 'disabled') throw restError('PGRST126');
  if (settings.rootSpec !== undefined) return routineAction(request.method, settings.rootSpec.name);
  return rootAction(request.method);
}

/** Decodes a path segment. In a path, `+` is a literal plus sign. */
const decodePathSegment = (segment: string): string => decodeText(segment.replaceAll('+', '%2B'));

function routineAction(method: string, name: string): Action {
  switch (method) {
    case 'GET':
    case 'HEAD':
    case 'POST':
      return { kind: 'call', name, method };
    case 'OPTIONS':
      return { kind: 'options', of: 'routine', name };
    default:
      throw restError('PGRST101', { texts: { method } });
  }
}

const MUTATIONS: Readonly<Record<string, Mutation>> = {
  POST: 'insert',
  PUT: 'put',
  PATCH: 'update',
  DELETE: 'delete',
};

function relationAction(method: string, name: string): Action {
  if (method === 'GET' || method === 'HEAD') return { kind: 'read', name, headersOnly: method === 'HEAD' };
  if (method === 'OPTIONS') return { kind: 'options', of: 'relation', name };
  const mutation = MUTATIONS[method];
  if (mutation === undefined) throw restError('PGRST117', { texts: { method } });
  return { kind: 'write', name, mutation };
}

function rootAction(method: string): Action {
  if (method === 'GET' || method === 'HEAD') return { kind: 'root', headersOnly: method === 'HEAD' };
  if (method === 'OPTIONS') return { kind: 'options', of: 'root', name: '' };
  throw restError('PGRST117', { texts: { method } });
}

export interface Profile {
  readonly schema: string;
  /** Whether the response must name the schema because several schemas are exposed or the request selected a schema. */
  readonly negotiated: boolean;
}

const WRITING = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

/** Returns the schema that the request selects. @throws {RestError} PGRST106 if the schema isn't exposed */
export function readProfile(request: RestRequest, schemas: readonly string[]): Profile {
  const given = header(request, WRITING.has(request.method) ? 'content-profile' : 'accept-profile');
  if (given === undefined) return { schema: schemas[0] ?? 'public', negotiated: schemas.length !== 1 };
  const requested = decodeHeader(given);
  if (schemas.includes(requested)) return { schema: requested, negotiated: true };
  throw restError('PGRST106', {
    texts: { schema: requested },
    hint: `Only the following schemas are exposed: ${schemas.join(', ')}`,
  });
}

export type CrudAction = Extract<Action, { kind: 'read' | 'write' | 'call' }>;

/** What is known about a request that reads or changes rows, or calls a function, before its body is read. */
export interface CrudHead {
  readonly action: CrudAction;
  readonly profile: Profile;
  /** Contains everything that determines the plan, except the payload's keys. */
  readonly key: string;
  readonly query: ScannedQuery;
  /** The parsed query. Set only if it is required to read the payload. */
  readonly tree: QueryTree | undefined;
  readonly contentType: MediaType;
  readonly accept: string | undefined;
  readonly preferences: Preferences;
  /** The row range of the root, from the query and the Range header. */
  readonly range: RowRange;
  /** The row range of each level, by its limit key. */
  readonly ranges: ReadonlyMap<string, RowRange>;
  /** The limit keys of the levels whose range isn't all rows. */
  readonly givenRanges: readonly string[];
}

/** A parsed request. Requests with the same key have the same shape. */
export interface CrudRequest extends CrudHead {
  readonly payload: Payload | undefined;
}

/**
 * Parses the query and the headers.
 * @throws {RestError} 22021, PGRST100 for an invalid query, and, if the query is valid, PGRST103 and PGRST114
 */
export function parseHead(
  request: RestRequest,
  action: CrudAction,
  profile: Profile,
  { txEnd }: Pick<RestSettings, 'txEnd'>,
): CrudHead {
  rejectNul(request.query);
  const query = scanQuery(request.query, action.kind === 'call' && action.method !== 'POST');
  return orInvalidQuery(query, () => {
    const needsTree = action.kind !== 'read' && query.pairs.some(([name]) => name === 'columns');
    const tree = needsTree ? readQuery(query) : undefined;
    const range = topLevelRange(
      request.method === 'GET' ? rangeHeader(header(request, 'range')) : ALL_ROWS,
      rootRange(query),
    );
    if (request.method === 'PUT' && !isAllRows(range)) throw restError('PGRST114');
    const ranges = new Map(query.ranges).set('limit', range);
    const givenRanges = namesOfGiven(ranges);
    const contentHeader = header(request, 'content-type');
    const contentType = contentHeader === undefined ? JSON_TYPE : readMediaType(contentHeader);
    const prefer = header(request, 'prefer');
    const accept = header(request, 'accept');
    return {
      action,
      profile,
      // The key is unambiguous because paths can't contain `?` and headers can't contain NUL.
      key: [
        `${request.method} ${profile.schema}\0${request.path}?${query.shape}`,
        givenRanges.length === 0 ? '' : JSON.stringify(givenRanges),
        prefer ?? '',
        accept ?? '*/*',
        contentType.kind,
      ].join('\0'),
      query,
      tree,
      contentType,
      accept,
      preferences: readPreferences(prefer, txEnd.override),
      range,
      ranges,
      givenRanges,
    };
  });
}

/**
 * Reads the body of a request whose query and headers have been parsed.
 * @throws {RestError} PGRST100 for an invalid query, and, if the query is valid, PGRST102
 */
export function parseBody(head: CrudHead, { body }: RestRequest): CrudRequest {
  const payload = orInvalidQuery(head.query, () => payloadOf(body, head));
  if (payload === undefined) return { ...head, payload };
  return { ...head, payload, key: `${head.key}\0${payload.isObject} ${JSON.stringify(payload.keys)}` };
}

/** An invalid query is reported before any other fault. Other queries are parsed only once per shape. */
function orInvalidQuery<T>(query: ScannedQuery, parse: () => T): T {
  try {
    return parse();
  } catch (fault) {
    readQuery(query);
    throw fault;
  }
}

function namesOfGiven(ranges: ReadonlyMap<string, RowRange>): string[] {
  const names: string[] = [];
  for (const [name, range] of ranges) if (!isAllRows(range)) names.push(name);
  return names;
}

/** Whether the action uses the body. */
export const readsBody = (action: CrudAction): boolean =>
  action.kind === 'call' ? action.method === 'POST' : action.kind === 'write' && action.mutation !== 'delete';

function payloadOf(body: Uint8Array, { action, contentType, tree }: CrudHead): Payload | undefined {
  if (!readsBody(action)) return undefined;
  if (action.kind === 'call') return readPayload(body, contentType, 'function', tree?.columns);
  const isPut = action.kind === 'write' && action.mutation === 'put';
  return readPayload(body, contentType, 'table', isPut ? undefined : tree?.columns);
}
