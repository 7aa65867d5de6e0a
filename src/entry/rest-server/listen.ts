/**
 * Opens listeners. Supports PostgREST's special host values, shared ports, and Unix sockets with a configurable file
 * mode.
 */
import { chmodSync, existsSync, rmSync } from 'node:fs';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { request } from '../../base/kernel/http.ts';
import type { Listener, ServerConfig } from './config.ts';

interface Address {
  readonly host: string;
  readonly ipv6Only?: boolean;
}

/**
 * The addresses for PostgREST's special host values, in the order in which they are tried. `::` covers both address
 * families if the system supports both.
 */
const SPECIAL: Readonly<Record<string, readonly Address[]>> = {
  '*': [{ host: '::' }, { host: '0.0.0.0' }],
  '*6': [{ host: '::' }, { host: '0.0.0.0' }],
  '*4': [{ host: '0.0.0.0' }, { host: '::' }],
  '!4': [{ host: '0.0.0.0' }],
  '!6': [{ host: '::', ipv6Only: true }],
};

/** Whether a host is one of PostgREST's special values, which can't be used in a URL. */
const isSpecialHost = (host: string): boolean => Object.hasOwn(SPECIAL, host);

/** Returns the address that the server listens on, such as `0.0.0.0:3000`, `[::]:3000` or `/tmp/pgrst.sock`. */
export async function listen(server: Server, listener: Listener): Promise<string> {
  const { unixSocket, mode } = listener;
  if (unixSocket !== undefined) {
    // Removes a socket file that a killed process left behind.
    rmSync(unixSocket, { force: true });
    await once(server, { path: unixSocket });
    chmodSync(unixSocket, mode);
    return unixSocket;
  }
  const addresses = SPECIAL[listener.host] ?? [{ host: listener.host }];
  for (const [index, address] of addresses.entries()) {
    try {
      await once(server, { ...address, port: listener.port, reusePort: listener.reusePort });
      break;
    } catch (error) {
      const unknownFamily = ['EAFNOSUPPORT', 'EADDRNOTAVAIL'].includes(
        (error as NodeJS.ErrnoException).code ?? '',
      );
      if (!unknownFamily || index === addresses.length - 1)
        throw inWords(error as NodeJS.ErrnoException, listener);
    }
  }
  const { address, port, family } = server.address() as AddressInfo;
  return family === 'IPv6' ? `[${address}]:${port}` : `${address}:${port}`;
}

/** Whether the server still accepts connections. For a Unix socket, its file must also exist. */
export function isListening(server: Server): boolean {
  const address = server.address();
  return address !== null && (typeof address !== 'string' || existsSync(address));
}

function once(server: Server, options: Parameters<Server['listen']>[0] & object): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(options, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function inWords(error: NodeJS.ErrnoException, { host, port }: Listener): Error {
  if (error.code === 'EADDRINUSE') {
    error.message = `Port ${port} is in use by another program (address in use). Stop that program, or use another port or 0 for a free port.`;
  } else if (error.code === 'ENOTFOUND' || error.code === 'EADDRNOTAVAIL') {
    error.message = `${host} isn't an address of this machine. Correct server-host, or remove it.`;
  }
  return error;
}

type Readiness =
  | { readonly ok: true; readonly url: string }
  | { readonly ok: false; readonly reason: string };

const TIMEOUT_MS = 5000;

/** Implements `--ready`, which queries the admin server of a running process that has the same configuration. */
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
