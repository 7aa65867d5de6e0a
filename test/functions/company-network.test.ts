/**
 * Tests functions on a company network, with a private registry and a proxy that terminates TLS with the company's
 * certificate authority. Deno uses the machine's network settings, but functions can't read these settings.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FunctionsWorld, functionsWorld } from './harness.ts';
import { type Registry, startRegistry } from './registry.ts';

const fixture = (name: string): string => fileURLToPath(new URL(`fixtures/${name}`, import.meta.url));
const authority = fixture('company-ca.cert.pem');
const manifest = JSON.stringify({ name: 'tiny', version: '1.2.0', main: 'index.js' });
const npmUrl = 'https://npm.company.test';

const files = {
  modules: `import { hi } from 'npm:tiny@^1';
    import { remote } from 'https://modules.company.test/mod.ts';
    Deno.serve(() => new Response([hi(), remote].join()));`,
  requests: `Deno.serve(async () => {
    const own = await fetch(Deno.env.get('SUPABASE_URL') + '/health/live');
    const other = await fetch('https://modules.company.test/mod.ts');
    return Response.json([own.status, other.status]);
  });`,
  environment: `import process from 'node:process';
    Deno.serve(async (request) => {
      const names = await request.json();
      return Response.json({
        get: names.map((name) => Deno.env.get(name) ?? process.env[name] ?? null),
        all: [...Object.keys(Deno.env.toObject()), ...Object.keys(process.env)],
      });
    });`,
};

/** Returns the content of a file in /proc, or an empty string if the process has ended. */
function fileOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

let registry: Registry;
let proxyUrl: string;
/** The requests that the proxy received. */
let asked: string[] = [];
const proxy = createServer((request, response) => {
  asked.push(`${request.method} ${request.url}`);
  response.writeHead(502).end();
}).on('connect', (request, socket) => {
  asked.push(`CONNECT ${request.url} ${request.headers['proxy-authorization']}`);
  const through = connect(registry.port, '127.0.0.1', () => {
    socket.write('HTTP/1.1 200 OK\r\n\r\n');
    through.pipe(socket).pipe(through);
  });
  through.on('error', () => socket.destroy());
  socket.on('error', () => through.destroy());
});
const worlds: FunctionsWorld[] = [];

async function machine(
  shell: Record<string, string>,
  more: Record<string, string> = {},
): Promise<FunctionsWorld> {
  const world = await functionsWorld({ files: { ...files, ...more }, shell });
  worlds.push(world);
  return world;
}

beforeAll(async () => {
  registry = await startRegistry(
    {
      npm: { tiny: { 'package.json': manifest, 'index.js': `exports.hi = () => 'npm';` } },
      modules: { '/mod.ts': `export const remote: string = 'https';` },
    },
    {
      key: readFileSync(fixture('company.key.pem'), 'utf8'),
      cert: readFileSync(fixture('company.cert.pem'), 'utf8'),
      url: npmUrl,
    },
  );
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  proxyUrl = `http://someone:pass-word@127.0.0.1:${(proxy.address() as AddressInfo).port}`;
});
afterAll(async () => {
  for (const world of worlds) await world.stop();
  registry?.close();
  proxy.close();
});

const authorization = `Basic ${Buffer.from('someone:pass-word').toString('base64')}`;

describe('modules', () => {
  it.each([
    ['the authorities that the machine trusts', { SSL_CERT_FILE: authority }],
    ['the authorities configured for Node.js', { NODE_EXTRA_CA_CERTS: authority }],
    ['the authorities configured for Deno', { DENO_CERT: authority, DENO_TLS_CA_STORE: 'mozilla' }],
  ])('are loaded through a proxy that intercepts TLS, with %s', async (_name, certificates) => {
    asked = [];
    const world = await machine({
      HTTPS_PROXY: proxyUrl,
      NPM_CONFIG_REGISTRY: `${npmUrl}/`,
      ...certificates,
    });
    const response = await world.call('modules');
    expect([await response.text(), world.lines('modules').filter((line) => /error/i.test(line))]).toEqual([
      'npm,https',
      [],
    ]);
    expect([...new Set(asked)].sort()).toEqual([
      `CONNECT modules.company.test:443 ${authorization}`,
      `CONNECT npm.company.test:443 ${authorization}`,
    ]);
  });

  it('are rejected if the proxy isn’t trusted, and the log contains the setting to change', async () => {
    const world = await machine({ HTTPS_PROXY: proxyUrl, NPM_CONFIG_REGISTRY: `${npmUrl}/` });
    expect((await world.call('modules')).status).toBe(503);
    expect(world.lines('modules').at(-1)).toMatch(
      /certificate of https:\S+ isn't trusted.*NODE_EXTRA_CA_CERTS/,
    );
    expect(world.lines('modules').join()).not.toMatch(/pass-word/);
  });

  it('use the project’s settings and then the machine’s', async () => {
    const world = await machine(
      { HTTPS_PROXY: 'http://127.0.0.1:9', NODE_EXTRA_CA_CERTS: '/gone.pem' },
      {
        'supabase/functions/.env': `https_proxy=${proxyUrl}\nDENO_CERT=${authority}\nNPM_CONFIG_REGISTRY=${npmUrl}/`,
      },
    );
    expect(await (await world.call('modules')).text()).toBe('npm,https');
  });
});

it('requests from functions use the proxy, except for requests to the project', async () => {
  const world = await machine({
    HTTP_PROXY: proxyUrl,
    HTTPS_PROXY: proxyUrl,
    NO_PROXY: '.internal',
    DENO_CERT: authority,
  });
  asked = [];
  expect(await (await world.call('requests')).json()).toEqual([200, 200]);
  expect(asked).toEqual([`CONNECT modules.company.test:443 ${authorization}`]);
});

it('functions can’t read the machine’s network settings or the shell’s other variables', async () => {
  const network = {
    HTTPS_PROXY: proxyUrl,
    https_proxy: proxyUrl,
    NO_PROXY: 'no.test',
    NPM_CONFIG_REGISTRY: 'https://someone:pass-word@npm.company.test/',
    JSR_URL: 'https://someone:pass-word@jsr.test/',
    DENO_CERT: authority,
    SSL_CERT_FILE: authority,
    DENO_TLS_CA_STORE: 'system',
  };
  const secrets = {
    DENO_AUTH_TOKENS: 'pass-word@modules.company.test',
    NPM_TOKEN: 'pass-word',
    npm_config__auth: 'pass-word',
    NODE_EXTRA_CA_CERTS: authority,
    AWS_SECRET_ACCESS_KEY: 'pass-word',
    HOME: '/home/someone',
  };
  const world = await machine(
    { ...network, ...secrets },
    { 'supabase/functions/environment/.env': 'DENO_AUTH_TOKENS=project-token@a.test\nMINE=1' },
  );
  const names = [...Object.keys(network), ...Object.keys(secrets)];
  const response = await world.call('environment', { method: 'POST', body: JSON.stringify(names) });
  const { get, all } = (await response.json()) as { get: unknown[]; all: string[] };
  expect(get).toEqual(names.map(() => null));
  expect(all.filter((name) => names.includes(name))).toEqual([]);
  expect(all).toContain('MINE');
});

it.runIf(process.platform === 'linux')('a function’s process has only the network variables', async () => {
  const world = await machine({ ALL_PROXY: proxyUrl, NPM_TOKEN: 'pass-word', USER: 'someone' });
  await world.call('environment', { method: 'POST', body: '[]' });
  const environments = readdirSync('/proc')
    .filter((pid) => /^\d+$/.test(pid) && fileOf(`/proc/${pid}/cmdline`).includes(world.root))
    .map((pid) => fileOf(`/proc/${pid}/environ`));
  expect(environments.length).toBeGreaterThan(0);
  const names = environments.flatMap((text) => text.split('\0').map((entry) => entry.split('=', 1)[0] ?? ''));
  expect(
    names.filter((name) => !/^(SUPABASE|DENO|PLINTH_FUNCTION)_/.test(name) && name !== '').sort(),
  ).toEqual(['ALL_PROXY', 'NO_COLOR', 'NO_PROXY', 'PWD', 'TMPDIR']);
});
