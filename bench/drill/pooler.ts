/** Runs PgBouncer with the project's own settings (deploy/pgbouncer.ini) and the users that Plinth prints. */
import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ExternalServer } from '../../test/database/external-server.ts';
import { freePort } from '../../test/support/free-port.ts';
import { hasTracking } from '../pgbouncer.ts';
import { plinthBin } from './node.ts';
import { programPath } from './programs.ts';

export interface Pooler {
  readonly url: string;
  readonly pid: number;
  stop(): void;
}

const template = fileURLToPath(new URL('../../deploy/pgbouncer.ini', import.meta.url));

/** The nodes connect as the superuser through the URL of PostgreSQL itself, and as Plinth's users through PgBouncer. */
export async function startPooler(folder: string, server: ExternalServer): Promise<Pooler> {
  const program = programPath('pgbouncer');
  const users = join(folder, 'userlist.txt');
  const command = ['db', 'pooler-users', '--database-url', server.url('admin', 'app'), '-f', users];
  execFileSync(process.execPath, [plinthBin, ...command], { cwd: folder, stdio: 'ignore' });
  // PgBouncer doesn't run as root, and the user that it runs as must read the file.
  chmodSync(users, 0o644);
  const port = await freePort();
  const settings = join(folder, 'pgbouncer.ini');
  const text = readFileSync(template, 'utf8')
    .replace('host=db.internal port=5432', `host=127.0.0.1 port=${server.port}`)
    .replace('listen_port = 6432', `listen_port = ${port}\nunix_socket_dir =`)
    .replace('/etc/pgbouncer/userlist.txt\n\n', `${users}\n\n`)
    .replace(/^max_prepared_statements.*$/m, hasTracking(program) ? '$&' : '');
  writeFileSync(settings, text);
  const isRoot = process.getuid?.() === 0;
  const child = spawn(program, ['-q', ...(isRoot ? ['-u', 'nobody'] : []), settings], { stdio: 'ignore' });
  return {
    url: `postgresql://admin:secret@127.0.0.1:${port}/app`,
    pid: child.pid as number,
    stop: () => void child.kill('SIGINT'),
  };
}
