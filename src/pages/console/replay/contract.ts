import { z } from 'zod';
import type { DiffLine } from '../../../base/shared/diff-lines.ts';
import { json, type RouteTable } from '../core/contract.ts';
import { personaText } from '../persona/contract.ts';

/** Headers with which a replay would run with other rights than the chosen persona's. */
const ownHeaders = /^(authorization|apikey|cookie|host|content-length)$/i;
const headerName = z
  .string()
  .regex(/^[a-z0-9!#$%&'*+.^_`|~-]{1,100}$/, "isn't a header name in lowercase letters")
  .refine((name) => !ownHeaders.test(name), 'is set by the replay');
const headerValue = z
  .string()
  .max(4000)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a header's value can't contain control characters
  .regex(/^[^\u0000-\u0008\u000a-\u001f\u007f]*$/, "can't contain control characters");

const request = z.object({
  as: personaText,
  method: z.enum(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']),
  /** The path with the query, such as `/rest/v1/notes?select=*`. */
  path: z
    .string()
    .max(16_000)
    .regex(/^\/[^#\\\s]*$/, "isn't a path"),
  headers: z
    .record(headerName, headerValue)
    .refine((headers) => Object.keys(headers).length <= 30, 'must be at most 30 headers')
    .default({}),
  body: z.string().max(1_000_000).default(''),
  /** Whether the operator knows that functions can have effects outside the transaction. */
  acceptsEffects: z.boolean().default(false),
  /** The ID of the logged request, for the audit log. */
  requestId: z.string().max(200).optional(),
});

export const expectations = ['succeeds', 'fails', 'rows', 'no-rows'] as const;
export type Expectation = (typeof expectations)[number];

/** `earlier` is the response that the app received, which is compared with the response of the replay. */
const comparison = request.extend({ earlier: z.string().max(256_000).optional() });
const test = request.extend({ expects: z.enum(expectations) });

export type ReplayKind = 'rest' | 'graphql' | 'storage';
/** The reason why a request can't be replayed. The page has a text for each. */
export type Unsupported = 'auth' | 'functions' | 'realtime' | 'storage-write' | 'other';

export interface ReplayOptions {
  /** The extensions whose functions have effects that a rollback doesn't undo. */
  readonly effects: readonly string[];
  /** Whether tests can be written into the project folder. */
  readonly writesTests: boolean;
}

/** A logged request, with the values with which the form begins. */
export interface LoggedRequest {
  readonly requestId: string;
  readonly at: number;
  readonly method: string;
  readonly path: string;
  readonly status: number | null;
  readonly durationMs: number | null;
  readonly role: string | null;
  readonly userId: string | null;
  /** The persona whose access the request had, and its display name. */
  readonly as: string;
  readonly name: string;
  /** Whether the user has been deleted since. The claims then contain only the user's ID and role. */
  readonly isUserGone: boolean;
  readonly kind: ReplayKind | null;
  readonly unsupported: Unsupported | null;
  /** The headers that the log suggests. The log doesn't contain headers. */
  readonly headers: Readonly<Record<string, string>>;
  /** Whether the request had a body, which the log doesn't contain. */
  readonly hasBody: boolean;
  /** Whether the log contains only a part of the query. */
  readonly isQueryCut: boolean;
}

export interface ReplayResult {
  readonly status: number;
  readonly durationMs: number;
  /** The number of rows in the response. Null if the response doesn't contain rows. */
  readonly rows: number | null;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
  readonly isCut: boolean;
  /** Whether the request was canceled because it took too long. */
  readonly isTimedOut: boolean;
  readonly role: string;
  readonly name: string;
  readonly access: 'read only' | 'read write';
  /** The differences from the earlier response. Null if there is none. */
  readonly diff: readonly DiffLine[] | null;
}

export interface GeneratedTest {
  /** The name of the file. */
  readonly name: string;
  readonly text: string;
  /** Whether the request behaves now as the test expects. */
  readonly passes: boolean;
}

export const contract = {
  'GET /replays': { response: json<ReplayOptions>() },
  'GET /replays/:id': { response: json<LoggedRequest>() },
  'POST /replays': { body: comparison, response: json<ReplayResult>() },
  /** Returns a pgTAP test of the request. */
  'POST /replays/test': { body: test, response: json<GeneratedTest>() },
  /** Writes the test into the project folder. */
  'POST /replays/test/file': { body: test, response: json<{ readonly path: string }>() },
} as const satisfies RouteTable;

export type ReplayInput = z.output<typeof request>;
export type TestInput = z.output<typeof test>;
