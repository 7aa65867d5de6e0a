import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { claim } from './claim.ts';
import { cacheFolder, fillGroup, groupFolder } from './store.ts';
import type { StoredGroup } from './types.ts';

let folder: string;
let cache: string;
let source: string;
const said: string[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'plinth-store-'));
  cache = join(folder, 'cache');
  source = join(folder, 'source');
  mkdirSync(source);
  said.length = 0;
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Writes the archive that `npm pack` would write, and returns its entry in the lock file. */
function packed(name: string, version: string, files: Readonly<Record<string, string>>): StoredGroup {
  const top = join(folder, 'package');
  rmSync(top, { recursive: true, force: true });
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(top, path)), { recursive: true });
    writeFileSync(join(top, path), text);
  }
  if (existsSync(join(top, 'run.sh'))) chmodSync(join(top, 'run.sh'), 0o755);
  const archive = join(source, `${name.replace('@', '').replace('/', '-')}-${version}.tgz`);
  execFileSync('tar', ['-czf', archive, '-C', folder, 'package']);
  const hash = createHash('sha512').update(readFileSync(archive)).digest('base64');
  return { group: 'server', packages: [{ name, version, integrity: `sha512-${hash}` }] };
}

const fill = (stored: StoredGroup, from: string | undefined = source) =>
  fillGroup(cache, stored, { env: process.env, onProgress: (message) => said.push(message), from });

describe('installing a package group', () => {
  it('extracts archives and keeps executable file modes', async () => {
    const stored = packed('@scope/tool', '1.2.3', {
      'package.json': '{}',
      'lib/deep/a.txt': 'a',
      'run.sh': '#',
    });
    const found = await fill(stored);
    const modules = join(found, 'node_modules', '@scope', 'tool');
    expect(readFileSync(join(modules, 'lib', 'deep', 'a.txt'), 'utf8')).toBe('a');
    expect(statSync(join(modules, 'run.sh')).mode & 0o777).toBe(0o755);
    expect(statSync(join(modules, 'package.json')).mode & 0o777).toBe(0o644);
    expect(said).toEqual([`Copying PostgreSQL 1.2.3 from ${source}`]);
    await fill(stored);
    expect(said).toHaveLength(1);
  });

  it('rejects an archive with a different hash and leaves no files behind', async () => {
    const stored = packed('tool', '1.0.0', { 'package.json': '{}' });
    packed('tool', '1.0.0', { 'package.json': '{ "changed": true }' });
    await expect(fill(stored)).rejects.toThrow(
      "doesn't match the one that this version of Plinth was released with",
    );
    expect(readdirSync(join(cache, 'packages'))).toEqual([]);
  });

  it('copies only the exact version from node_modules', async () => {
    const modules = join(source, 'node_modules', 'tool');
    mkdirSync(modules, { recursive: true });
    writeFileSync(join(modules, 'package.json'), JSON.stringify({ name: 'tool', version: '1.0.0' }));
    const of = (version: string): StoredGroup => ({
      group: 'server',
      packages: [{ name: 'tool', version, integrity: 'sha512-x' }],
    });
    expect(existsSync(join(await fill(of('1.0.0')), 'node_modules', 'tool', 'package.json'))).toBe(true);
    await expect(fill(of('1.0.1'))).rejects.toThrow(`contains neither tool-1.0.1.tgz nor tool 1.0.1`);
  });

  it('ignores links and paths that lead out of the folder', async () => {
    const top = join(folder, 'package');
    mkdirSync(top);
    writeFileSync(join(top, 'package.json'), '{}');
    writeFileSync(join(folder, 'outside'), 'outside');
    execFileSync('ln', ['-s', '/etc/passwd', join(top, 'link')]);
    const archive = join(source, 'tool-1.0.0.tgz');
    execFileSync('sh', [
      '-c',
      'cd "$1" && tar -czPf "$2" --transform="s,^outside,package/../../../outside," package outside',
      'sh',
      folder,
      archive,
    ]);
    const hash = createHash('sha512').update(readFileSync(archive)).digest('base64');
    const found = await fill({
      group: 'server',
      packages: [{ name: 'tool', version: '1.0.0', integrity: `sha512-${hash}` }],
    });
    expect(readdirSync(join(found, 'node_modules', 'tool'))).toEqual(['package.json']);
    expect(existsSync(join(cache, 'outside'))).toBe(false);
  });

  it('downloads once for concurrent processes that need the same group', async () => {
    const stored = packed('tool', '1.0.0', { 'package.json': '{}' });
    const found = await Promise.all([fill(stored), fill(stored), fill(stored)]);
    expect(new Set(found)).toEqual(new Set([groupFolder(cache, stored)]));
    expect(said.filter((line) => line.startsWith('Copying'))).toHaveLength(1);
    expect(readdirSync(join(cache, 'packages'))).toHaveLength(1);
  });
});

describe('a claim', () => {
  it('takes over from a process that was killed, but not from one that is running', async () => {
    const file = join(folder, 'claim');
    writeFileSync(file, '1\n');
    const old = new Date(Date.now() - 60_000);
    utimesSync(file, old, old);
    const done: string[] = [];
    await claim(
      file,
      () => done.length > 0,
      async () => void done.push('stale'),
    );
    expect(done).toEqual(['stale']);
    writeFileSync(file, `${process.pid}\n`);
    let waited = false;
    await claim(
      file,
      () => done.length > 1,
      async () => void done.push('second'),
      {
        onWait: () => {
          waited = true;
          rmSync(file);
        },
      },
    );
    expect(waited).toBe(true);
    expect(done).toEqual(['stale', 'second']);
  });

  it('is aborted while another process holds the claim', async () => {
    const file = join(folder, 'claim');
    writeFileSync(file, `${process.pid}\n`);
    const stopping = new AbortController();
    const reason = new Error('stopped');
    const waiting = claim(
      file,
      () => false,
      async () => undefined,
      { onWait: () => stopping.abort(reason), signal: stopping.signal },
    );
    await expect(waiting).rejects.toBe(reason);
    rmSync(file);
  });
});

describe('cacheFolder', () => {
  const linux = { os: 'linux', home: '/home/ada' };

  it('follows the conventions of each operating system', () => {
    expect(cacheFolder({ ...linux, env: {} })).toBe('/home/ada/.cache/plinth');
    expect(cacheFolder({ os: 'darwin', home: '/Users/ada', env: {} })).toBe(
      '/Users/ada/Library/Caches/plinth',
    );
    expect(
      cacheFolder({
        os: 'win32',
        home: 'C:\\Users\\ada',
        env: { LOCALAPPDATA: 'C:\\Users\\ada\\AppData\\Local' },
      }),
    ).toBe('C:\\Users\\ada\\AppData\\Local\\plinth\\Cache');
    expect(cacheFolder({ os: 'win32', home: 'C:\\Users\\ada', env: {} })).toBe(
      'C:\\Users\\ada\\AppData\\Local\\plinth\\Cache',
    );
  });

  it('uses XDG_CACHE_HOME on Linux only if it is absolute', () => {
    expect(cacheFolder({ ...linux, env: { XDG_CACHE_HOME: '/var/cache/ada' } })).toBe(
      '/var/cache/ada/plinth',
    );
    expect(cacheFolder({ ...linux, env: { XDG_CACHE_HOME: 'cache' } })).toBe('/home/ada/.cache/plinth');
    expect(cacheFolder({ os: 'darwin', home: '/Users/ada', env: { XDG_CACHE_HOME: '/x' } })).toBe(
      '/Users/ada/Library/Caches/plinth',
    );
  });

  it('prefers PLINTH_CACHE_DIR', () => {
    for (const os of ['linux', 'darwin', 'win32'])
      expect(cacheFolder({ os, home: '/h', env: { PLINTH_CACHE_DIR: '/opt/plinth' } })).toBe('/opt/plinth');
  });
});
