/** Tests that only this process's user can sign in to the old cluster of an upgrade, and only on a private socket. */
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { silentLogger } from '../../src/base/kernel/log.ts';
import { sql } from '../../src/base/kernel/sql.ts';
import { findBinaries } from '../../src/platform/database/embedded/binaries.ts';
import { startCluster } from '../../src/platform/database/embedded/cluster.ts';
import { chooseIdentity } from '../../src/platform/database/embedded/identity.ts';
import { openClusterPair } from '../../src/platform/database/index.ts';
import { Client } from '../../src/platform/database/wire/index.ts';

/** Sends the startup message of a superuser session and prints PostgreSQL's first response. */
const signIn = `
  const socket = require('node:net').connect(process.argv[1]);
  const text = Buffer.from('user\\0supabase_admin\\0database\\0postgres\\0\\0');
  const head = Buffer.alloc(8);
  head.writeInt32BE(text.length + 8, 0);
  head.writeInt32BE(196608, 4);
  socket.on('connect', () => socket.write(Buffer.concat([head, text])));
  socket.on('error', (error) => console.log(error.code));
  socket.on('data', (data) => {
    const isAccepted = data[0] === 0x52 && data.readInt32BE(5) === 0;
    console.log(isAccepted ? 'accepted' : data.toString('latin1').replaceAll('\\0', ' '));
    socket.destroy();
  });
`;
const signInAs = (path: string, ids: { uid?: number; gid?: number }): string =>
  spawnSync(process.execPath, ['-e', signIn, path], { ...ids, cwd: '/', encoding: 'utf8' }).stdout.trim();

let root: string;
let dataDir: string;

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'plinth-upgrade-'));
  chmodSync(root, 0o711);
  // The longest path for which the socket is in the data folder.
  const padding = 77 - Buffer.byteLength(join(root, 'x', '.plinth', 'run')) + 1;
  const project = join(root, 'x'.repeat(padding));
  mkdirSync(project, { mode: 0o711 });
  dataDir = join(project, '.plinth');
  const cluster = await startCluster({
    dataDir,
    port: null,
    durable: false,
    settings: {},
    password: 'postgres',
    sharedPassword: false,
    log: silentLogger,
    onProgress: () => {},
  });
  expect(cluster.socketDir).toBe(join(dataDir, 'run'));
  await cluster.stop();
});
afterAll(() => root && rmSync(root, { recursive: true, force: true, maxRetries: 5 }));

test('the old cluster accepts only this process’s user, in a folder that can’t be predicted', async () => {
  const open = () => openClusterPair({ dataDir, isRehearsal: true, onLine: () => {}, onProgress: () => {} });
  const folders: string[] = [];
  for (const _round of [1, 2]) {
    const pair = await open();
    try {
      const server = await pair.startCurrent(findBinaries().postgres);
      try {
        const target = server.target('postgres');
        const folder = target.host as string;
        folders.push(folder);
        expect(dirname(folder)).toBe(join(dataDir, 'run'));
        expect(statSync(folder).mode & 0o777).toBe(0o700);
        expect(existsSync(join(dataDir, 'run', '.s.PGSQL.5432'))).toBe(false);
        const client = await Client.connect(target);
        const [row] = await client.query(sql`select current_user::text as role`);
        expect(row).toEqual({ role: 'supabase_admin' });
        await client.connection.close();
        const socket = join(folder, '.s.PGSQL.5432');
        expect(signInAs(socket, {})).toBe('accepted');
        const identity = chooseIdentity([dataDir]);
        if (identity?.kind === 'user') {
          // The server's user is the only other user that can open the socket.
          expect(signInAs(socket, identity)).toContain('Peer authentication failed');
          expect(signInAs(socket, { uid: 12_345, gid: 12_345 })).toBe('EACCES');
        }
      } finally {
        await server.stop();
      }
    } finally {
      pair.release();
    }
  }
  expect(new Set(folders).size).toBe(2);
  expect(readdirSync(join(dataDir, 'run')).filter((name) => !name.startsWith('.'))).toEqual([]);
});
