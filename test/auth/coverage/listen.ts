/**
 * Records each response below `/auth/v1` that a server in this process sends. The module subscribes to Node's HTTP
 * server, so it records responses to all kinds of clients.
 */
import { subscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { errorCodeOf, responseText } from './recorded-responses.ts';

const mount = '/auth/v1';
const seen = new Set<string>();
let currentFile = '';

subscribe('http.server.request.start', (message) => {
  const { request, response } = message as { request: IncomingMessage; response: ServerResponse };
  // The URL must be read at this point, because frameworks rewrite it later.
  const { method = '', url = '' } = request;
  if (!url.startsWith(`${mount}/`)) return;
  // `getHeader` doesn't return headers that only `writeHead` receives.
  let location: unknown;
  const writeHead = response.writeHead.bind(response) as (...args: unknown[]) => ServerResponse;
  response.writeHead = ((...args: unknown[]) => {
    location = locationIn(args.at(-1)) ?? response.getHeader('location');
    return writeHead(...args);
  }) as typeof response.writeHead;
  const end = response.end.bind(response) as (...args: unknown[]) => ServerResponse;
  response.end = ((...args: unknown[]) => {
    const body = typeof args[0] === 'string' ? args[0] : '';
    location ??= response.getHeader('location');
    const path = url.slice(mount.length).split('?', 1)[0] ?? '';
    const code = errorCodeOf(response.statusCode, body, typeof location === 'string' ? location : undefined);
    seen.add(responseText({ method, path, status: response.statusCode, ...code, file: currentFile }));
    return end(...args);
  }) as typeof response.end;
});

/** Returns the `location` of the headers that `writeHead` receives: an object, or alternating names and values. */
function locationIn(headers: unknown): unknown {
  if (typeof headers !== 'object' || headers === null) return undefined;
  const pairs = Array.isArray(headers)
    ? headers
        .map((name, index) => [String(name), headers[index + 1]] as const)
        .filter((_, index) => index % 2 === 0)
    : Object.entries(headers as OutgoingHttpHeaders);
  return pairs.find(([name]) => name.toLowerCase() === 'location')?.[1];
}

/** Starts a new recording for a test file, which may run in the same process as earlier files. */
export function startRecording(file: string): void {
  currentFile = file;
  seen.clear();
}

/** Returns the responses that were recorded since {@link startRecording}, one per line. */
export const recorded = (): readonly string[] => [...seen];
