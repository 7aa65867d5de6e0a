/**
 * Runs one statement in PostgreSQL's single-user mode, as the cluster's first superuser, while the server isn't
 * running. Single-user mode needs neither a password nor a port, so Plinth uses this mode to reset the superuser's
 * password.
 */
import { spawn } from 'node:child_process';
import { quoteLiteral } from '../../../base/kernel/sql.ts';
import { DatabaseError } from '../errors.ts';
import type { Binaries } from './binaries.ts';
import { commandAs, type Identity } from './identity.ts';
import { serverEnvironment } from './server.ts';

export async function setSuperuserPassword(
  binaries: Binaries,
  identity: Identity,
  pgdata: string,
  verifier: string,
): Promise<void> {
  // Settings that are passed with `-c` override those in the configuration file. The statement runs in a database whose
  // settings can't be changed by projects.
  const { file, args, ids } = commandAs(identity, binaries.postgres, [
    '--single',
    '-D',
    pgdata,
    ...['-c', 'shared_preload_libraries=', '-c', 'log_statement=none', '-c', 'log_min_error_statement=panic'],
    'template1',
  ]);
  const child = spawn(file, args, {
    ...ids,
    cwd: '/',
    env: serverEnvironment(),
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  child.stdin.on('error', () => undefined);
  // In single-user mode, each input line is a separate statement.
  child.stdin.end(`alter role supabase_admin password ${quoteLiteral(verifier)}\n`);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  const failed = /^.*(ERROR|FATAL|PANIC): .*$/m.exec(stderr)?.[0];
  if (code !== 0 || failed !== undefined) {
    throw new DatabaseError('start_failed', { reason: failed ?? stderr.trim() });
  }
}
