/** Links project folders to a test server, as developers do with `plinth link URL`. */
import { createServer, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished } from 'vitest';
import type { Backend } from '../../src/entry/main.ts';
import { makeProject } from '../config/project-folder.ts';
import { plinth, type Result } from './run-plinth.ts';

export type Role = 'owner' | 'developer' | 'read-only';

/** Creates an operator with this role and returns a new access token. */
export async function tokenOf(
  backend: Pick<Backend, 'operators' | 'consoleLink'>,
  role: Role,
): Promise<string> {
  if (role === 'owner') await backend.consoleLink();
  else await backend.operators.createOperator(role, role);
  return (await backend.operators.tokens.create(`${role} token`, role, 3600)).token;
}

export interface LinkedProject {
  readonly cwd: string;
  run(...args: string[]): Promise<Result>;
}

/** Creates a project folder that is linked to the server. */
export async function linkProject(
  url: string,
  token: string,
  files: Readonly<Record<string, string>>,
): Promise<LinkedProject> {
  const cwd = makeProject({ 'supabase/config.toml': 'project_id = "app"', ...files });
  const linked = await plinth(['link', url, '--token', token], { cwd });
  expect([linked.status, linked.stdout]).toEqual([0, 'Finished link.\n']);
  return { cwd, run: (...args) => plinth(args, { cwd }) };
}

export interface LosingProxy {
  readonly url: string;
  /** Returns the number of discarded responses. */
  lost(): number;
  /** Closes the connections of all requests that have no response yet. */
  cut(): void;
}

/**
 * Starts a proxy in front of a server. The proxy discards the first response to a request that `loses` selects, and
 * closes the connection instead.
 */
export async function losingProxy(
  target: string,
  loses: (method: string, path: string) => boolean,
): Promise<LosingProxy> {
  let lost = 0;
  const pending = new Set<ServerResponse>();
  const { host, port } = new URL(target);
  const server = createServer((incoming, outgoing) => {
    const { method = '', url: path = '' } = incoming;
    pending.add(outgoing);
    const isLost = lost === 0 && loses(method, path);
    if (isLost) lost++;
    const forwarded = request(
      { host: '127.0.0.1', port, method, path, headers: { ...incoming.headers, host } },
      (response) => {
        if (isLost) response.resume().once('end', () => outgoing.destroy());
        else {
          pending.delete(outgoing);
          outgoing.writeHead(response.statusCode ?? 500, response.headers);
          response.pipe(outgoing);
        }
      },
    );
    outgoing.once('close', () => forwarded.destroy());
    forwarded.on('error', () => outgoing.destroy());
    incoming.pipe(forwarded);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const cut = (): void => {
    for (const outgoing of pending) outgoing.destroy();
    pending.clear();
  };
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, lost: () => lost, cut };
}
