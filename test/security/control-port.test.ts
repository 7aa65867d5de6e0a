/**
 * Tests that after a process was killed, another program on its control port doesn't receive the token. Any user on the
 * machine can listen on that port.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import {
  type ControlServer,
  findRunning,
  type RemoteCall,
  startControl,
} from '../../src/entry/cli/control.ts';
import { ensureDataDir, writeState } from '../../src/entry/cli/state.ts';
import { makeProject } from '../config/project-folder.ts';

const stops: (() => void)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

/** Creates a data folder whose last process used this port. */
function leftBy(port: number, token: string): string {
  const projectDir = makeProject({});
  const dataDir = join(projectDir, '.plinth');
  ensureDataDir(dataDir);
  const startedAt = new Date().toISOString();
  writeState(dataDir, { pid: 1, mode: 'production', startedAt, projectDir, controlPort: port, token });
  return dataDir;
}

it('another program on that port doesn’t receive the token and isn’t mistaken for Plinth', async () => {
  const heard: string[] = [];
  const squatter = createServer((request, response) => {
    heard.push(JSON.stringify(request.headers));
    response.end('{"result":1}\n');
  });
  stops.push(() => squatter.close());
  await new Promise<void>((resolve) => squatter.listen(0, '127.0.0.1', resolve));
  const dataDir = leftBy((squatter.address() as AddressInfo).port, 'the-token');
  expect(await findRunning(dataDir)).toBeUndefined();
  expect(heard.join()).not.toContain('the-token');
});

it('the process with the token receives the command', async () => {
  const operations = new Map<string, RemoteCall>([
    ['ping', async () => 1],
    ['add', async ({ a }) => Number(a) + 1],
  ]);
  const control: ControlServer = await startControl(async (name) => operations.get(name));
  stops.push(control.close);
  const running = await findRunning(leftBy(control.port, control.token));
  expect(await running?.call('add', { a: 1 })).toBe(2);
  expect(await findRunning(leftBy(control.port, 'another'))).toBeUndefined();
});
