/**
 * Tests `plinth rest` as a replacement for the PostgREST binary: configuration, reloads, admin server, listening and
 * shutdown.
 */
import { createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { chmodSync, existsSync, statSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import {
  makeFolder,
  type RestProcess,
  removeFolders,
  type StandaloneDatabase,
  spawnRest,
  startDatabase,
  startRestProcess,
} from './standalone-harness.ts';

let database: StandaloneDatabase;
let base: Record<string, string>;
const running = new Set<RestProcess>();

beforeAll(async () => {
  database = await startDatabase();
  base = { PGRST_DB_URI: database.uri, PGRST_DB_SCHEMAS: 'api', PGRST_DB_ANON_ROLE: 'rest_anon' };
});
afterEach(async () => {
  await Promise.all([...running].map((one) => one.stop()));
  running.clear();
});
afterAll(async () => {
  await database?.drop();
  removeFolders();
});

async function start(
  environment: Record<string, string> = {},
  args: readonly string[] = [],
): Promise<RestProcess> {
  const started = await startRestProcess({ ...base, ...environment }, args);
  running.add(started);
  return started;
}

const rowsOf = async (rest: RestProcess): Promise<number> =>
  ((await (await rest.fetch('/items')).json()) as []).length;

function token(key: KeyObject | string, alg: string, claims: object, kid?: string): string {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const data = `${encode({ alg, kid })}.${encode(claims)}`;
  const signature =
    typeof key === 'string'
      ? createHmac('sha256', key).update(data).digest()
      : sign('sha256', Buffer.from(data), key);
  return `${data}.${signature.toString('base64url')}`;
}

describe('configuration', () => {
  test('the role’s settings override those of the pre-config function, the environment and the file', async () => {
    const file = join(makeFolder(), 'rest.conf');
    writeFileSync(file, 'db-max-rows = 1\ndb-pre-config = "config.settings"\ndb-config = false\n');
    const rows = async (environment: Record<string, string>) => {
      const printed = spawnRest({ ...base, ...environment }, ['--dump-config', file]);
      expect(await printed.exited, printed.err()).toBe(0);
      return /db-max-rows = (\S+)/.exec(printed.out())?.[1];
    };
    expect(await rows({})).toBe('1');
    expect(await rows({ PGRST_DB_MAX_ROWS: '2' })).toBe('2');
    expect(await rows({ PGRST_DB_MAX_ROWS: '2', PGRST_DB_CONFIG: 'true' })).toBe('3');
    await database.run("alter role rest_login set pgrst.db_max_rows = '4'");
    try {
      expect(await rows({ PGRST_DB_MAX_ROWS: '2', PGRST_DB_CONFIG: 'true' })).toBe('4');
      const rest = await start({ PGRST_DB_MAX_ROWS: '2' }, []);
      expect(await rowsOf(rest)).toBe(4);
    } finally {
      await database.run('alter role rest_login reset pgrst.db_max_rows');
    }
  });

  test('errors end the start with one sentence each, and unknown names cause a warning', async () => {
    const refused = spawnRest({ ...base, PGRST_DB_POOL: 'ten', PGRST_JWT_SECRET: 'short' });
    expect(await refused.exited).toBe(1);
    expect(refused.err()).toContain('db-pool (PGRST_DB_POOL): "ten" must be a whole number 1 or more');
    expect(refused.err()).toContain('it has 5 bytes, but a secret must have at least 32');
    const rest = await start({ PGRST_DB_MAX_ROW: '1' });
    expect(rest.err()).toContain(
      "PGRST_DB_MAX_ROW isn't a setting and has no effect; did you mean PGRST_DB_MAX_ROWS?",
    );
  });

  test('app.settings are available to functions, and the old claim settings aren’t set', async () => {
    const rest = await start({ PGRST_APP_SETTINGS_X: 'mine' });
    expect(await (await rest.fetch('/rpc/whoami')).json()).toEqual({
      role: 'rest_anon',
      setting: 'mine',
      sub: null,
    });
  });
});

describe('reloads', () => {
  test('SIGUSR2 reloads the file, and an invalid file changes nothing', async () => {
    const file = join(makeFolder(), 'rest.conf');
    writeFileSync(file, 'db-max-rows = 1');
    const rest = await start({}, [file]);
    expect(await rowsOf(rest)).toBe(1);
    const reload = async (text: string, said: RegExp) => {
      const from = rest.err().length;
      writeFileSync(file, text);
      rest.signal('SIGUSR2');
      await rest.said(said, from);
      return await rowsOf(rest);
    };
    expect(await reload('db-max-rows = 2', /Config reloaded/)).toBe(2);
    expect(await reload('db-max-rows = "x"', /Failed reloading config: db-max-rows/)).toBe(2);
    expect(await reload('db-max-rows = ', /Failed reloading config: .*line 1/)).toBe(2);
  });

  test('listening on the channel can be stopped and resumed', async () => {
    const file = join(makeFolder(), 'rest.conf');
    writeFileSync(file, 'db-channel = "mine"\ndb-channel-enabled = false');
    const rest = await start({}, [file]);
    expect(rest.err()).not.toContain('Listening for');
    writeFileSync(file, 'db-channel = "mine"');
    rest.signal('SIGUSR2');
    await rest.said(/Listening for database notifications on the "mine" channel/);
    await database.run("notify mine, 'reload config'");
    await rest.said(/Received a config reload message on the "mine" channel/);
  });

  test('SIGUSR1 and NOTIFY reload the schema', async () => {
    const rest = await start();
    const statusOf = async (name: string) => (await rest.fetch(`/${name}`)).status;
    const make = (name: string) =>
      database.run(`create table api.${name} (id int); grant select on api.${name} to rest_anon`);
    await make('late');
    expect(await statusOf('late')).toBe(404);
    let from = rest.err().length;
    rest.signal('SIGUSR1');
    await rest.said(/Schema cache loaded/, from);
    expect(await statusOf('late')).toBe(200);
    await make('later');
    from = rest.err().length;
    await database.run('notify pgrst');
    await rest.said(
      /Received a schema cache reload message on the "pgrst" channel[\s\S]*Schema cache loaded/,
      from,
    );
    expect(await statusOf('later')).toBe(200);
    await database.run("alter role rest_login set pgrst.db_max_rows = '1'");
    try {
      from = rest.err().length;
      await database.run("notify pgrst, 'reload config'");
      await rest.said(/Received a config reload message[\s\S]*Config reloaded/, from);
      expect(await rowsOf(rest)).toBe(1);
    } finally {
      await database.run('alter role rest_login reset pgrst.db_max_rows');
    }
  });

  test('connections that were opened before a schema reload don’t receive new requests', async () => {
    const rest = await start({ PGRST_DB_POOL: '1' });
    const pids = async () =>
      (
        await database.query<{ pid: number }>(
          "select pid from pg_stat_activity where usename = 'rest_login' and query like '%pgrst_source%'",
        )
      ).map(({ pid }) => pid);
    await rowsOf(rest);
    const [before] = await pids();
    const from = rest.err().length;
    rest.signal('SIGUSR1');
    await rest.said(/Schema cache loaded/, from);
    await rowsOf(rest);
    expect(await pids()).not.toContain(before);
  });
});

describe('tokens', () => {
  const secret = 'a-secret-that-is-long-enough-for-hs256!';
  const claims = { role: 'rest_user', sub: 'x' };
  const whoIs = async (rest: RestProcess, bearer: string) => {
    const response = await rest.fetch('/rpc/whoami', { headers: { authorization: `Bearer ${bearer}` } });
    const { role, code } = (await response.json()) as { role?: string; code?: string };
    return role ?? `${response.status} ${code}`;
  };

  test('a text secret works, and without a secret, every token causes a server error', async () => {
    const bearer = token(secret, 'HS256', claims);
    const rest = await start({ PGRST_JWT_SECRET: secret });
    expect(await whoIs(rest, bearer)).toBe('rest_user');
    expect(await whoIs(rest, token(secret, 'HS256', claims, 'a-kid'))).toBe('401 PGRST301');
    expect(await whoIs(rest, `${bearer.slice(0, -4)}AAAA`)).toBe('401 PGRST301');
    const bare = await start();
    expect(await whoIs(bare, bearer)).toBe('500 PGRST300');
  });

  test('a key in a key set is selected by its ID', async () => {
    const first = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const second = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const keys = [
      { ...first.publicKey.export({ format: 'jwk' }), kid: 'one' },
      { ...second.publicKey.export({ format: 'jwk' }), kid: 'two', alg: 'RS256' },
    ];
    const rest = await start({ PGRST_JWT_SECRET: JSON.stringify({ keys }), PGRST_JWT_AUD: 'me' });
    expect(await whoIs(rest, token(first.privateKey, 'RS256', claims, 'one'))).toBe('rest_user');
    expect(await whoIs(rest, token(second.privateKey, 'RS256', claims))).toBe('rest_user');
    expect(await whoIs(rest, token(second.privateKey, 'RS256', claims, 'one'))).toBe('401 PGRST301');
    expect(await whoIs(rest, token(second.privateKey, 'RS256', claims, 'three'))).toBe('401 PGRST301');
    expect(await whoIs(rest, token(first.privateKey, 'RS256', { ...claims, aud: 'you' }, 'one'))).toBe(
      '401 PGRST303',
    );
    // A public key must not be accepted as an HMAC secret.
    const pem = first.publicKey.export({ type: 'spki', format: 'pem' }).toString();
    expect(await whoIs(rest, token(pem, 'HS256', claims))).toBe('401 PGRST301');
    expect(await whoIs(rest, `${token(secret, 'none', claims).split('.').slice(0, 2).join('.')}.`)).toBe(
      '401 PGRST301',
    );
  });

  test('a Base64 secret is read from its file again at a reload, and a filter selects the role', async () => {
    const file = join(makeFolder(), 'secret');
    const write = (text: string) => writeFileSync(file, `${Buffer.from(text).toString('base64')}\n`);
    write(secret);
    const rest = await start({
      PGRST_JWT_SECRET: `@${file}`,
      PGRST_JWT_SECRET_IS_BASE64: 'true',
      PGRST_JWT_ROLE_CLAIM_KEY: '$.realm.roles[?search(@, "^rest_")]',
    });
    const bearer = token(secret, 'HS256', { realm: { roles: ['x', 'rest_user'] } });
    expect(await whoIs(rest, bearer)).toBe('rest_user');
    write(`${secret}, changed`);
    rest.signal('SIGUSR2');
    await rest.said(/Config reloaded[\s\S]*Config reloaded/);
    // The token cache is cleared when the secret changes.
    expect(await whoIs(rest, bearer)).toBe('401 PGRST301');
  });

  test('without an anonymous role, requests need a token', async () => {
    const rest = await start({ PGRST_DB_ANON_ROLE: '' });
    const response = await rest.fetch('/items');
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toBe('Bearer');
    expect(await response.json()).toMatchObject({
      code: 'PGRST302',
      message: 'Anonymous access is disabled',
    });
  });
});

describe('the server', () => {
  test('CORS, the trace header and the server name are sent, also with preflights', async () => {
    const rest = await start({
      PGRST_SERVER_CORS_ALLOWED_ORIGINS: 'http://a.test, http://b.test',
      PGRST_SERVER_TRACE_HEADER: 'X-Request-Id',
    });
    const ask = async (origin: string, method = 'GET') => {
      const { status, headers } = await rest.fetch('/items', {
        method,
        headers: { origin, 'x-request-id': '7', 'access-control-request-method': 'DELETE' },
      });
      const names = [
        'access-control-allow-origin',
        'access-control-allow-credentials',
        'x-request-id',
        'server',
      ];
      return [status, ...names.map((name) => headers.get(name))];
    };
    expect(await ask('http://b.test')).toEqual([200, 'http://b.test', 'true', '7', 'postgrest/16.2 plinth']);
    expect(await ask('http://b.test', 'OPTIONS')).toEqual([
      200,
      'http://b.test',
      'true',
      '7',
      'postgrest/16.2 plinth',
    ]);
    expect(await ask('http://c.test')).toEqual([200, null, null, '7', 'postgrest/16.2 plinth']);
  });

  test('a Unix socket gets its mode and replaces an old socket', async () => {
    const socket = join(makeFolder(), 'rest.sock');
    writeFileSync(socket, '');
    const rest = await start({
      PGRST_SERVER_UNIX_SOCKET: socket,
      PGRST_SERVER_UNIX_SOCKET_MODE: '600',
      PGRST_LOG_LEVEL: 'info',
    });
    expect((statSync(socket).mode & 0o777).toString(8)).toBe('600');
    const status = await new Promise((resolve, reject) => {
      request({ socketPath: socket, path: '/items' }, (response) => {
        response.resume();
        resolve(response.statusCode);
      })
        .once('error', reject)
        .end();
    });
    expect(status).toBe(200);
    await rest.said(/^- - rest_anon \[.*"GET \/items HTTP\/1\.1" 200/m);
    await rest.stop();
    expect(existsSync(socket)).toBe(false);
  });

  test.each(['!4', '*4', '*', '*6', '!6'])('the special host %s works', async (host) => {
    const rest = await start({ PGRST_SERVER_HOST: host });
    const address = /API server listening on (.*):(\d+)/.exec(rest.err());
    expect(address?.[1]).toMatch(/^(0\.0\.0\.0|\[::\])$/);
    const local = address?.[1] === '0.0.0.0' ? '127.0.0.1' : '[::1]';
    expect((await fetch(`http://${local}:${address?.[2]}/items`)).status).toBe(200);
  });

  test('processes can share a port if all of them enable sharing', async () => {
    const first = await start({ PGRST_SERVER_REUSEPORT: 'true' });
    const shared = { PGRST_SERVER_PORT: new URL(first.url).port, PGRST_SERVER_REUSEPORT: 'true' };
    const second = await start(shared);
    expect(second.url).toBe(first.url);
    expect(await rowsOf(second)).toBe(5);
    await first.stop();
    running.delete(first);
    expect(await rowsOf(second)).toBe(5);
    const third = spawnRest({ ...base, ...shared, PGRST_SERVER_REUSEPORT: 'false' });
    expect(await third.exited).toBe(1);
    expect(third.err()).toContain('is in use by another program');
  });

  test('the request log contains the role, and SQL if enabled', async () => {
    const rest = await start({ PGRST_LOG_LEVEL: 'warn', PGRST_LOG_QUERY: 'true' });
    await rest.fetch('/items');
    await rest.fetch('/secrets?select=id', { headers: { 'user-agent': 'me/1', referer: 'http://r' } });
    const [line] = await rest.said(/^127.*$/m);
    expect(line).toMatch(
      /^127\.0\.0\.1 - rest_anon \[\d{2}\/\w{3}\/\d{4}:[\d:]{8} [+-]\d{4}\] "GET \/secrets\?select=id HTTP\/1\.1" 401 \d+ "http:\/\/r" "me\/1"$/,
    );
    expect(rest.out().trim().split('\n')).toHaveLength(1);
    expect(rest.err()).toMatch(/: .*from "api"\."secrets"/i);
    expect(rest.err()).not.toMatch(/from "api"\."items"/i);
  });

  test('invalid headers from a function are logged with their error code and without a stack trace', async () => {
    const rest = await start();
    expect((await rest.fetch('/rpc/bad_header', { method: 'POST' })).status).toBe(500);
    await expect.poll(rest.err).toMatch(/{"code":"PGRST111","details":".+","hint":null,"message":"response/);
    expect(rest.err()).not.toMatch(/PGRSTX00|\bat /);
  });

  test('a body above the limit is rejected', async () => {
    const rest = await start();
    const { port } = new URL(rest.url);
    const response = await new Promise<string>((resolve, reject) => {
      const sending = request(
        { port, method: 'POST', path: '/items', headers: { 'content-length': String(1024 ** 3) } },
        (response) => {
          resolve(`${response.statusCode}`);
          sending.destroy();
        },
      );
      sending.once('error', reject);
      sending.flushHeaders();
    });
    expect(response).toBe('413');
  });
});

describe('the admin server', () => {
  test('live, ready, metrics and schema_cache respond, and --ready requests them', async () => {
    const rest = await start({
      PGRST_ADMIN_SERVER_PORT: '0',
      PGRST_JWT_SECRET: 'x'.repeat(32),
      PGRST_DB_POOL: '3',
    });
    const bearer = token('x'.repeat(32), 'HS256', { role: 'rest_user' });
    for (let times = 0; times < 3; times++) {
      await (await rest.fetch('/items', { headers: { authorization: `Bearer ${bearer}` } })).text();
    }
    const admin = async (path: string) => {
      const response = await fetch(`${rest.adminUrl}${path}`);
      return {
        status: response.status,
        type: response.headers.get('content-type'),
        text: await response.text(),
      };
    };
    expect(await admin('/live')).toMatchObject({ status: 200, text: '' });
    expect(await admin('/ready')).toMatchObject({ status: 200, text: '' });
    expect(await admin('/config')).toMatchObject({ status: 404 });
    const { type, text } = await admin('/metrics');
    expect(type).toBe('text/plain; charset=utf-8');
    const metric = (name: string) => Number(new RegExp(`^pgrst_${name} ([\\d.]+)$`, 'm').exec(text)?.[1]);
    expect(metric('schema_cache_loads_total{status="SUCCESS"}')).toBe(1);
    expect(metric('db_pool_max')).toBe(3);
    expect(metric('db_pool_available')).toBeGreaterThanOrEqual(1);
    expect([metric('jwt_cache_requests_total'), metric('jwt_cache_hits_total')]).toEqual([3, 2]);
    const { dbTables } = JSON.parse((await admin('/schema_cache')).text) as {
      dbTables: [{ qiName: string }][];
    };
    expect(dbTables.map(([{ qiName }]) => qiName)).toContain('items');
    const { port } = new URL(rest.adminUrl);
    const asked = spawnRest({ PGRST_ADMIN_SERVER_PORT: port }, ['--ready']);
    expect(await asked.exited).toBe(0);
    expect(asked.out()).toBe(`OK: http://127.0.0.1:${port}/ready\n`);
    await rest.stop();
    const late = spawnRest({ PGRST_ADMIN_SERVER_PORT: port }, ['--ready']);
    expect(await late.exited).toBe(1);
    expect(late.err()).toContain('connection refused');
  });

  test('without a database, ready responds with 503 and the time of the next attempt', async () => {
    const rest = await start({
      PGRST_DB_URI: 'postgresql://u:p@127.0.0.1:9/d',
      PGRST_ADMIN_SERVER_PORT: '0',
    });
    expect((await fetch(`${rest.adminUrl}/ready`)).status).toBe(503);
    expect((await fetch(`${rest.adminUrl}/live`)).status).toBe(200);
    const response = await rest.fetch('/items');
    expect(response.status).toBe(503);
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect(await response.json()).toMatchObject({ code: 'PGRST002' });
    expect(rest.err()).toMatch(/Attempting to reconnect to the database in \d+ seconds/);
  });

  test('without recovery, or with a rejected password, the process ends', async () => {
    const lost = spawnRest({
      PGRST_DB_URI: 'postgresql://u:p@127.0.0.1:9/d',
      PGRST_DB_POOL_AUTOMATIC_RECOVERY: 'false',
    });
    expect(await lost.exited).toBe(1);
    expect(lost.err()).toContain('Automatic recovery disabled, exiting.');
    const refused = spawnRest({ PGRST_DB_URI: database.uri.replace(':p@', ':wrong@') });
    expect(await refused.exited).toBe(1);
    expect(refused.err()).toContain('Correct the user and password in db-uri');
  });
});

test('SIGTERM also ends the service while the database is unreachable', async () => {
  const rest = await start({ PGRST_DB_URI: 'postgresql://u:p@127.0.0.1:9/d' });
  rest.signal('SIGTERM');
  expect(await rest.exited).toBe(0);
});

describe('connecting to the database', () => {
  const at = () => new URL(database.uri);

  test('uses the first available one of several hosts', async () => {
    const { host, port, pathname } = at();
    const uri = `postgresql://rest_login:p@127.0.0.1:9,${host}${pathname}?target_session_attrs=read-write`;
    expect(await rowsOf(await start({ PGRST_DB_URI: uri }))).toBe(5);
    const variables = { PGHOST: '127.0.0.1,127.0.0.1', PGPORT: `9,${port}`, PGDATABASE: pathname.slice(1) };
    const login = { PGUSER: 'rest_login', PGPASSWORD: 'p' };
    expect(await rowsOf(await start({ PGRST_DB_URI: 'postgresql://', ...variables, ...login }))).toBe(5);
    const standby = spawnRest({
      ...base,
      PGRST_DB_URI: uri.replace('read-write', 'standby'),
      PGRST_DB_POOL_AUTOMATIC_RECOVERY: 'false',
    });
    expect(await standby.exited).toBe(1);
    expect(standby.err()).toContain("isn't standby (target_session_attrs)");
  });

  test('uses the password from ~/.pgpass or PGPASSFILE', async () => {
    const { port, pathname } = at();
    const home = makeFolder();
    const line = `127.0.0.1:${port}:${pathname.slice(1)}:rest_login:p\n`;
    const PGRST_DB_URI = database.uri.replace(':p@', '@');
    writeFileSync(join(home, '.pgpass'), line, { mode: 0o600 });
    expect(await rowsOf(await start({ PGRST_DB_URI, HOME: home }))).toBe(5);
    const elsewhere = join(makeFolder(), 'passwords');
    writeFileSync(elsewhere, line, { mode: 0o600 });
    expect(await rowsOf(await start({ PGRST_DB_URI, PGPASSFILE: elsewhere }))).toBe(5);
    chmodSync(elsewhere, 0o644);
    const open = spawnRest({ ...base, PGRST_DB_URI, PGPASSFILE: elsewhere });
    expect(await open.exited).toBe(1);
    expect(open.err()).toContain(`chmod 600 ${elsewhere}`);
  });
});

describe('connections', () => {
  test('are limited by db-pool, and a request that waits too long gets 504', async () => {
    const rest = await start({
      PGRST_DB_POOL: '2',
      PGRST_DB_POOL_ACQUISITION_TIMEOUT: '1',
      PGRST_DB_CHANNEL_ENABLED: 'false',
      PGRST_ADMIN_SERVER_PORT: '0',
    });
    const holder = await database.hold();
    const answers = Promise.all(
      Array.from({ length: 5 }, async () => {
        const response = await rest.fetch('/rpc/hold', { method: 'POST' });
        return `${response.status} ${await response.text()}`;
      }),
    );
    await database.until(
      "select count(*) = 2 as done from pg_stat_activity where usename = 'rest_login' and wait_event = 'advisory'",
    );
    await expect
      .poll(
        async () =>
          (await (await fetch(`${rest.adminUrl}/metrics`)).text()).includes(
            'pgrst_db_pool_timeouts_total 3.0',
          ),
        { timeout: 10_000 },
      )
      .toBe(true);
    await holder.release();
    const got = (await answers).map((response) => response.slice(0, 10)).sort();
    expect(got).toEqual(['200 "held"', '200 "held"', '504 {"code', '504 {"code', '504 {"code']);
  });

  test('aren’t needed for requests that are rejected or answered without the database', async () => {
    const rest = await start({ PGRST_DB_POOL: '1', PGRST_DB_CHANNEL_ENABLED: 'false' });
    const holder = await database.hold();
    const held = rest.fetch('/rpc/hold', { method: 'POST' });
    await database.until(
      "select count(*) = 1 as done from pg_stat_activity where usename = 'rest_login' and wait_event = 'advisory'",
    );
    const status = async (path: string, init: RequestInit = {}) => (await rest.fetch(path, init)).status;
    try {
      expect(await status('/items', { method: 'OPTIONS' })).toBe(200);
      expect(await status('/', { method: 'OPTIONS' })).toBe(200);
      expect(await status('/items', { headers: { authorization: 'Bearer x' } })).toBeGreaterThanOrEqual(401);
      expect(await status('/items?select=id,nothing(id)')).toBe(400);
      expect(await status('/items?id=nothing')).toBe(400);
      expect(await status('/nothing')).toBe(404);
      expect(await status('/items', { method: 'POST', body: '{' })).toBe(400);
      expect(await status('/rpc/hold', { method: 'DELETE' })).toBe(405);
    } finally {
      await holder.release();
    }
    expect((await held).status).toBe(200);
  });

  test('have no prepared statements with db-prepared-statements=false', async () => {
    const count = async (environment: Record<string, string>) => {
      const rest = await start({ ...environment, PGRST_DB_POOL: '1' });
      const call = async () => Number(await (await rest.fetch('/rpc/prepared', { method: 'POST' })).text());
      await rowsOf(rest);
      await call();
      const found = await call();
      await rest.stop();
      return found;
    };
    expect(await count({})).toBeGreaterThan(0);
    expect(await count({ PGRST_DB_PREPARED_STATEMENTS: 'false' })).toBe(0);
  });

  test('that are idle are closed on SIGTERM, and requests finish', async () => {
    const rest = await start();
    await rowsOf(rest);
    const slow = rest.fetch('/rpc/nap?seconds=0.5', { method: 'GET' });
    await database.until("select count(*) > 0 as done from pg_stat_activity where wait_event = 'PgSleep'");
    rest.signal('SIGTERM');
    expect((await slow).status).toBe(200);
    expect(await rest.exited).toBe(0);
    expect(rest.err()).toContain('Received termination unix signal SIGTERM');
  });
});
