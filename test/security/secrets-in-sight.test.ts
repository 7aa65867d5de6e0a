/**
 * Tests that secrets can be found only where they are stored and where they were requested. Secrets must not appear on
 * the screen, in logs, or in the arguments or the environment of a process, which other users can read.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import WebSocket from 'ws';
import { plinth, spawnPlinth } from '../cli/run-plinth.ts';
import { makeProject } from '../config/project-folder.ts';
import { processTree, startServe } from './serve-process.ts';

// The timeout is long, because each test starts several processes, some of which create a cluster.
interface SecretsFile {
  readonly jwtSecret: string;
  readonly publishableKey: string;
  readonly secretKey: string;
  readonly databasePassword: string;
  readonly s3: { readonly accessKeyId: string; readonly secretAccessKey: string };
  readonly signingKeys: readonly { readonly d?: string; readonly k?: string }[];
}

/** Returns all strings within a value that are long enough to be secrets, by path. */
function stringsOf(value: unknown, path: string): [name: string, secret: string][] {
  if (typeof value === 'string') return value.length >= 16 ? [[path, value]] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    stringsOf(inner, path === '' ? key : `${path}.${key}`),
  );
}

/** Public keys and values that every client receives. */
const isPublic = /^(?:publishableKey|signingKeys\.\d+\.(?:x|y|kid|kty|alg))$/;

const given = {
  password: 'pass-word-of-ada',
  body: 'a-secret-that-a-body-holds',
  env: 'a-secret-of-one-function',
};

/** Matches the files in the data folder that are meant to contain secrets. PostgreSQL protects its files itself. */
const keepsSecrets = /^(?:secrets\.json|state\.json|console\.key|postgres(?:\/|$)|bin\/|deno\/)/;

function filesBelow(dir: string): string[] {
  return readdirSync(dir, { recursive: true, encoding: 'utf8' }).filter(
    (name) => !keepsSecrets.test(name) && statSync(join(dir, name), { throwIfNoEntry: false })?.isFile(),
  );
}

it.each([[[]], [['--json']]])('serve %j doesn’t show secrets to other users of the machine', async (args) => {
  const server = await startServe(
    {
      'supabase/functions/hello/index.ts': `Deno.serve(async (request) => {
        console.log('said', request.method);
        if (request.method === 'POST') throw new Error('it fails');
        return new Response('hello');
      });`,
      'supabase/functions/hello/.env': `OWN_SECRET=${given.env}\n`,
      'supabase/functions/other/index.ts': `Deno.serve(() => new Response('other'));`,
      'supabase/migrations/1_fail.sql': `create function public.fail(value text) returns text language plpgsql as $$
        begin raise exception 'it fails'; end $$;`,
    },
    args,
  );
  const file = JSON.parse(readFileSync(join(server.dataDir, 'secrets.json'), 'utf8')) as SecretsFile;
  const asked = await plinth(['status', '-o', 'json'], { cwd: join(server.dataDir, '..') });
  const status = JSON.parse(asked.stdout) as Record<string, string>;
  const legacy = { anon: status.ANON_KEY ?? '', serviceRole: status.SERVICE_ROLE_KEY ?? '' };

  // Sends typical requests: keys in headers and URLs, sign-ins, function calls and errors.
  const call = (path: string, init: RequestInit & { readonly headers?: Record<string, string> } = {}) =>
    fetch(`${server.apiUrl}${path}`, {
      ...init,
      headers: { apikey: file.secretKey, ...init.headers },
      signal: AbortSignal.timeout(40_000),
    });
  const post = (path: string, body: unknown) =>
    call(path, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    });
  await call(`/rest/v1/none?apikey=${file.secretKey}&select=*`);
  await call(`/rest/v1/%E0%A4%A?apikey=${file.secretKey}`);
  await call(`/nothing/${legacy.serviceRole.slice(0, 8)}?token=${legacy.serviceRole}`);
  await post('/rest/v1/rpc/fail', { value: given.body });
  await post('/rest/v1/rpc/fail', { value: file.secretKey, more: 1 });
  await post('/auth/v1/signup', { email: 'ada@example.com', password: given.password });
  await post('/auth/v1/token?grant_type=password', { email: 'ada@example.com', password: given.password });
  await post('/auth/v1/token?grant_type=refresh_token', { refresh_token: given.body });
  await post('/storage/v1/bucket', { id: 'b', name: 'b' });
  for (const slug of ['hello', 'other']) {
    expect((await call(`/functions/v1/${slug}?apikey=${file.secretKey}`)).status).toBe(200);
  }
  await post('/functions/v1/hello', { value: given.body });
  for (const key of [file.secretKey, 'sb_secret_wrong']) {
    await new Promise((resolve) => {
      const socket = new WebSocket(
        `${server.apiUrl.replace('http', 'ws')}/realtime/v1/websocket?vsn=2.0.0&apikey=${key}`,
      );
      socket.on('open', () => socket.close());
      socket.on('error', () => undefined);
      socket.on('close', resolve);
    });
  }

  const secrets = [
    ...stringsOf(file, '').filter(([name]) => !isPublic.test(name)),
    ['the service_role key', legacy.serviceRole] as const,
    ['a password', given.password] as const,
    ['a body', given.body] as const,
    ['the JWT secret as a JWK', Buffer.from(file.jwtSecret).toString('base64url')] as const,
  ];
  expect(secrets.length).toBeGreaterThan(8);
  const shownIn = (text: string, allowed: readonly string[] = []): string[] => [
    ...secrets
      .filter(([name, secret]) => text.includes(secret) && !allowed.includes(name))
      .map(([name]) => name),
    ...(/token=[\w.-]{8}/.test(text) ? ['a link that signs someone in'] : []),
  ];

  const processes = processTree(server.pid);
  await server.stop();
  expect(processes.map(({ name }) => name)).toEqual(
    expect.arrayContaining([expect.stringMatching(/^postgres/), 'deno']),
  );
  expect(shownIn(server.printed())).toEqual([]);
  for (const { name, args: shown, environment } of processes) {
    expect([name, shownIn(shown + given.env), shown.includes(given.env)]).toEqual([name, [], false]);
    // A function receives the documented values (docs/specification.md), but not another function's secrets.
    const isFunction = name === 'deno';
    const promised = ['secretKey', 'the service_role key', 'databasePassword'];
    expect([name, shownIn(environment, isFunction ? promised : [])]).toEqual([name, []]);
    const isOwn = /SUPABASE_FUNCTION_SLUG=hello\0/.test(environment);
    expect([name, environment.includes(given.env)]).toEqual([name, isOwn]);
  }
  const logs = filesBelow(server.dataDir);
  expect(logs).toContain('logs/plinth.log');
  for (const name of logs)
    expect([name, shownIn(readFileSync(join(server.dataDir, name), 'latin1'))]).toEqual([name, []]);
  expect(readFileSync(join(server.dataDir, 'logs/plinth.log'), 'utf8')).toContain('it fails');
});

/** The values are from the public documentation of the local and the self-hosted stack. */
const known = [
  ['auth.jwt_secret', '[auth]\njwt_secret = "super-secret-jwt-token-with-at-least-32-characters-long"\n', {}],
  [
    'auth.jwt_secret',
    '[auth]\njwt_secret = "your-super-secret-jwt-token-with-at-least-32-characters-long"\n',
    {},
  ],
  ['auth.secret_key', '[auth]\nsecret_key = "sb_secret_N7UND0UgjKTVK-Uodkm0Hg_xSvEMPvz"\n', {}],
  [
    'auth.signing_keys_path',
    '[auth]\nsigning_keys_path = "./keys.json"\n',
    {
      'supabase/keys.json': JSON.stringify([
        {
          kty: 'oct',
          k: Buffer.from('super-secret-jwt-token-with-at-least-32-characters-long').toString('base64url'),
          kid: 'a',
          alg: 'HS256',
        },
      ]),
    },
  ],
] as const;

const places = ['127.0.0.1', '0.0.0.0'].flatMap((host) => known.map((one) => [host, ...one] as const));

it.each(places)('serve on %s rejects the public value of %s', async (host, setting, config, files) => {
  const cwd = makeProject({
    'supabase/config.toml': config,
    'supabase/plinth.toml': `[server]\nhost = "${host}"\n`,
    ...files,
  });
  const refused = await new Promise<{ status: number | null; printed: string }>((resolve) => {
    const child = spawnPlinth(['serve', '--port', '0'], { cwd });
    let printed = '';
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (chunk: string) => {
        printed += chunk;
        // If the server starts to accept requests, the test fails. The process is stopped so that the test doesn't
        // hang.
        if (printed.includes('API_URL') || printed.includes('Ready.')) child.kill('SIGTERM');
      });
    child.on('close', (status) => resolve({ status, printed }));
  });
  expect(refused).toEqual({ status: 1, printed: expect.stringContaining(setting) });
  expect(refused.printed).not.toMatch(/super-secret|sb_secret_N|"k"/);
});
