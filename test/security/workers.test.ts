/** Tests which resources of the machine, the server and other functions a function can access. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { spaciousDisk } from '../../src/base/kernel/disk.ts';
import { silentLogger } from '../../src/base/kernel/log.ts';
import { configFrom, createLiveConfig } from '../../src/platform/config/index.ts';
import { createKeys } from '../../src/platform/keys/index.ts';
import { createGateway, type Gateway } from '../../src/server/gateway/index.ts';
import { createFunctions } from '../../src/services/functions/index.ts';

/**
 * The source of a function that tries the operations listed in the request's body. For each operation, the function
 * returns the resulting value or the name of the error.
 */
const tryAll = `
const tries = {
  read: (path) => Deno.readTextFileSync(path).length,
  list: (path) => [...Deno.readDirSync(path)].length,
  write: (path) => Deno.writeTextFileSync(path, 'x'),
  remove: (path) => Deno.removeSync(path, { recursive: true }),
  link: (path) => Deno.symlinkSync(path, Deno.makeTempFileSync() + 'l'),
  hardLink: (path) => Deno.linkSync(path, Deno.makeTempFileSync() + 'h'),
  dial: async (path) => { (await Deno.connect({ transport: 'unix', path })).close(); return 'connected'; },
  bind: (path) => { Deno.listen({ transport: 'unix', path }); return 'listening'; },
  run: (path) => new Deno.Command(path).outputSync().code,
  nodeRun: async (path) => (await import('node:child_process')).execFileSync(path).length,
  nodeRead: async (path) => (await import('node:fs')).readFileSync(path).length,
  load: async (path) => Object.keys(await import('file://' + path)).length,
  open: (path) => Deno.dlopen(path, {}),
  kill: (pid) => { Deno.kill(Number(pid), 'SIGTERM'); return 'sent'; },
};
Deno.serve(async (request) => {
  const answers = [];
  for (const [how, what] of await request.json()) {
    try { answers.push(String(await tries[how](what))); } catch (error) { answers.push(error.name); }
  }
  return Response.json(answers);
});`;

const root = mkdtempSync(join(tmpdir(), 'plinth-work, er-'));
const supabaseDir = join(root, 'supabase');
const dataDir = join(root, '.plinth');
let gateway: Gateway;
let functions: ReturnType<typeof createFunctions>;
let url: string;

beforeAll(async () => {
  const files: Record<string, string> = {
    'functions/probe/index.ts': tryAll,
    'functions/other/index.ts': `Deno.serve(() => new Response('other'));`,
    'functions/address/index.ts': `Deno.serve((request) => Response.json(Object.fromEntries(request.headers)));`,
    'functions/environment/index.ts': `Deno.serve(() => Response.json(Deno.env.toObject()));`,
    'functions/other/.env': 'OTHER_SECRET=other',
    'config.toml': '',
    '.env': 'X=1',
  };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(supabaseDir, path, '..'), { recursive: true });
    writeFileSync(join(supabaseDir, path), text);
  }
  mkdirSync(dataDir);
  writeFileSync(join(dataDir, 'secrets.json'), '{}');
  const config = configFrom({ functions: { address: { verify_jwt: false } } }, supabaseDir);
  const keys = createKeys({ mode: 'development', config, supabaseDir, dataDir });
  process.env.PLINTH_TEST_SECRET = 'of the server';
  functions = createFunctions({
    database: {
      info: {
        url: 'postgresql://x',
        projectUrl: 'postgresql://x',
        embedded: true,
        serverVersion: 180000,
        ownsSchemas: true,
      },
    },
    keys,
    config: createLiveConfig(config),
    shell: process.env,
    supabaseDir,
    dataDir,
    disk: spaciousDisk,
    apiUrl: () => url,
    ownCertificate: undefined,
    isDevelopment: false,
    log: silentLogger,
  });
  gateway = createGateway({ services: [functions], keys, log: silentLogger });
  await functions.start?.();
  url = `http://127.0.0.1:${await gateway.listen('127.0.0.1', 0)}`;
  authorization = `Bearer ${keys.anonKey}`;
});
afterAll(async () => {
  delete process.env.PLINTH_TEST_SECRET;
  await gateway?.close(1000);
  await functions?.stop?.();
  rmSync(root, { recursive: true, force: true });
});

let authorization = '';
const call = (slug: string, body?: unknown, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${url}/functions/v1/${slug}`, {
    headers: { authorization, ...headers },
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
  });

describe('a function', () => {
  it('can read its sources, but nothing else of the project, the server or the machine', async () => {
    const asked = [
      ['read', join(supabaseDir, 'functions/probe/index.ts')],
      ['read', join(dataDir, 'secrets.json')],
      ['nodeRead', join(dataDir, 'secrets.json')],
      ['load', join(dataDir, 'secrets.json')],
      ['read', join(supabaseDir, 'config.toml')],
      ['read', join(supabaseDir, '.env')],
      ['read', join(supabaseDir, 'functions/../config.toml')],
      ['read', join(supabaseDir, 'functions/other/.env')],
      ['list', dataDir],
      ['list', root],
      ['read', '/etc/passwd'],
      ['read', '/proc/self/environ'],
      ['read', `/proc/${process.pid}/environ`],
    ];
    const [own, ...others] = (await (await call('probe', asked)).json()) as string[];
    expect(Number(own)).toBeGreaterThan(0);
    expect(
      others.map((response, index) => [
        asked[index + 1],
        /NotCapable|PermissionDenied|TypeError/.test(response),
      ]),
    ).toEqual(asked.slice(1).map((one) => [one, true]));
  });

  it('can write only to its temporary folder, and can’t create a link out of it', async () => {
    const asked = [
      ['write', join(supabaseDir, 'functions/probe/index.ts')],
      ['write', join(supabaseDir, 'functions/other/index.ts')],
      ['write', join(dataDir, 'secrets.json')],
      ['write', join(dataDir, 'deno', 'x')],
      ['write', '/var/tmp/plinth-function-was-here'],
      ['remove', join(supabaseDir, 'functions')],
      ['link', join(dataDir, 'secrets.json')],
      ['link', '/etc/passwd'],
      ['hardLink', join(dataDir, 'secrets.json')],
    ];
    const answers = (await (await call('probe', asked)).json()) as string[];
    expect(answers).toEqual(asked.map(() => 'NotCapable'));
    const written = '/tmp/plinth-function-was-here';
    expect(await (await call('probe', [['write', written]])).json()).toEqual(['undefined']);
    expect(existsSync(written)).toBe(false);
  });

  it('can’t run programs, load libraries or send signals', async () => {
    const asked = [
      ['run', '/bin/sh'],
      ['nodeRun', '/bin/sh'],
      ['open', '/lib/x86_64-linux-gnu/libc.so.6'],
    ];
    const answers = (await (await call('probe', asked)).json()) as string[];
    expect(answers).toEqual(['NotCapable', 'Error', 'NotCapable']);
    await call('probe', [['kill', String(process.pid)]]);
    expect((await fetch(`${url}/health/live`)).status).toBe(200);
  });

  it('can’t call another function through its socket or folder without the token check', async () => {
    expect(await (await call('other')).text()).toBe('other');
    const folders = readdirSync(tmpdir()).filter((name) => name.startsWith('plinth-fn-'));
    const sockets = folders.flatMap((folder) => {
      try {
        return readdirSync(join(tmpdir(), folder)).map((worker) => join(tmpdir(), folder, worker, 's'));
      } catch {
        return []; // The server has exited in the meantime.
      }
    });
    expect(sockets.length).toBeGreaterThan(0);
    const asked = [
      ...sockets.map((socket) => ['dial', socket]),
      ...sockets.map((socket) => ['bind', `${socket}2`]),
      ...folders.map((folder) => ['list', join(tmpdir(), folder)]),
    ];
    const answers = (await (await call('probe', asked)).json()) as string[];
    // The function can open only its own socket. The folders of other servers don't exist in the function's /tmp.
    expect(answers.filter((response) => !/^Not(Capable|Found)$/.test(response)).length).toBeLessThanOrEqual(
      1,
    );
  });

  it('can’t read the environment of the server or of another function', async () => {
    const environment = (await (await call('environment')).json()) as Record<string, string>;
    for (const name of [
      'PLINTH_TEST_SECRET',
      'OTHER_SECRET',
      'PATH',
      'HOME',
      'DENO_DIR',
      'DENO_SERVE_ADDRESS',
    ]) {
      expect([name, environment[name]]).toEqual([name, undefined]);
    }
  });

  it.runIf(process.platform === 'linux')('doesn’t leave anything behind that others can read', async () => {
    expect((await call('address')).status).toBe(200);
    const workers = readdirSync('/proc').filter(
      (pid) => /^\d+$/.test(pid) && fileOf(`/proc/${pid}/cmdline`).includes(`${root}/`),
    );
    expect(workers.length).toBeGreaterThan(0);
    for (const pid of workers) {
      expect(fileOf(`/proc/${pid}/status`)).toMatch(/^Umask:\s+0077$/m);
      // A core file would contain the secrets in the worker's environment.
      expect(fileOf(`/proc/${pid}/limits`)).toMatch(/^Max core file size\s+0\s+0\s/m);
    }
  });

  it('receives the address that the gateway saw instead of the one that the client claims', async () => {
    const claimed = { 'x-forwarded-for': '203.0.113.9', 'x-forwarded-proto': 'https' };
    const seen = (await (await call('address', undefined, claimed)).json()) as Record<string, string>;
    expect(seen).toMatchObject({ 'x-forwarded-for': '127.0.0.1', 'x-forwarded-proto': 'http' });
  });
});

/** Returns the file's content, or empty text if the file doesn't exist anymore. */
function fileOf(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}
