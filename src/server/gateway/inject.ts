/** Handles requests within this process, without using the network. */
import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { traces } from '../../base/kernel/trace.ts';

/** Returns the app's response. With `asStream`, the promise resolves before the response's body is complete. */
export async function injectFetch(
  app: FastifyInstance,
  path: string,
  init: RequestInit = {},
  asStream = false,
): Promise<Response> {
  const headers = Object.fromEntries(new Headers(init.headers));
  // If this request is sent while a client's request is processed, it gets the ID of the client's request.
  const asking = traces.getStore();
  if (asking !== undefined) headers['x-request-id'] ??= asking.requestId;
  headers['user-agent'] ??= 'Plinth';
  const body =
    init.body === undefined || init.body === null
      ? undefined
      : Buffer.from(await new Response(init.body).arrayBuffer());
  const method = (init.method ?? 'GET') as 'GET';
  const response = await app.inject({
    method,
    url: path,
    headers,
    // Callers in this process set this header to the address of the client for which they send the request.
    remoteAddress: headers['x-forwarded-for'],
    ...(body === undefined ? {} : { payload: body }),
    ...(asStream ? { payloadAsStream: true } : {}),
    ...(asStream && init.signal ? { signal: init.signal } : {}),
  });
  const responseHeaders = new Headers();
  for (const [name, value] of Object.entries(response.headers)) {
    for (const item of Array.isArray(value) ? value : [value])
      if (item !== undefined) responseHeaders.append(name, String(item));
  }
  const bodiless = response.statusCode === 204 || response.statusCode === 304;
  const payload = (): ReadableStream | Uint8Array<ArrayBuffer> =>
    asStream ? (Readable.toWeb(response.stream()) as ReadableStream) : new Uint8Array(response.rawPayload);
  return new Response(bodiless ? null : payload(), {
    status: response.statusCode,
    headers: responseHeaders,
  });
}
