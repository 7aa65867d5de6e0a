/** Tests attacks on REST, storage, auth and realtime over HTTP that use malicious names, values and headers. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { alice, bob, startWorld, type World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld({ exclude: ['functions'] });
});
afterAll(() => world?.stop());

const admin = async <Row extends object>(text: string): Promise<Row[]> =>
  world.backend.database.pool('supabase_admin').query<Row>(sql`${sql.raw(text)}`);
const bobsBody = async () =>
  (await admin<{ body: string }>(`select body from public.notes where owner = '${bob}'`)).map(
    ({ body }) => body,
  );

const injections = [
  `'; drop table public.notes; --`,
  `"; drop table public.notes; --`,
  `1) or true --`,
  `x' or '1'='1`,
  `id) from auth.users --`,
  `$1`,
  `\\'; select pg_sleep(5); --`,
  `*/ drop table notes /*`,
  `a"."b`,
  `\u0000`,
  `%00`,
  `\ud83d`,
  `__proto__`,
  `constructor`,
];

describe('SQL in the REST service', () => {
  it('is treated as text in every position', async () => {
    const token = world.user(alice);
    for (const attack of injections) {
      const text = encodeURIComponent(attack.toWellFormed());
      const paths = [
        `/rest/v1/${text}`,
        `/rest/v1/rpc/${text}`,
        `/rest/v1/notes?select=${text}`,
        `/rest/v1/notes?select=id,${text}(*)`,
        `/rest/v1/notes?select=alias${text}:id`,
        `/rest/v1/notes?select=body::${text}`,
        `/rest/v1/notes?select=doc->${text}`,
        `/rest/v1/notes?select=doc->>${text}`,
        `/rest/v1/notes?${text}=eq.1`,
        `/rest/v1/notes?body=eq.${text}`,
        `/rest/v1/notes?body=${text}.x`,
        `/rest/v1/notes?body=like.${text}`,
        `/rest/v1/notes?body=fts(${text}).x`,
        `/rest/v1/notes?body=in.(${text})`,
        `/rest/v1/notes?doc->a->>${text}=eq.1`,
        `/rest/v1/notes?or=(${text}.eq.1)`,
        `/rest/v1/notes?or=(body.eq.${text})`,
        `/rest/v1/notes?order=${text}`,
        `/rest/v1/notes?order=body.${text}`,
        `/rest/v1/notes?limit=${text}`,
        `/rest/v1/notes?offset=${text}`,
        `/rest/v1/notes?on_conflict=${text}`,
        `/rest/v1/notes?columns=${text}`,
        `/rest/v1/rpc/say?value=${text}`,
        `/rest/v1/rpc/say?${text}=x`,
      ];
      for (const path of paths) {
        const { status, text: response } = await world.call(path, { token });
        expect([path, status < 500]).toEqual([path, true]);
        expect([path, response.includes('of bob')]).toEqual([path, false]);
      }
    }
    expect(await bobsBody()).toEqual(['of bob']);
  });

  it('is treated as text in bodies and headers', async () => {
    const token = world.user(alice);
    for (const attack of injections) {
      const well = attack.toWellFormed();
      for (const json of [
        { [well]: 'x' },
        { body: well },
        { doc: { [well]: well } },
        [{ body: 'x', [well]: 1 }],
      ]) {
        const { status } = await world.call('/rest/v1/notes', { token, json });
        expect([json, status < 500]).toEqual([json, true]);
      }
      if (/[^\x20-\x7e]/.test(well)) continue;
      const names = [
        'prefer',
        'accept-profile',
        'range',
        'accept',
        'range-unit',
        'x-client-info',
        'if-match',
      ];
      for (const name of names) {
        const { status, text } = await world.call('/rest/v1/notes', { token, headers: { [name]: well } });
        expect([name, well, status < 500]).toEqual([name, well, true]);
        expect(text).not.toContain('of bob');
      }
      const profile = { 'content-profile': well };
      expect(
        (await world.call('/rest/v1/notes', { token, json: { body: 'x' }, headers: profile })).status,
      ).toBe(406);
    }
    expect(await bobsBody()).toEqual(['of bob']);
  });
});

describe('other users’ rows', () => {
  it('can’t be read by filter, embed, view, count, function or computed order', async () => {
    const token = world.user(alice);
    for (const path of [
      `/rest/v1/notes?owner=eq.${bob}`,
      '/rest/v1/notes?or=(id.gt.0,owner.neq.x)',
      '/rest/v1/notes_seen',
      '/rest/v1/books?select=title,notes(*)',
      '/rest/v1/books?select=title,...notes(body)',
      '/rest/v1/books?select=title,notes!inner(body)',
      '/rest/v1/notes?select=*,books(*,notes(*))',
      '/rest/v1/notes?select=body.count()',
    ]) {
      expect([path, (await world.call(path, { token })).text.includes('of bob')]).toEqual([path, false]);
    }
    const counted = await world.call('/rest/v1/notes', { token, headers: { prefer: 'count=exact' } });
    const own = await admin<{ n: string }>(
      `select count(*)::int as n from public.notes where owner = '${alice}'`,
    );
    expect(counted.headers.get('content-range')).toMatch(new RegExp(`/${own[0]?.n}$`));
  });

  it('can’t be written by update, upsert, delete, a given owner or a given ID', async () => {
    const token = world.user(alice);
    const [row] = await admin<{ id: number }>(`select id from public.notes where owner = '${bob}'`);
    const upsert = { prefer: 'resolution=merge-duplicates,return=representation' };
    await world.call(`/rest/v1/notes?id=eq.${row?.id}`, { token, json: { body: 'taken' }, method: 'PATCH' });
    await world.call(`/rest/v1/notes?id=eq.${row?.id}`, { token, method: 'DELETE' });
    await world.call('/rest/v1/notes', {
      token,
      json: { id: row?.id, body: 'taken', owner: alice },
      headers: upsert,
    });
    await world.call(`/rest/v1/notes?id=eq.${row?.id}`, {
      token,
      json: { id: row?.id, body: 'taken', owner: bob },
      method: 'PUT',
    });
    expect((await world.call('/rest/v1/notes', { token, json: { body: 'x', owner: bob } })).status).toBe(403);
    expect(await bobsBody()).toEqual(['of bob']);
  });

  it('can’t be affected by a rollback that a client requests', async () => {
    const token = world.user(alice);
    const headers = { prefer: 'tx=rollback, return=representation' };
    const { body } = await world.call('/rest/v1/notes', { token, json: { body: 'stays' }, headers });
    expect(await admin(`select 1 from public.notes where id = ${body[0].id}`)).toHaveLength(1);
  });

  it('can’t be read in schemas that aren’t exposed', async () => {
    const { serviceRoleKey } = world.backend.keys;
    for (const schema of [
      'auth',
      'storage',
      'vault',
      '_plinth',
      'pg_catalog',
      'information_schema',
      'realtime',
    ]) {
      for (const path of [
        '/rest/v1/users',
        '/rest/v1/secrets',
        '/rest/v1/pg_authid',
        '/rest/v1/rpc/pg_read_file',
      ]) {
        const { status } = await world.call(path, {
          token: serviceRoleKey,
          headers: { 'accept-profile': schema },
        });
        expect([schema, path, status]).toEqual([schema, path, 406]);
      }
    }
    for (const name of [
      'pg_sleep',
      'set_config',
      'pg_read_file',
      'lo_import',
      'pg_terminate_backend',
      'http_get',
    ]) {
      expect((await world.call(`/rest/v1/rpc/${name}`, { token: serviceRoleKey })).status).toBe(404);
    }
  });
});

describe('headers that the database sets', () => {
  it('can’t contain line breaks, which would add a header or split the response', async () => {
    for (const value of [
      '[{"x-a":"b\\r\\nx-evil: 1"}]',
      '[{"x-a":"b\\nx-evil: 1"}]',
      '[{"x-a\\r\\nx-evil":"1"}]',
      '[{"x-a: b\\r\\n\\r\\n<html>":"1"}]',
      '[{"x a":"b"}]',
      '[{"x-a":"\\u0000"}]',
    ]) {
      const response = await world.call('/rest/v1/rpc/answer_with', { json: { value } });
      expect([value, response.status]).toEqual([value, 500]);
      expect(response.headers.get('x-evil')).toBeNull();
      expect(response.body.code).toBe('PGRST111');
    }
  });
});

describe('auth', () => {
  const signUp = (json: unknown) => world.call('/auth/v1/signup', { json });

  it('rejects an address that contains a line break or several recipients', async () => {
    for (const email of [
      'a@example.com\r\nBcc: evil@example.com',
      'a@example.com\nSubject: x',
      'a@example.com,evil@example.com',
      'a@example.com evil@example.com',
      '<a@example.com>',
      'a@example.com>',
      '"a\r\n"@example.com',
      'a\u0000@example.com',
      'a@exa mple.com',
    ]) {
      const { status } = await signUp({ email, password: 'secret-123' });
      expect([email, status]).toEqual([email, 400]);
    }
  });

  it('rejects what PostgreSQL can’t store, without an internal error', async () => {
    const deep = JSON.parse(`${'['.repeat(5000)}${']'.repeat(5000)}`);
    for (const data of [{ x: '\u0000' }, { '\u0000': 1 }, { x: '\ud800' }, { x: deep }]) {
      expect((await signUp({ email: 'data@example.com', password: 'secret-123', data })).status).toBe(400);
    }
    for (const [path, json] of [
      ['/token?grant_type=password', { email: 'x\u0000@example.com', password: 'x' }],
      ['/token?grant_type=pkce', { auth_code: '\u0000', code_verifier: 'x' }],
      ['/token?grant_type=refresh_token', { refresh_token: '\u0000' }],
      ['/verify', { type: 'signup', token_hash: '\u0000' }],
      ['/verify', { type: 'email', token: '\u0000', email: 'x@example.com' }],
    ] as const) {
      const { status } = await world.call(`/auth/v1${path}`, { json });
      expect([path, status >= 400 && status < 500]).toEqual([path, true]);
    }
  });

  it('doesn’t allow metadata to change a prototype, or a user to choose a role, an ID or a confirmation', async () => {
    const text =
      '{"email":"proto@example.com","password":"secret-123","role":"service_role","aud":"x","id":"' +
      bob +
      '","app_metadata":{"admin":true},"is_super_admin":true,"data":{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}}';
    const { status, body } = await world.call('/auth/v1/signup', {
      method: 'POST',
      body: text,
      headers: { 'content-type': 'application/json' },
    });
    expect(status).toBe(200);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    expect(body.user).toMatchObject({ role: 'authenticated', aud: 'authenticated' });
    expect(body.user.id).not.toBe(bob);
    expect(body.user.app_metadata).toEqual({ provider: 'email', providers: ['email'] });
    const token = body.access_token as string;
    const refused = { app_metadata: { admin: true } };
    expect((await world.call('/auth/v1/user', { token, json: refused, method: 'PUT' })).status).toBe(403);
    const update = { role: 'service_role', is_super_admin: true, data: { role: 'service_role' } };
    const changed = await world.call('/auth/v1/user', { token, json: update, method: 'PUT' });
    expect(changed.body).toMatchObject({ role: 'authenticated' });
    expect(changed.body.app_metadata.admin).toBeUndefined();
    const [row] = await admin(
      `select role, is_super_admin from auth.users where email = 'proto@example.com'`,
    );
    expect(row).toMatchObject({ role: 'authenticated', is_super_admin: null });
  });

  it('sends links without a foreign host, which redirect only to addresses that the project allows', async () => {
    const evil = [
      'https://evil.test',
      '//evil.test',
      '/\\evil.test',
      'http://127.0.0.1:3000@evil.test',
      'http://127.0.0.1:3000.evil.test',
      'http://evil.test#127.0.0.1:3000',
      'http://evil.test\\@127.0.0.1:3000',
      'javascript:alert(1)',
      'data:text/html,x',
      'http://127.0.0.1:3000\r\nx: y',
      ' http://evil.test',
      'http:evil.test',
    ];
    for (const target of evil) {
      const path = `/auth/v1/verify?type=signup&token=x&redirect_to=${encodeURIComponent(target)}`;
      const headers = { 'x-forwarded-host': 'evil.test', referer: 'https://evil.test/' };
      const response = await world.call(path, { headers });
      const location = new URL(response.headers.get('location') ?? 'missing:');
      expect([target, location.hostname]).toEqual([target, '127.0.0.1']);
    }
    await world.call('/auth/v1/otp', {
      json: { email: 'links@example.com' },
      headers: {
        'x-forwarded-host': 'evil.test',
        'x-forwarded-proto': 'https',
        host: 'evil.test',
        origin: 'https://evil.test',
      },
    });
    const { MAILPIT_URL } = world.backend.status();
    const list = (await (await fetch(`${MAILPIT_URL}/api/v1/search?query=to:links@example.com`)).json()) as {
      messages: { ID: string }[];
    };
    const mail = await (await fetch(`${MAILPIT_URL}/api/v1/message/${list.messages[0]?.ID}`)).text();
    expect(mail).toContain('/auth/v1/verify?');
    expect(mail).not.toContain('evil.test');
  });

  it('doesn’t reveal who has an account', async () => {
    await signUp({ email: 'known@example.com', password: 'secret-123' });
    const ask = async (path: string, email: string, more: object = {}) => {
      const { status, body } = await world.call(`/auth/v1${path}`, { json: { email, ...more } });
      return { status, body };
    };
    for (const [path, more] of [
      ['/token?grant_type=password', { password: 'wrong-secret' }],
      ['/recover', {}],
      ['/verify', { type: 'recovery', token: '000000' }],
      ['/resend', { type: 'signup' }],
    ] as const) {
      const [known, unknown] = [
        await ask(path, 'known@example.com', more),
        await ask(path, 'unknown@example.com', more),
      ];
      expect([path, known]).toEqual([path, unknown]);
    }
  });

  it('uses the socket’s address as the caller’s address', async () => {
    const { body } = await world.call('/auth/v1/signup', {
      json: { email: 'address@example.com', password: 'secret-123' },
      headers: { 'x-forwarded-for': '203.0.113.9' },
    });
    const [session] = await admin<{ ip: string }>(
      `select host(ip) as ip from auth.sessions where user_id = '${body.user.id}'`,
    );
    expect(session?.ip).toBe('127.0.0.1');
  });
});

describe('content that users store', () => {
  it('can’t run scripts in the Console’s origin as HTML, SVG, XML or an unknown type', async () => {
    const { serviceRoleKey: token } = world.backend.keys;
    const put = (type: string) =>
      world.call('/storage/v1/object/open/page', {
        method: 'POST',
        token,
        body: '<script>alert(1)</script>',
        headers: { 'content-type': type, 'x-upsert': 'true' },
      });
    for (const type of [
      'text/html',
      'TEXT/HTML; charset=utf-7',
      'image/svg+xml',
      'application/xhtml+xml',
      'text/xml',
      'application/xslt+xml',
      'application/unknown',
      '*/*',
      'text/javascript',
      'multipart/x-mixed-replace',
      'message/rfc822',
    ]) {
      expect((await put(type)).status).toBe(200);
      const { headers } = await world.call('/storage/v1/object/public/open/page');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      if (headers.get('content-type') === 'text/plain') continue;
      expect([type, headers.get('content-security-policy')]).toEqual([
        type,
        expect.stringMatching(/\bsandbox$/),
      ]);
    }
    for (const type of ['image/png', 'application/pdf', 'video/mp4', 'application/json']) {
      await put(type);
      const { headers } = await world.call('/storage/v1/object/public/open/page');
      expect([type, headers.get('content-security-policy')]).toEqual([type, null]);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
    }
  });

  it('can’t add a header through the type, the cache time or the name', async () => {
    const { serviceRoleKey: token } = world.backend.keys;
    for (const download of ['x\r\nx-evil: 1', '"; x-evil=1', '\u0000', '\u{1f600}']) {
      const query = encodeURIComponent(download);
      const { headers } = await world.call(`/storage/v1/object/public/open/page?download=${query}`);
      expect(headers.get('x-evil')).toBeNull();
      expect(headers.get('content-disposition')).toMatch(
        /^attachment; filename="[^"\\]*"; filename\*=UTF-8''[\w%.-]*$/,
      );
    }
    const pool = world.backend.database.pool('supabase_storage_admin');
    const metadata = {
      mimetype: 'text/plain\r\nx-evil: 1',
      cacheControl: 'no-cache\r\nx-evil: 1',
      eTag: '"a"\r\nx-evil: 1',
    };
    await world.call('/storage/v1/object/open/evil', { method: 'POST', token, body: 'x' });
    await pool.query(
      sql`update storage.objects set metadata = ${JSON.stringify(metadata)}::jsonb where name = 'evil'`,
    );
    const response = await world.call('/storage/v1/object/public/open/evil');
    expect(response.headers.get('x-evil')).toBeNull();
  });

  it('is sorted and searched without SQL from users', async () => {
    const { serviceRoleKey: token } = world.backend.keys;
    for (const attack of injections) {
      for (const json of [
        { prefix: attack },
        { prefix: '', search: attack },
        { prefix: '', sortBy: { column: attack, order: 'asc' } },
        { prefix: '', sortBy: { column: 'name', order: attack } },
      ]) {
        const { status } = await world.call('/storage/v1/object/list/open', { token, json });
        expect([json, status < 500]).toEqual([json, true]);
      }
    }
  });
});

describe('the captured inbox', () => {
  it('rejects invalid URLs, and its pages don’t run scripts', async () => {
    const { MAILPIT_URL } = world.backend.status();
    for (const path of [
      '/api/v1/message/%zz',
      '//',
      '/view/%00.html',
      '/api/v1/search?query=%00',
      '/api/v1/message/%00',
    ]) {
      expect([path, (await fetch(`${MAILPIT_URL}${path}`)).status]).toEqual([path, 400]);
    }
    const subject = '<script>alert(1)</script>';
    await world.call('/auth/v1/otp', { json: { email: 'inbox@example.com', data: { subject } } });
    const page = await fetch(`${MAILPIT_URL}/`);
    expect(page.headers.get('content-security-policy')).toContain('sandbox');
    expect(await page.text()).not.toContain('<script');
  });
});

describe('the database', () => {
  it('denies API roles access to Plinth’s own schema, and every definer function sets its search path', async () => {
    expect(
      await admin(`
        select r.rolname, c.oid::regclass::text from pg_roles r cross join pg_class c
        where r.rolname in ('anon', 'authenticated', 'service_role', 'authenticator')
          and c.relnamespace = '_plinth'::regnamespace and c.relkind in ('r', 'v', 'p')
          and has_table_privilege(r.oid, c.oid, 'select, insert, update, delete')`),
    ).toEqual([]);
    expect(
      await admin(`select oid::regprocedure::text from pg_proc
        where prosecdef and not exists (select from unnest(proconfig) s where s like 'search_path=%')`),
    ).toEqual([]);
    expect(
      await admin(`
        select r.rolname, p.oid::regprocedure::text from pg_roles r cross join pg_proc p
        where r.rolname in ('anon', 'authenticated')
          and (p.pronamespace in ('_plinth'::regnamespace, 'vault'::regnamespace) or p.proname ~ '^(dblink|pg_read_|pg_ls_|lo_import|lo_export)')
          and has_schema_privilege(r.oid, p.pronamespace, 'usage') and has_function_privilege(r.oid, p.oid, 'execute')`),
    ).toEqual([]);
  });

  it('protects every Plinth table from the API roles with row level security', async () => {
    expect(
      await admin(`
        select c.oid::regclass::text from pg_class c
        where c.relnamespace in ('storage'::regnamespace, 'realtime'::regnamespace, 'auth'::regnamespace)
          and c.relkind in ('r', 'p') and not c.relispartition and not c.relrowsecurity
          and c.oid <> 'realtime.subscription'::regclass -- upstream's, and empty here
          and (has_table_privilege('anon', c.oid, 'select, insert, update, delete')
            or has_table_privilege('authenticated', c.oid, 'select, insert, update, delete'))`),
    ).toEqual([]);
  });
});
