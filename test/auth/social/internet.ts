/**
 * Simulates other hosts in this process. The auth service's requests to these hosts are passed to the test's handlers.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createOutgoing, type Outgoing } from '../../../src/base/shared/network/outgoing.ts';

export interface Received {
  readonly method: string;
  readonly host: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly form: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
}

/** A response, whose content type is JSON unless the response specifies a different type. */
export type Answer =
  | object
  | { readonly status?: number; readonly type: string; readonly text: string }
  | { readonly status: number; readonly json: object };

export interface Internet {
  readonly outgoing: Outgoing;
  /** `place` is the host and path, such as `api.github.com/user`. */
  serve(place: string, handler: (request: Received) => Answer): void;
  /** Forwards all requests for a host to another server on this machine. */
  lead(host: string, base: string): void;
  readonly received: Received[];
  stop(): Promise<void>;
}

export async function createInternet(): Promise<Internet> {
  const handlers = new Map<string, (request: Received) => Answer>();
  const led = new Map<string, string>();
  const received: Received[] = [];
  const server = createServer((request, response) => {
    void answer(request, response);
  });
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    const [, host = '', rest = ''] = /^\/([^/]+)(\/.*)$/.exec(request.url ?? '') ?? [];
    const [path = '', search = ''] = rest.split('?', 2);
    const seen: Received = {
      method: request.method ?? '',
      host,
      path,
      query: new URLSearchParams(search),
      form: new URLSearchParams(body),
      headers: request.headers,
    };
    received.push(seen);
    const handler = handlers.get(host + path);
    const said: Answer = handler?.(seen) ?? { status: 404, json: { error: `nothing at ${host}${path}` } };
    if ('text' in said) {
      response.writeHead(said.status ?? 200, { 'content-type': said.type }).end(said.text);
    } else {
      const { status, json } = 'json' in said ? said : { status: 200, json: said };
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(json));
    }
  }
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const real = createOutgoing({ mode: 'development' });
  const isServed = (host: string) => [...handlers.keys()].some((place) => place.startsWith(`${host}/`));
  return {
    received,
    serve: (place, handler) => void handlers.set(place, handler),
    lead: (host, to) => void led.set(host, to),
    outgoing: {
      send(request) {
        const url = new URL(request.url);
        const rest = url.pathname + url.search;
        const target = led.get(url.host);
        if (target !== undefined) {
          const headers = { ...request.headers, 'x-forwarded-host': url.host, 'x-forwarded-proto': 'https' };
          return real.send({ ...request, headers, url: target + rest, reach: 'configured' });
        }
        if (!isServed(url.host)) return real.send(request);
        return real.send({ ...request, url: `${base}/${url.host}${rest}`, reach: 'configured' });
      },
      async requirePublic(text) {
        const url = URL.canParse(text) ? new URL(text) : undefined;
        const isKnown = url?.protocol === 'https:' && (led.has(url.host) || isServed(url.host));
        if (!isKnown) await real.requirePublic(text);
      },
    },
    stop: () =>
      new Promise((done) => {
        server.closeAllConnections();
        server.close(() => done());
      }),
  };
}
