/** Implements `--ready`, which queries the admin server of a running process that has the same configuration. */
import { request } from '../../base/kernel/http.ts';
import type { ServerConfig } from './config.ts';
import { isSpecialHost } from './listen.ts';

export type Readiness =
  | { readonly ok: true; readonly url: string }
  | { readonly ok: false; readonly reason: string };

const TIMEOUT_MS = 5000;

export async function requestReady({ admin }: ServerConfig): Promise<Readiness> {
  if (admin === undefined) {
    return { ok: false, reason: 'Admin server is not running. Please check admin-server-port config.' };
  }
  const { host, port, unixSocket } = admin;
  if (unixSocket === undefined && isSpecialHost(host)) {
    return {
      ok: false,
      reason: `--ready doesn't work if server-host is ${host}. Set server-host to localhost.`,
    };
  }
  const name = host.includes(':') ? `[${host}]` : host;
  const url = unixSocket === undefined ? `http://${name}:${port}/ready` : `${unixSocket}/ready`;
  const address = unixSocket === undefined ? { host, port } : { socketPath: unixSocket };
  return new Promise((resolve) => {
    const pending = request({ ...address, path: '/ready', timeout: TIMEOUT_MS }, (response) => {
      response.resume();
      const { statusCode = 0 } = response;
      resolve(
        statusCode === 200 ? { ok: true, url } : { ok: false, reason: `${url} returned ${statusCode}.` },
      );
    });
    pending.once('timeout', () => pending.destroy(new Error('no answer')));
    pending.once('error', (error) =>
      resolve({ ok: false, reason: `connection refused to ${url}: ${error.message}` }),
    );
    pending.end();
  });
}
