/**
 * Creates data folders of an earlier major version. No release of Plinth has used an earlier major version, so this
 * module creates such a folder with Debian's PostgreSQL 15 and Plinth's own SQL files. PostgreSQL 15 searches for
 * extensions only in a folder relative to its programs, so the programs are copied to a folder that contains Plinth's
 * extensions.
 */
import { spawnSync } from 'node:child_process';
import {
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { findBinaries, linkLibraries } from '../../src/platform/database/embedded/binaries.ts';
import { prepareExtensionFolder } from '../../src/platform/database/embedded/extension-folder.ts';
import { chooseIdentity, commandAs, type Identity } from '../../src/platform/database/embedded/identity.ts';
import { startServer } from '../../src/platform/database/embedded/server.ts';
import type { ConnectionOptions } from '../../src/platform/database/wire/index.ts';
import { knownPacks } from '../../src/platform/packs/index.ts';

const installed = '/usr/lib/postgresql/15';

/** The reason why tests with PostgreSQL 15 are skipped, or undefined if they can run. */
export const missingOldVersion = existsSync(join(installed, 'bin', 'postgres'))
  ? undefined
  : 'PostgreSQL 15 is not installed (on Debian 12: apt-get install postgresql-15)';

/** Copies the programs of PostgreSQL 15, and returns the folder below `folder` that contains the copies. */
export function copyOldPrograms(folder: string): string {
  const root = join(folder, 'usr');
  const bin = join(root, 'lib', 'postgresql', '15', 'bin');
  const share = join(root, 'share', 'postgresql', '15');
  mkdirSync(bin, { recursive: true, mode: 0o755 });
  for (const name of ['postgres', 'initdb']) copyFileSync(join(installed, 'bin', name), join(bin, name));
  symlinkSync(join(installed, 'lib'), join(bin, '..', 'lib'));
  const stock = '/usr/share/postgresql/15';
  mkdirSync(join(share, 'extension'), { recursive: true, mode: 0o755 });
  for (const name of readdirSync(stock).filter((each) => each !== 'extension'))
    symlinkSync(join(stock, name), join(share, name));
  const stockExtensions = new Set(readdirSync(join(stock, 'extension')));
  for (const name of stockExtensions)
    symlinkSync(join(stock, 'extension', name), join(share, 'extension', name));
  const binaries = findBinaries();
  linkLibraries(binaries);
  const own = join(prepareExtensionFolder(folder, binaries).base, 'extension');
  // The scripts of contrib modules aren't copied, because each major version has its own scripts.
  for (const name of readdirSync(own)) {
    const isStock = existsSync(join(binaries.stockExtensions, name)) || stockExtensions.has(name);
    const isPack = knownPacks.some(
      (pack) => name === `${pack.name}.control` || name.startsWith(`${pack.name}--`),
    );
    // Packs contain libraries for PostgreSQL 18.
    if (isStock || isPack) continue;
    // PostgreSQL 15 supports neither references to another extension's schema (`@extschema:name@`) nor the
    // event_triggers setting.
    const text = readFileSync(join(own, name), 'utf8')
      .replaceAll(/@extschema:\w+@/g, 'extensions')
      .replaceAll(/^(set local event_triggers = |select .*'plinth\.event_triggers').*;$/gm, '');
    writeFileSync(join(share, 'extension', name), text);
  }
  return bin;
}

export interface OldCluster {
  target(database: string): ConnectionOptions;
  stop(): Promise<void>;
}

/** Creates `pgdata` as an earlier version of Plinth would, and starts a server on a socket in `folder`. */
export async function startOldCluster(bin: string, folder: string, pgdata: string): Promise<OldCluster> {
  const identity = chooseIdentity([folder, bin]) as Identity;
  const own = (path: string): void => {
    if (identity.kind === 'user') chownSync(path, identity.uid, identity.gid);
  };
  const secret = join(folder, 'password');
  writeFileSync(secret, 'secret', { mode: 0o644 });
  mkdirSync(pgdata, { mode: 0o700 });
  own(pgdata);
  const initdb = commandAs(identity, join(bin, 'initdb'), [
    ...[
      `--pgdata=${pgdata}`,
      '--username=supabase_admin',
      '--encoding=UTF8',
      '--locale=C',
      '--lc-ctype=C.UTF-8',
    ],
    ...[
      '--locale-provider=icu',
      '--icu-locale=en_US.UTF-8',
      '--auth=scram-sha-256',
      `--pwfile=${secret}`,
      '--no-sync',
    ],
  ]);
  const env = { PATH: '/usr/bin:/bin', LC_ALL: 'C' };
  const made = spawnSync(initdb.file, initdb.args, { ...initdb.ids, cwd: '/', env, encoding: 'utf8' });
  if (made.status !== 0) throw new Error(made.stderr);
  const vaultKey = join(pgdata, 'plinth_vault.key');
  writeFileSync(vaultKey, 'ab'.repeat(32), { mode: 0o600 });
  own(vaultKey);
  const socketDir = join(folder, 'socket');
  mkdirSync(socketDir, { mode: 0o700 });
  own(socketDir);
  const server = await startServer({
    binaries: { postgres: join(bin, 'postgres') },
    identity,
    pgdata,
    args: Object.entries({
      listen_addresses: '',
      unix_socket_directories: socketDir,
      fsync: 'off',
      wal_level: 'logical',
      timezone: 'UTC',
      password_encryption: 'scram-sha-256',
    }).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    onLine: () => {},
  });
  return {
    target: (database) => ({
      host: socketDir,
      port: 5432,
      user: 'supabase_admin',
      password: 'secret',
      database,
      sslMode: 'disable',
      parameters: { search_path: 'public', role: 'none' },
    }),
    stop: () => server.stop(),
  };
}
