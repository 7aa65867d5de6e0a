/** Starts PgBouncer in transaction mode in front of a test database, with one user. */
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { canTrackStatements } from '../src/platform/database/external/pooler.ts';
import { Client, type ConnectionOptions } from '../src/platform/database/wire/index.ts';
import { freePort } from '../test/support/free-port.ts';

export interface PgBouncer {
  /** The options for connecting as the user through PgBouncer. */
  readonly target: ConnectionOptions;
  /** The operating system's process ID. */
  readonly pid: number;
  stop(): void;
}

const startTimeoutMs = 5000;

/** Whether this version has the setting max_prepared_statements. Earlier versions reject it. */
export function hasTracking(program: string): boolean {
  const { stdout } = spawnSync(program, ['--version'], { encoding: 'utf8' });
  const [, major, minor] = /(\d+)\.(\d+)/.exec(stdout) ?? [];
  return Number(major) > 1 || Number(minor) >= 21;
}

/** `program` is the path of PgBouncer, and `target` contains the address of PostgreSQL, the user and the password. */
export async function startPgBouncer(program: string, target: ConnectionOptions): Promise<PgBouncer> {
  const folder = mkdtempSync(join(tmpdir(), 'plinth-pgbouncer-'));
  chmodSync(folder, 0o755);
  const write = (name: string, lines: readonly string[]): string => {
    const path = join(folder, name);
    writeFileSync(path, `${lines.join('\n')}\n`);
    return path;
  };
  const port = await freePort();
  const users = write('userlist.txt', [`"${target.user}" "${target.password}"`]);
  const settings = write('pgbouncer.ini', [
    '[databases]',
    `* = host=${target.host} port=${target.port}`,
    '[pgbouncer]',
    ...['listen_addr = 127.0.0.1', `listen_port = ${port}`, 'unix_socket_dir ='],
    ...['auth_type = scram-sha-256', `auth_file = ${users}`, 'pool_mode = transaction'],
    ...(hasTracking(program) ? ['max_prepared_statements = 200'] : []),
  ]);
  const isRoot = process.getuid?.() === 0;
  const child = spawn(program, ['-q', ...(isRoot ? ['-u', 'nobody'] : []), settings], { stdio: 'ignore' });
  const pooled = { ...target, host: '127.0.0.1', port, isPooled: true, namedStatements: false };
  const deadline = performance.now() + startTimeoutMs;
  for (;;) {
    try {
      const client = await Client.connect(pooled);
      await client.connection.close();
      break;
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await sleep(50);
    }
  }
  return {
    target: { ...pooled, namedStatements: await canTrackStatements(pooled) },
    pid: child.pid as number,
    stop() {
      child.kill('SIGINT');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
