/** Converts results to responses, which consist of a status, headers and a body. */
import { encodeHeader } from '../../../base/shared/http/header-text.ts';
import { errorBody, type RestError, restError } from '../errors.ts';
import { type Relation, type Routine, returnsVoid } from '../schema-cache/types.ts';
import type { RestSettings } from '../settings.ts';
import { type Body, lengthOf } from './body.ts';
import { chosenHeaders, isFinalStatus } from './chosen-response.ts';
import { contentType, type MediaType } from './parse/media-type.ts';
import { type Preferences, preferenceApplied } from './parse/preferences.ts';
import { encodeText } from './parse/query.ts';
import { contentRangeText, rangeResponse } from './parse/range.ts';
import type { Profile } from './request.ts';
import type { Result } from './result.ts';
import type { Prepared, Shape } from './shapes.ts';

export type HeaderList = (readonly [name: string, value: string])[];

export interface RestResponse {
  readonly status: number;
  readonly reason?: string | undefined;
  readonly headers: HeaderList;
  readonly body: Body;
  /** Releases the body's memory and files. Must be called after the body was sent or discarded. */
  readonly release?: (() => void) | undefined;
}

export const VARY = ['Vary', 'Accept, Prefer, Range'] as const;
const text = (value: string): Uint8Array[] => [Buffer.from(value)];
const lengthHeader = (body: Body) => ['Content-Length', String(lengthOf(body))] as const;

function typeHeaders(type: MediaType, profile: Profile): HeaderList {
  const headers: HeaderList = [['Content-Type', contentType(type)]];
  if (profile.negotiated) headers.push(['Content-Profile', encodeHeader(profile.schema)]);
  return headers;
}

export function respond(prepared: Prepared, result: Result, settings: RestSettings): RestResponse {
  const { shape, profile } = prepared;
  const { plan } = shape;
  if (plan.mediaType.kind === 'plan') {
    const body = result.body;
    const headers = [lengthHeader(body), ...typeHeaders(plan.mediaType, profile)];
    return finish({ status: 200, headers, body }, result, shape);
  }
  switch (plan.kind) {
    case 'read':
      return respondRead(prepared, result, settings);
    case 'call':
      return respondCall(prepared, result, settings);
    case 'write':
      return respondWrite(prepared, result);
  }
}

function respondRead(prepared: Prepared, result: Result, settings: RestSettings): RestResponse {
  const { shape, location, profile } = prepared;
  const { plan } = shape;
  const { status, contentRange } = rangeResponse(prepared.range, result.rows, result.total);
  const body = status === 416 ? text(outOfBounds(prepared, result, settings)) : result.body;
  const headersOnly = plan.kind === 'read' && plan.headersOnly;
  const headers: HeaderList = [['Content-Range', contentRange]];
  if (location !== undefined) headers.push(['Content-Location', location]);
  if (!headersOnly) headers.push(lengthHeader(body));
  headers.push(...typeHeaders(plan.mediaType, profile), ...applied(shape));
  return finish({ status, headers, body: headersOnly && status !== 416 ? [] : body }, result, shape);
}

function respondCall(prepared: Prepared, result: Result, settings: RestSettings): RestResponse {
  const { shape, profile } = prepared;
  const { plan } = shape;
  if (plan.kind !== 'call') throw new Error('not a call');
  const { status, contentRange } = rangeResponse(prepared.range, result.rows, result.total);
  const headers: HeaderList = [['Content-Range', contentRange], ...applied(shape)];
  if (returnsVoid(plan.call.routine)) return finish({ status: 204, headers, body: [] }, result, shape);
  const body = status === 416 ? text(outOfBounds(prepared, result, settings)) : result.body;
  if (!plan.headersOnly) headers.push(lengthHeader(body));
  headers.push(...typeHeaders(plan.mediaType, profile));
  return finish({ status, headers, body: plan.headersOnly ? [] : body }, result, shape);
}

function outOfBounds({ range }: Prepared, { total }: Result, settings: RestSettings): string {
  const error = restError('PGRST103', {
    details: `An offset of ${range.lower} was requested, but there are only ${total ?? 0} rows.`,
  });
  return errorBody(error, settings.errorVerbosity);
}

function respondWrite({ shape, profile }: Prepared, result: Result): RestResponse {
  const { plan, preferences } = shape;
  if (plan.kind !== 'write') throw new Error('not a write');
  const { mutation } = plan.write;
  const shows = preferences.return === 'representation';
  const counted =
    preferences.count === 'exact' || preferences.count === 'estimated' ? result.rows : undefined;
  const shown: HeaderList = shows ? typeHeaders(plan.mediaType, profile) : [];
  const body = shows ? result.body : [];
  switch (mutation) {
    case 'insert': {
      const merged = preferences.resolution === 'merge-duplicates' && (result.inserted ?? 0) <= 0;
      const headers: HeaderList = [
        lengthHeader(body),
        ...locationHeader(plan.target.name, result),
        ['Content-Range', contentRangeText(1, 0, counted)],
        ...applied(shape),
        ...shown,
      ];
      return finish({ status: merged ? 200 : 201, headers, body }, result, shape);
    }
    case 'update':
    case 'delete': {
      const [first, last]: [number, number] = mutation === 'update' ? [0, result.rows - 1] : [1, 0];
      const headers: HeaderList = [
        ['Content-Range', contentRangeText(first, last, counted)],
        ...applied(shape),
      ];
      if (shows) headers.push(lengthHeader(body), ...shown);
      return finish({ status: shows ? 200 : 204, headers, body }, result, shape);
    }
    case 'put': {
      const headers: HeaderList = shows ? [lengthHeader(body), ...shown] : [];
      headers.push(...applied(shape));
      const status = shows ? ((result.inserted ?? 0) > 0 ? 201 : 200) : 204;
      return finish({ status, headers, body }, result, shape);
    }
  }
}

function locationHeader(table: string, { location }: Result): HeaderList {
  if (location.length === 0) return [];
  const query = location.map(([name, value]) => `${encodeText(name)}=${encodeText(value)}`).join('&');
  return [['Location', `/${encodeText(table)}?${query}`]];
}

function applied(shape: Shape): HeaderList {
  const { plan, preferences } = shape;
  const mutation = plan.kind === 'write' ? plan.write.mutation : undefined;
  const applies = (kind: keyof Preferences): boolean => {
    switch (kind) {
      case 'resolution':
        return (
          plan.kind === 'write' &&
          mutation === 'insert' &&
          (plan.write.primaryKey.length > 0 || plan.write.hasOnConflict)
        );
      case 'return':
        return plan.kind === 'write';
      case 'missing':
        return mutation === 'insert' || mutation === 'update';
      case 'maxAffected':
        return plan.kind === 'call' || mutation === 'update' || mutation === 'delete';
      default:
        return true;
    }
  };
  const value = preferenceApplied(preferences, applies);
  return value === undefined ? [] : [['Preference-Applied', value]];
}

/** Completes the response. Headers and a status that the database sets override the defaults. */
function finish(
  response: RestResponse,
  result: Pick<Result, 'headers' | 'status'>,
  shape: Shape,
): RestResponse {
  const { headers } = response;
  const own = result.headers === undefined ? undefined : readHeaders(result.headers);
  const all = own === undefined ? headers : overridden([...headers, VARY], own);
  if (shape.legacyNames.length > 0) all.push(legacyWarning(shape));
  if (own === undefined) all.push(VARY);
  if (own === undefined && result.status === undefined) return response;
  const status = result.status === undefined ? response.status : readStatus(result.status);
  return { status, headers: all, body: response.body };
}

function overridden(headers: HeaderList, own: HeaderList): HeaderList {
  const names = new Set(own.map(([name]) => name.toLowerCase()));
  return [...headers.filter(([name]) => !names.has(name.toLowerCase())), ...own];
}

function legacyWarning({ legacyNames }: Shape): readonly [string, string] {
  const names = legacyNames.map(({ name, alias }) => `\`${name}\` to \`${alias}\``).join(', ');
  const warning =
    'Embedded resource was referenced by relation name even though it has an alias. This is deprecated and will stop working in a future release.';
  const advice = `Update ${names} in query string filters, orders or limits.`;
  return ['Warning', encodeHeader(`299 PostgRESTv${COMPATIBLE_VERSION} "${warning} ${advice}"`)];
}

/** The PostgREST release whose protocol this service implements. */
export const COMPATIBLE_VERSION = '16.2';

function readHeaders(json: string): HeaderList {
  try {
    const list: unknown = JSON.parse(json);
    if (!Array.isArray(list)) throw new Error('not an array');
    const pairs = list.map((one: unknown) => {
      const [pair, ...more] = Object.entries(one as Record<string, unknown>);
      if (pair === undefined || more.length > 0) throw new Error('not one header');
      return pair;
    });
    const headers = chosenHeaders(pairs);
    if (headers === undefined) throw new Error('not a header');
    return headers;
  } catch (cause) {
    throw restError('PGRST111', { cause });
  }
}

function readStatus(value: string): number {
  const status = Number(/^\d+/.exec(value)?.[0]);
  if (!isFinalStatus(status)) throw restError('PGRST112');
  return status;
}

export function respondError(
  error: RestError,
  settings: Pick<RestSettings, 'errorVerbosity'>,
  retryAfterSeconds = RETRY_AFTER_SECONDS,
): RestResponse {
  const body = text(errorBody(error, settings.errorVerbosity));
  const headers: HeaderList = [
    ['Content-Type', 'application/json; charset=utf-8'],
    lengthHeader(body),
    ['Proxy-Status', encodeHeader(`PostgREST; error=${error.code}`)],
    ...error.headers,
  ];
  const hasOwn = error.headers.some(([name]) => name === 'Retry-After');
  if (error.status === 503 && !hasOwn) headers.push(['Retry-After', String(retryAfterSeconds)]);
  return { status: error.status, reason: error.reason, headers, body };
}

const RETRY_AFTER_SECONDS = 1;

const allow = (methods: string): RestResponse => ({
  status: 200,
  headers: [['Content-Length', '0'], ['Allow', methods], VARY],
  body: [],
});

export function relationOptions(relation: Relation): RestResponse {
  const methods = ['OPTIONS,GET,HEAD'];
  if (relation.insertable) methods.push('POST');
  if (relation.insertable && relation.updatable && relation.primaryKey.length > 0) methods.push('PUT');
  if (relation.updatable) methods.push('PATCH');
  if (relation.deletable) methods.push('DELETE');
  return allow(methods.join(','));
}

export const routineOptions = (routine: Routine): RestResponse =>
  allow(routine.volatility === 'volatile' ? 'OPTIONS,POST' : 'OPTIONS,GET,HEAD,POST');

export const rootOptions = (): RestResponse => allow('OPTIONS,GET,HEAD');

/** Builds the response with the OpenAPI document. `body` is undefined if the client requested only the headers. */
export function respondOpenApi(body: Body | undefined, profile: Profile): RestResponse {
  const headers: HeaderList = [['Content-Type', 'application/openapi+json; charset=utf-8']];
  if (body !== undefined) headers.push(lengthHeader(body));
  if (profile.negotiated) headers.push(['Content-Profile', encodeHeader(profile.schema)]);
  return { status: 200, headers: [...headers, VARY], body: body ?? [] };
}
