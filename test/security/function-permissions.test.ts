/**
 * Tests that a function has only the permissions that are explicitly listed. The function can't read files that are
 * created while it runs, such as another function's `.env`. The function can't connect to some addresses, such as that
 * of the metadata service that provides a cloud machine's credentials.
 */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FunctionsWorld, functionsWorld } from '../functions/harness.ts';

/**
 * The source of a function that tries the operations listed in the request's body. For each operation, the function
 * returns the resulting value or the name of the error.
 */
const probe = `
const text = async (url, init) => (await fetch(url, { signal: AbortSignal.timeout(2000), ...init })).text();
const tries = {
  read: (path) => Deno.readTextFileSync(path),
  nodeRead: async (path) => (await import('node:fs')).readFileSync(path, 'utf8'),
  list: (path) => [...Deno.readDirSync(path)].map((entry) => entry.name).join(),
  stat: (path) => Deno.statSync(path).size,
  load: async (path) => (await import('file://' + path, { with: { type: 'json' } })).default.value,
  fetch: (url) => text(url),
  import: async (url) => (await import(url, { with: { type: 'json' } })).default.value,
  connect: async (address) => {
    const [hostname, port] = address.split(' ');
    (await Deno.connect({ hostname, port: Number(port) })).close();
    return 'connected';
  },
  node: (url) => import('node:http').then(({ default: http }) => new Promise((resolve, reject) => {
    http.get(url, (answer) => answer.resume().on('end', () => resolve(answer.statusCode))).on('error', reject);
  })),
  rebind: () => import('node:http').then(({ default: http }) => new Promise((resolve, reject) => {
    const lookup = (_host, options, done) => options.all
      ? done(null, [{ address: '169.254.169.254', family: 4 }])
      : done(null, '169.254.169.254', 4);
    http.get({ host: 'example.com', lookup }, () => resolve('reached')).on('error', reject);
  })),
  env: (name) => Deno.env.get(name) ?? 'undefined',
  permission: async (name) => (await Deno.permissions.query({ name })).state,
};
globalThis.addEventListener('unhandledrejection', (event) => event.preventDefault());
globalThis.addEventListener('error', (event) => event.preventDefault());
Deno.serve(async (request) => {
  const answers = [];
  for (const [how, what] of await request.json()) {
    try { answers.push(String(await tries[how](what))); }
    catch (error) { answers.push(error.cause ? error.name + ' ' + error.cause.message : error.name + ' ' + error.message); }
  }
  return Response.json(answers);
});`;

let world: FunctionsWorld;
beforeAll(async () => {
  world = await functionsWorld({
    files: {
      probe,
      other: `Deno.serve(() => new Response('other'));`,
      'supabase/functions/probe/data.json': '{ "value": "own data" }',
      'supabase/functions/probe/texts/a.txt': 'own text',
      'supabase/functions/_shared/shared.json': '{ "value": "shared data" }',
      'supabase/functions/other/data.json': '{ "value": "data of another" }',
      'supabase/functions/other/.env': 'SECRET=other',
      'supabase/functions/.env': 'SHARED=1',
      'supabase/secret.txt': 'of the project',
    },
  });
});
afterAll(() => world?.stop());

const ask = async (...asked: [how: string, what: string][]): Promise<string[]> =>
  (await (await world.call('probe', { method: 'POST', body: JSON.stringify(asked) })).json()) as string[];

const at = (path: string): string => join(world.root, 'supabase/functions', path);
const write = (path: string, text: string): string => {
  mkdirSync(dirname(at(path)), { recursive: true });
  writeFileSync(at(path), text);
  return at(path);
};
const refused = /^NotCapable|^TypeError Requires|^Error|^PermissionDenied/;

describe('for files,', () => {
  it('a function’s modules, and the data next to them and in shared folders, are readable', async () => {
    expect(
      await ask(
        ['read', at('probe/data.json')],
        ['read', at('probe/texts/a.txt')],
        ['load', at('probe/data.json')],
        ['read', at('_shared/shared.json')],
      ),
    ).toEqual(['{ "value": "own data" }', 'own text', 'own data', '{ "value": "shared data" }']);
  });

  it('files of another function aren’t readable', async () => {
    const answers = await ask(
      ['read', at('other/index.ts')],
      ['read', at('other/data.json')],
      ['load', at('other/data.json')],
      ['read', at('other/.env')],
      ['nodeRead', at('other/.env')],
      ['read', at('.env')],
      ['list', at('')],
      ['list', at('other')],
      ['stat', at('other/.env')],
      ['read', at('probe/../other/.env')],
      ['read', join(world.root, 'supabase/secret.txt')],
    );
    expect(answers.filter((response) => !refused.test(response))).toEqual([]);
  });

  it('files that are created while the function runs aren’t readable, regardless of their location', async () => {
    await ask(['read', at('probe/data.json')]);
    // These files are created after the worker has started. The request is sent immediately, before a reload.
    const later = [
      'later/.env',
      'other/.env.local',
      '.env.production',
      '_shared/.env',
      'probe/.npmrc',
      'later/data.json',
      '_shared/later/key.json',
    ].map((path) => write(path, '{ "value": "written later" }'));
    const answers = await ask(
      ...later.flatMap((path): [string, string][] => [
        ['read', path],
        ['nodeRead', path],
        ['load', path],
      ]),
    );
    expect(answers.filter((response) => /written later/.test(response))).toEqual([]);
  });

  it('a link can’t be used to read a file that isn’t readable by its own name', async () => {
    const target = join(world.root, '.secret');
    writeFileSync(target, 'hidden');
    for (const [name, to] of [
      ['probe/link.txt', target],
      ['probe/env.txt', at('other/.env')],
      ['_shared/passwd.txt', '/etc/passwd'],
    ] as const)
      symlinkSync(to, at(name));
    world.functions.serve({})();
    const answers = await ask(
      ['read', at('probe/link.txt')],
      ['read', at('probe/env.txt')],
      ['read', at('_shared/passwd.txt')],
    );
    expect(answers.filter((response) => !refused.test(response))).toEqual([]);
  });

  it('the module cache is readable for packages, but not for other functions’ code', async () => {
    const cache = join(world.root, '.plinth/deno');
    const answers = await ask(
      ['list', cache],
      ['list', join(cache, 'gen')],
      ['list', join(world.root, '.plinth')],
    );
    expect(answers.filter((response) => !refused.test(response))).toEqual([]);
  });

  it('only network, import and own environment permissions are granted as a whole', async () => {
    const names = ['read', 'write', 'run', 'ffi', 'sys', 'net', 'env', 'import'];
    const states = await ask(...names.map((name): [string, string] => ['permission', name]));
    // The state "prompt" means that only listed resources are allowed, because prompts can't be answered here.
    expect(Object.fromEntries(names.map((name, index) => [name, states[index]]))).toEqual({
      read: 'prompt',
      write: 'prompt',
      run: 'prompt',
      ffi: 'prompt',
      sys: 'prompt',
      // These permissions are granted except for explicitly denied resources.
      net: 'granted',
      env: 'granted',
      import: 'granted',
    });
  });
});

describe('for the network,', () => {
  it('a cloud machine’s metadata service is unreachable, regardless of how its address is written', async () => {
    const answers = await ask(
      ['fetch', 'http://169.254.169.254/latest/meta-data/'],
      ['fetch', 'http://2852039166/'],
      ['fetch', 'http://0xa9fea9fe/'],
      ['fetch', 'http://0251.0376.0251.0376/'],
      ['fetch', 'http://[::ffff:169.254.169.254]/'],
      ['fetch', 'http://[::ffff:a9fe:a9fe]/'],
      ['fetch', 'http://169.254.170.2/v2/credentials'],
      ['fetch', 'http://[fd00:ec2::254]/latest/meta-data/'],
      ['fetch', 'http://[fd20:ce::254]/'],
      ['fetch', 'http://[64:ff9b::a9fe:a9fe]/'],
      ['fetch', 'http://100.100.100.200/'],
      ['connect', '169.254.169.254 80'],
      ['connect', 'fe80::a9fe:a9fe 80'],
      ['node', 'http://169.254.169.254/'],
      ['import', 'http://169.254.169.254/x.json'],
      ['import', 'http://[fd00:ec2::254]/x.json'],
    );
    expect(answers.map((response) => /Requires (net|import) access/.test(response))).toEqual(
      answers.map(() => true),
    );
  });

  it('a redirect to the metadata service isn’t followed in a request or an import', async () => {
    const server = createServer((_request, response) => {
      response.writeHead(302, { location: 'http://169.254.169.254/x.json' }).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    try {
      const answers = await ask(['fetch', url], ['import', `${url}x.json`]);
      expect(answers.map((response) => /Requires (net|import) access to "169\.254/.test(response))).toEqual([
        true,
        true,
      ]);
    } finally {
      server.close();
    }
  });

  it('this machine and its network are reachable, and the operator can change the list', async () => {
    const server = createServer((_request, response) => response.end('here'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const closed = await functionsWorld({
      config: { plinth: { edge_runtime: { deny_net: ['127.0.0.0/8', 'localhost'] } } },
      files: { probe },
    });
    try {
      expect(await ask(['fetch', `http://127.0.0.1:${port}/`])).toEqual(['here']);
      const asked = [
        ['fetch', `http://127.0.0.1:${port}/`],
        ['fetch', `http://localhost:${port}/`],
        ['connect', `127.0.0.1 ${port}`],
      ];
      const answers = await (
        await closed.call('probe', { method: 'POST', body: JSON.stringify(asked) })
      ).json();
      for (const response of answers as string[]) expect(response).toMatch(/Requires net access/);
    } finally {
      server.close();
      await closed.stop();
    }
  });
});

it('neither loading nor type-checking modules sends requests to blocked addresses', async () => {
  // This server simulates the metadata service. The server must not receive any request.
  let asked = 0;
  const server = createServer((_request, response) => {
    asked += 1;
    response.setHeader('content-type', 'application/json').end('{ "value": 1 }');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const closed = await functionsWorld({
    config: { plinth: { edge_runtime: { deny_net: ['127.0.0.0/8'] } } },
    files: {
      static: `import data from 'http://127.0.0.1:${port}/x.json' with { type: 'json' };
        Deno.serve(() => new Response(JSON.stringify(data)));`,
    },
  });
  try {
    expect((await closed.call('static')).status).toBe(503);
    expect(asked).toBe(0);
  } finally {
    server.close();
    await closed.stop();
  }
});
