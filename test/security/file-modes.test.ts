/**
 * Tests that only the server's owner can read its data folder. Logs contain the output of functions, and folder names
 * reveal users.
 */
import { chmodSync, lstatSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { plinth } from '../cli/run-plinth.ts';
import { makeProject } from '../config/project-folder.ts';
import { startServe } from './serve-process.ts';

// The timeout is long, because each test starts several processes, some of which create a cluster.
/**
 * The folders of PostgreSQL, which can run as a different user. PostgreSQL protects its data itself, and must be able
 * to read its programs and extensions.
 */
const ofPostgres = new Set(['postgres', 'bin', 'extensions']);

/**
 * Returns everything that users other than the owner can read or use. Other users can't reach files in a private
 * folder, but logs are also checked, because they may be copied elsewhere.
 */
function openTo(dataDir: string, below = ''): string[] {
  const names = readdirSync(join(dataDir, below)).filter((name) => below !== '' || !ofPostgres.has(name));
  const open = names.flatMap((name) => {
    const path = join(below, name);
    const facts = lstatSync(join(dataDir, path), { throwIfNoEntry: false });
    if (facts === undefined || facts.isSymbolicLink()) return [];
    const isOpen = (facts.mode & 0o077) !== 0;
    const inner = facts.isDirectory() && (isOpen || name === 'logs') ? openTo(dataDir, path) : [];
    return isOpen ? [path, ...inner] : inner;
  });
  // Other users can enter the data folder to reach PostgreSQL's folder, but can't list it.
  return below !== '' || (statSync(dataDir).mode & 0o066) === 0 ? open : ['.', ...open];
}

const project = {
  'supabase/functions/hello/index.ts': `import { x } from '../_shared/x.ts';
    console.log('said'); Deno.serve(() => new Response(x));`,
  'supabase/functions/_shared/x.ts': `export const x = 'hello';`,
};

async function use(apiUrl: string, key: string): Promise<void> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'text/plain' };
  expect(await (await fetch(`${apiUrl}/functions/v1/hello`, { headers })).text()).toBe('hello');
  const post = (path: string, body: string, type = 'application/json') =>
    fetch(`${apiUrl}${path}`, { method: 'POST', body, headers: { ...headers, 'content-type': type } });
  await post('/storage/v1/bucket', '{"id":"b","name":"b"}');
  expect((await post('/storage/v1/object/b/a.txt', 'text', 'text/plain')).status).toBe(200);
}

it.each(['serve', 'start'])('a new folder of %s is accessible only to its owner', async (command) => {
  if (command === 'start') {
    const cwd = makeProject(project);
    const { stdout } = await plinth(['start', '--detach', '--port', '0', '--json'], { cwd });
    const { API_URL = '', ANON_KEY = '', SERVICE_ROLE_KEY = ANON_KEY } = JSON.parse(stdout);
    try {
      await use(API_URL, SERVICE_ROLE_KEY);
      expect(openTo(join(cwd, '.plinth'))).toEqual([]);
    } finally {
      await plinth(['stop'], { cwd });
    }
    return;
  }
  const server = await startServe(project);
  const { stdout } = await plinth(['status', '-o', 'json'], { cwd: join(server.dataDir, '..') });
  await use(server.apiUrl, JSON.parse(stdout).SERVICE_ROLE_KEY);
  // The log is written with a delay.
  await vi.waitFor(
    () => expect(statSync(join(server.dataDir, 'logs/plinth.log')).size).toBeGreaterThan(0),
    5000,
  );
  expect(openTo(server.dataDir)).toEqual([]);
  await server.stop();
  expect(openTo(server.dataDir)).toEqual([]);
});

it('a folder that an earlier version left accessible is restricted at startup', async () => {
  const left = ['logs/plinth.log', 'logs/plinth.log.1', 'start.log', 'storage/a/b'];
  const server = await startServe(project, [], (projectDir) => {
    const dataDir = join(projectDir, '.plinth');
    for (const name of left) {
      mkdirSync(join(dataDir, name, '..'), { recursive: true, mode: 0o755 });
      writeFileSync(join(dataDir, name), 'x', { mode: 0o644 });
    }
    chmodSync(dataDir, 0o755);
  });
  expect(openTo(server.dataDir)).toEqual([]);
  for (const name of left) expect(lstatSync(join(server.dataDir, name)).size).toBeGreaterThan(0);
  await server.stop();
});
