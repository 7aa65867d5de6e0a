import { z } from 'zod';
import type {
  ActivityMinute,
  FunctionFacts,
  SourceFile,
  SourceText,
  SyntaxFault,
} from '../../../services/functions/index.ts';
import { json, noContent, type RouteTable, raw } from '../core/contract.ts';
import { headerName, headerValue } from '../core/header-fields.ts';
import type { AskedNodes } from '../nodes/contract.ts';
import type { NodeInvocation, NodeLogLine } from '../nodes/functions.ts';
import { personaText } from '../persona/contract.ts';

const invocation = z.object({
  method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD']),
  /** The path and query after the function's slug. Either an empty string or text that begins with a slash or `?`. */
  path: z
    .string()
    .max(8000)
    .regex(/^(?:[/?][!-~]*)?$/, 'begins with / or ?, and is percent-encoded')
    .default(''),
  headers: z
    .array(z.tuple([headerName, headerValue]))
    .max(50)
    .default([]),
  body: z.string().max(2_000_000).default(''),
  as: personaText,
});
const functionLogs = z.object({
  after: z.coerce.number<number>().int().min(0).default(0),
  /** The minimum level of the log lines to return. */
  level: z.enum(['debug', 'info', 'warn', 'error']).optional(),
  requestId: z.string().max(200).optional(),
  search: z.string().max(200).optional(),
});
const functionInvocations = z.object({ limit: z.coerce.number<number>().int().min(1).max(200).default(50) });

export interface FunctionResponse {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** The response body, as text or, if `isText` is false, in base64. */
  readonly body: string;
  readonly isText: boolean;
  /** The number of body bytes that were read. */
  readonly sizeBytes: number;
  /** Whether the body continues after the part that was read. */
  readonly isCut: boolean;
  /** The time until the response's first byte was received, and the time until the last byte that was read. */
  readonly headMs: number;
  readonly totalMs: number;
  readonly requestId: string | null;
}

const newFunction = z.object({
  name: z
    .string()
    .max(100)
    .regex(/^[A-Za-z][A-Za-z0-9_-]*$/, 'must start with a letter and contain only letters, digits, _ and -'),
});
const functionFile = z.object({ path: z.string().min(1).max(1000) });

const maxFileChars = 256 * 1024;
/** A file's path. Hidden files can contain secrets, and other programs run commands that they contain. */
const writablePath = z
  .string()
  .max(300)
  .regex(
    /^[\w@+-][\w.@+-]*(?:\/[\w@+-][\w.@+-]*){0,9}$/,
    'must consist of names with letters, digits, ., _, @, + and -, separated by slashes',
  )
  .refine(
    (path) => !/(?:^|\/)(?:node_modules|vendor)\//.test(`${path}/`),
    'must not be in a folder of packages',
  );
const sourceText = z.string().max(maxFileChars);
const savedFile = z
  .object({
    path: writablePath,
    text: sourceText,
    /** The revision that was edited, or null for a new file. */
    revision: z
      .string()
      .regex(/^[0-9a-f]{64}$/)
      .nullable(),
  })
  .strict();
const savedFiles = z
  .object({
    files: z
      .array(savedFile)
      .min(1)
      .max(50)
      .refine((files) => new Set(files.map(({ path }) => path)).size === files.length, 'has a file twice'),
  })
  .strict();
const draft = z.object({ path: z.string().min(1).max(1000), text: sourceText }).strict();

export type SavedFile = z.output<typeof savedFile>;

/** Where edited files are saved. Null if they can't be edited here. */
export type FunctionEditing = 'folder' | 'deployment' | null;
const newSecret = z.object({
  name: z.string().min(1).max(256),
  value: z
    .string()
    .min(1)
    .max(24 * 1024),
});

/** A secret that was set while the server was running. The secret's value is never sent to the page. */
export interface FunctionSecret {
  readonly name: string;
  readonly updatedAt: string;
}

export type {
  ActivityMinute,
  FunctionFacts,
  NodeInvocation as Invocation,
  NodeLogLine as FunctionLogLine,
  SourceFile,
  SourceText,
  SyntaxFault,
};

export const contract = {
  'GET /functions': { response: json<{ readonly functions: readonly FunctionFacts[] }>() },
  /** Creates a function from a template in the project folder. */
  'POST /functions': { body: newFunction, response: json<{ readonly path: string }>() },
  'GET /function-secrets': { response: json<{ readonly secrets: readonly FunctionSecret[] }>() },
  'POST /function-secrets': { body: newSecret, response: noContent },
  'DELETE /function-secrets/:name': { response: noContent },
  'GET /functions/:slug/activity': {
    response: json<{ readonly minutes: readonly ActivityMinute[]; readonly nodes: AskedNodes }>(),
  },
  'GET /functions/:slug/files': {
    response: json<{ readonly files: readonly SourceFile[]; readonly editing: FunctionEditing }>(),
  },
  /** Saves files in the project folder, or deploys them as a new version, whose number is returned. */
  'PUT /functions/:slug/files': {
    body: savedFiles,
    response: json<{ readonly version: number | null }>(),
  },
  /** Returns the first syntax error of a text, which is neither saved nor run. */
  'POST /functions/:slug/check': {
    body: draft,
    response: json<{ readonly fault: SyntaxFault | null }>(),
  },
  'GET /functions/:slug/file': { query: functionFile, response: json<SourceText>() },
  'GET /functions/:slug': { response: json<FunctionFacts>() },
  'POST /functions/:slug/invoke': { body: invocation, response: json<FunctionResponse>() },
  'GET /functions/:slug/invocations': {
    query: functionInvocations,
    response: json<{ readonly invocations: readonly NodeInvocation[]; readonly nodes: AskedNodes }>(),
  },
  'GET /functions/:slug/logs': {
    query: functionLogs,
    response: json<{ readonly lines: readonly NodeLogLine[] }>(),
  },
  /** Server-sent events. Each event is a {@link NodeLogLine}. */
  'GET /functions/:slug/logs/live': { query: functionLogs, response: raw },
} as const satisfies RouteTable;
