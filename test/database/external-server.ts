/**
 * Runs an external PostgreSQL server. The server's superuser is `admin`, connections over TCP require passwords, and
 * the server's extension folder isn't changed.
 */
import { type ChildProcessByStdio, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { findBinaries, linkLibraries } from '../../src/platform/database/embedded/binaries.ts';
import { chooseIdentity, commandAs, type Identity } from '../../src/platform/database/embedded/identity.ts';
import { freePort } from '../support/free-port.ts';

export interface ExternalServer {
  readonly port: number;
  /** The process ID of the postmaster. */
  pid(): number;
  /** Returns a URL for another user, database or password on this server. */
  url(user: string, database?: string, password?: string): string;
  stop(): Promise<void>;
  /** Ends the server immediately, as in an outage. Sessions aren't notified, and the next start runs a recovery. */
  crash(): Promise<void>;
  /** Starts the server again on the same port after {@link stop} or {@link crash}. A `standby` rejects writes. */
  start(mode?: 'standby'): Promise<void>;
  /** Copies the server to an empty folder, and starts the copy as a streaming standby. The server is restarted. */
  standby(folder: string, extra?: Settings): Promise<ExternalServer>;
}

type Settings = Readonly<Record<string, string | number | boolean>>;

/**
 * Returns the available PostgreSQL versions, and the folder that contains initdb and postgres for each version. These
 * are the embedded version and, if Debian's package is installed, the oldest supported version.
 */
export function availableServers(): { version: string; bin: string }[] {
  const binaries = findBinaries();
  linkLibraries(binaries);
  const servers = [{ version: '18', bin: dirname(binaries.postgres) }];
  const debian = '/usr/lib/postgresql/15/bin';
  if (existsSync(join(debian, 'postgres'))) servers.push({ version: '15', bin: debian });
  return servers;
}

export async function startExternalServer(
  bin: string,
  folder: string,
  extra: Settings = {},
): Promise<ExternalServer> {
  const identity = chooseIdentity([folder, bin]) as Identity;
  const data = join(folder, 'data');
  mkdirSync(data, { mode: 0o700 });
  const secret = join(folder, 'password');
  writeFileSync(secret, 'secret', { mode: 0o644 });
  if (identity.kind === 'user') chownSync(data, identity.uid, identity.gid);
  const initdb = commandAs(identity, join(bin, 'initdb'), [
    ...['-D', data, '-U', 'admin', '-E', 'UTF8', '--no-sync', '--auth=scram-sha-256', `--pwfile=${secret}`],
  ]);
  const made = spawnSync(initdb.file, initdb.args, { ...initdb.ids, cwd: '/', env, encoding: 'utf8' });
  if (made.status !== 0) throw new Error(made.stderr);
  return await startIn(folder, { identity, bin, extra });
}

const env = { PATH: '/usr/bin:/bin', LC_ALL: 'C' };

interface Launch {
  readonly identity: Identity;
  readonly bin: string;
  readonly extra: Settings;
}

/** Starts a server whose data is in the folder `data` of `folder`. */
async function startIn(folder: string, { identity, bin, extra }: Launch): Promise<ExternalServer> {
  const data = join(folder, 'data');
  const port = await freePort();
  const settings = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    fsync: 'off',
    wal_level: 'logical',
    ...extra,
  };
  const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const server = commandAs(identity, join(bin, 'postgres'), ['-D', data, ...args]);
  const launch = () =>
    spawn(server.file, server.args, { ...server.ids, cwd: '/', env, stdio: ['ignore', 'ignore', 'pipe'] });
  let child = launch();
  await untilReady(child);
  const end = async (signal: 'SIGINT' | 'SIGQUIT') => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'close');
    child.kill(signal);
    await ended;
  };
  const standbySignal = join(data, 'standby.signal');
  const stop = () => end('SIGINT');
  const start = async (mode?: 'standby') => {
    if (mode === 'standby') writeFileSync(standbySignal, '');
    else rmSync(standbySignal, { force: true });
    child = launch();
    await untilReady(child);
  };
  return {
    port,
    pid: () => child.pid as number,
    url: (user, database = 'postgres', password = 'secret') =>
      `postgresql://${user}:${password}@127.0.0.1:${port}/${database}`,
    stop,
    crash: () => end('SIGQUIT'),
    start,
    async standby(target, standbyExtra = {}) {
      await stop();
      const copied = spawnSync('cp', ['-a', data, join(target, 'data')], { encoding: 'utf8' });
      if (copied.status !== 0) throw new Error(copied.stderr);
      await start();
      const primary_conninfo = `host=127.0.0.1 port=${port} user=admin password=secret application_name=standby`;
      writeFileSync(join(target, 'data', 'standby.signal'), '');
      return await startIn(target, { identity, bin, extra: { primary_conninfo, ...standbyExtra } });
    },
  };
}

function untilReady(child: ChildProcessByStdio<null, null, Readable>): Promise<void> {
  return new Promise((resolve, reject) => {
    const lines: string[] = [];
    createInterface({ input: child.stderr }).on('line', (line) => {
      lines.push(line);
      if (/ready to accept (read-only )?connections/.test(line)) resolve();
    });
    child.once('close', () => reject(new Error(lines.join('\n'))));
  });
}
