/** Tests the transfer of a guest's rows to an account: the hook's payload, attacks, and the state after a failure. */
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import type { Backend } from '../../src/entry/main.ts';
import { createTestBackend, runSql } from '../../src/entry/testing.ts';
import { webhookSignature } from '../../src/services/auth/hooks/webhook-signature.ts';
import { handOverSql } from './hand-over-sql.ts';
import { makeUser, password, totp } from './harness.ts';

const ours = { 'x-plinth-request': '1', 'content-type': 'application/json' };

/** Stores a browser's cookies, and sends requests in the format that the pages use. */
class Visit {
  readonly cookies = new Map<string, string>();
  private readonly backend: Backend;
  constructor(backend: Backend) {
    this.backend = backend;
  }

  async call<T = { code?: string }>(
    name: string,
    body?: object,
    headers: Record<string, string> = ours,
  ): Promise<{ status: number; body: T }> {
    const cookie = [...this.cookies].map(([key, value]) => `${key}=${value}`).join('; ');
    const response = await fetch(`${this.backend.url}/account/api/${name}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { ...headers, ...(cookie === '' ? {} : { cookie }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    for (const line of response.headers.getSetCookie()) {
      const [, key = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '') this.cookies.delete(key);
      else this.cookies.set(key, value);
    }
    return { status: response.status, body: (await response.json()) as T };
  }

  /** Starts a guest session and returns the guest's ID. */
  async startAsGuest(): Promise<string> {
    const { body } = await this.call<{ session: { user: { id: string } } }>('guest', {});
    return body.session.user.id;
  }

  async signIn(email: string): Promise<void> {
    expect((await this.call('sign-in', { email, password })).status).toBe(200);
  }

  async userId(): Promise<string | undefined> {
    return (await this.call<{ session: { user: { id: string } } | null }>('session')).body.session?.user.id;
  }
}

let users = 0;
async function newAccount(backend: Backend): Promise<{ id: string; email: string }> {
  users += 1;
  const email = `owner-${users}@example.com`;
  return { id: await makeUser(backend, email), email };
}

async function rows<Row extends object>(backend: Backend, text: string): Promise<Row[]> {
  return backend.database.pool('supabase_admin').query<Row>(sql`${sql.raw(text)}`);
}

const note = (backend: Backend, owner: string, body: string) =>
  runSql(backend, `insert into public.notes (owner, body) values ('${owner}', '${body}')`);
const notesOf = async (backend: Backend, owner: string) =>
  (await rows<{ body: string }>(backend, `select body from public.notes where owner = '${owner}'`)).map(
    ({ body }) => body,
  );
const exists = async (backend: Backend, id: string) =>
  (await rows(backend, `select from auth.users where id = '${id}'`)).length === 1;

describe('with a PostgreSQL function', () => {
  let backend: Backend;
  let visit: Visit;
  let guest: string;
  let account: { id: string; email: string };

  beforeAll(async () => {
    backend = await createTestBackend({
      sql: handOverSql,
      config: {
        auth: {
          enable_anonymous_sign_ins: true,
          mfa: { totp: { enroll_enabled: true, verify_enabled: true } },
        },
        plinth: {
          auth: {
            hook: {
              guest_hand_over: { enabled: true, uri: 'pg-functions://postgres/public/hand_over_guest' },
            },
          },
        },
      },
    });
  });
  afterAll(() => backend.stop());
  beforeEach(async () => {
    visit = new Visit(backend);
    guest = await visit.startAsGuest();
    account = await newAccount(backend);
    await note(backend, guest, 'of a guest');
  });

  test('the rows change owner, the guest is deleted, and the account stays signed in', async () => {
    expect(await visit.call('guest/set-aside', {})).toMatchObject({ status: 200 });
    expect(await visit.userId()).toBeUndefined();
    await visit.signIn(account.email);
    expect((await visit.call('guest')).body).toEqual({ guest: true });
    expect(await visit.call('guest/hand-over', {})).toEqual({ status: 200, body: {} });
    expect(await notesOf(backend, account.id)).toEqual(['of a guest']);
    expect(await exists(backend, guest)).toBe(false);
    expect(await visit.userId()).toBe(account.id);
    expect((await visit.call('guest')).body).toEqual({ guest: false });
  });

  test('runs only once: neither a concurrent request nor a replay with the old cookie calls the hook again', async () => {
    await visit.call('guest/set-aside', {});
    const old = visit.cookies.get('plinth-account-guest') as string;
    await visit.signIn(account.email);
    const answers = await Promise.all([
      visit.call('guest/hand-over', {}),
      visit.call('guest/hand-over', {}),
      visit.call('guest/hand-over', {}),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404]);
    visit.cookies.set('plinth-account-guest', old);
    expect(await visit.call('guest/hand-over', {})).toMatchObject({
      status: 404,
      body: { code: 'guest_gone' },
    });
    const calls = await rows(backend, `select from public.calls where guest = '${guest}'`);
    expect(calls.length).toBe(1);
  });

  test('a failing function changes nothing, and a retry succeeds', async () => {
    await visit.call('guest/set-aside', {});
    await visit.signIn(account.email);
    await runSql(backend, `insert into public.trouble values ('x')`);
    expect(await visit.call('guest/hand-over', {})).toMatchObject({
      status: 502,
      body: { code: 'hand_over_failed' },
    });
    expect(await notesOf(backend, guest)).toEqual(['of a guest']);
    expect((await visit.call('guest')).body).toEqual({ guest: true });
    await runSql(backend, 'truncate public.trouble');
    expect(await visit.call('guest/hand-over', {})).toMatchObject({ status: 200 });
    expect(await notesOf(backend, account.id)).toEqual(['of a guest']);
  });

  test('the function decides which row is kept if both accounts have one', async () => {
    await runSql(
      backend,
      `insert into public.settings values ('${guest}', 'dark'), ('${account.id}', 'light')`,
    );
    await visit.call('guest/set-aside', {});
    await visit.signIn(account.email);
    expect((await visit.call('guest/hand-over', {})).status).toBe(200);
    const themes = await rows(backend, `select theme from public.settings where owner = '${account.id}'`);
    expect(themes).toEqual([{ theme: 'light' }]);
  });

  test('if rows prevent deleting the guest, the function’s changes are rolled back', async () => {
    await runSql(
      backend,
      'create table if not exists public.kept (owner uuid references auth.users (id) on delete restrict)',
    );
    await runSql(backend, `insert into public.kept values ('${guest}')`);
    await visit.call('guest/set-aside', {});
    await visit.signIn(account.email);
    expect((await visit.call('guest/hand-over', {})).status).toBe(502);
    expect(await notesOf(backend, guest)).toEqual(['of a guest']);
    expect(await exists(backend, guest)).toBe(true);
    await runSql(backend, 'truncate public.kept');
  });

  test("a guest's ID isn't sufficient: the cookie of the guest's own browser is required", async () => {
    const thief = new Visit(backend);
    await thief.signIn(account.email);
    expect(await thief.call('guest/hand-over', { guest_id: guest })).toMatchObject({
      status: 404,
      body: { code: 'guest_gone' },
    });
    thief.cookies.set(
      'plinth-account-guest',
      Buffer.from(guest).toString('base64url').padEnd(43, 'A').slice(0, 43),
    );
    expect((await thief.call('guest/hand-over', {})).body).toMatchObject({ code: 'guest_gone' });
    expect(await notesOf(backend, guest)).toEqual(['of a guest']);
  });

  test('an account can’t be transferred, and a guest can’t receive data', async () => {
    const other = await newAccount(backend);
    const member = new Visit(backend);
    await member.signIn(other.email);
    expect(await member.call('guest/set-aside', {})).toMatchObject({
      status: 403,
      body: { code: 'not_a_guest' },
    });
    // The guest cookie contains a member's session instead of a guest's session.
    const mixed = new Visit(backend);
    await mixed.signIn(account.email);
    mixed.cookies.set('plinth-account-guest', member.cookies.get('plinth-account') as string);
    expect((await mixed.call('guest/hand-over', {})).body).toMatchObject({ code: 'guest_gone' });
    expect(await exists(backend, other.id)).toBe(true);
    // Rows can't be transferred from one guest to another.
    await visit.call('guest/set-aside', {});
    await visit.startAsGuest();
    expect((await visit.call('guest/hand-over', {})).body).toMatchObject({ code: 'not_a_guest' });
    // A guest's rows can't be transferred to the same guest either.
    await visit.call('guest/resume', {});
    visit.cookies.set('plinth-account-guest', visit.cookies.get('plinth-account') as string);
    expect((await visit.call('guest/hand-over', {})).body).toMatchObject({ code: 'not_a_guest' });
    expect(await notesOf(backend, guest)).toEqual(['of a guest']);
  });

  test('the account’s second factor is required first', async () => {
    const owner = new Visit(backend);
    await owner.signIn(account.email);
    const token = (await owner.call<{ session: { access_token: string } }>('session')).body.session
      .access_token;
    const asOwner = (path: string, body: object) =>
      backend.fetch(`/auth/v1${path}`, {
        method: 'POST',
        headers: {
          apikey: backend.keys.publishableKey,
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
        },
        body: JSON.stringify(body),
      });
    const factor = (await (
      await asOwner('/factors', { factor_type: 'totp', friendly_name: 'x' })
    ).json()) as { id: string; totp: { secret: string } };
    expect(
      (await owner.call('factor', { factor_id: factor.id, code: totp(factor.totp.secret) })).status,
    ).toBe(200);

    await visit.call('guest/set-aside', {});
    await visit.signIn(account.email);
    expect((await visit.call('guest/hand-over', {})).body).toMatchObject({ code: 'insufficient_aal' });
    expect(await notesOf(backend, guest)).toEqual(['of a guest']);
    const code = totp(factor.totp.secret, Date.now() + 30_000);
    expect((await visit.call('factor', { factor_id: factor.id, code })).status).toBe(200);
    expect((await visit.call('guest/hand-over', {})).status).toBe(200);
    expect(await notesOf(backend, account.id)).toEqual(['of a guest']);
  });

  test("an old sign-in isn't sufficient", async () => {
    await visit.call('guest/set-aside', {});
    await visit.signIn(account.email);
    await rows(
      backend,
      `update auth.mfa_amr_claims set updated_at = now() - interval '16 minutes'
       where session_id in (select id from auth.sessions where user_id = '${account.id}')`,
    );
    expect((await visit.call('guest/hand-over', {})).body).toMatchObject({ code: 'sign_in_stale' });
    expect(await notesOf(backend, guest)).toEqual(['of a guest']);
  });

  test('a guest whose session was ended elsewhere isn’t transferred', async () => {
    await visit.call('guest/set-aside', {});
    await visit.signIn(account.email);
    await rows(backend, `delete from auth.sessions where user_id = '${guest}'`);
    expect((await visit.call('guest/hand-over', {})).body).toMatchObject({ code: 'guest_gone' });
    expect(await exists(backend, guest)).toBe(true);
  });

  test.each<[string, Record<string, string>]>([
    ['without our header', { 'content-type': 'application/json' }],
    ['from another origin', { ...ours, origin: 'https://evil.example' }],
    ['from another site', { ...ours, 'sec-fetch-site': 'cross-site' }],
    ['as a form', { 'content-type': 'application/x-www-form-urlencoded' }],
  ])('a request %s does nothing', async (_name, headers) => {
    expect((await visit.call('guest/set-aside', {}, headers)).status).toBe(403);
    await visit.call('guest/set-aside', {});
    await visit.signIn(account.email);
    for (const name of ['hand-over', 'resume', 'leave-behind']) {
      expect((await visit.call(`guest/${name}`, {}, headers)).status).toBe(403);
    }
    expect(await notesOf(backend, guest)).toEqual(['of a guest']);
    expect((await visit.call('guest')).body).toEqual({ guest: true });
  });

  test('canceling returns to the guest’s session and signs out the account', async () => {
    await visit.call('guest/set-aside', {});
    await visit.signIn(account.email);
    const accountCookie = visit.cookies.get('plinth-account') as string;
    await visit.call('guest/resume', {});
    expect(await visit.userId()).toBe(guest);
    const other = new Visit(backend);
    other.cookies.set('plinth-account', accountCookie);
    expect(await other.userId()).toBeUndefined();
  });

  test('leaving the guest data behind ends the guest’s session and changes nothing else', async () => {
    await visit.call('guest/set-aside', {});
    await visit.signIn(account.email);
    await visit.call('guest/leave-behind', {});
    expect((await visit.call('guest')).body).toEqual({ guest: false });
    expect(await visit.userId()).toBe(account.id);
    expect(await notesOf(backend, guest)).toEqual(['of a guest']);
    expect(await rows(backend, `select from auth.sessions where user_id = '${guest}'`)).toEqual([]);
  });

  test('the cookie is HttpOnly and SameSite', async () => {
    const response = await fetch(`${backend.url}/account/api/guest/set-aside`, {
      method: 'POST',
      headers: { ...ours, cookie: `plinth-account=${visit.cookies.get('plinth-account')}` },
      body: '{}',
    });
    expect(response.headers.getSetCookie()).toEqual([
      expect.stringMatching(
        /^plinth-account-guest=[\w-]{43}; Max-Age=900; Path=\/account; HttpOnly; SameSite=Lax$/,
      ),
      expect.stringMatching(/^plinth-account=; Max-Age=0; /),
    ]);
  });
});

describe('over HTTP', () => {
  const secrets = `v1,whsec_${Buffer.alloc(24, 5).toString('base64')}`;
  let hook: Server;
  let backend: Backend;
  let answer: { status: number; body: object };
  const seen: { headers: IncomingHttpHeaders; body: string }[] = [];

  beforeAll(async () => {
    hook = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
      const body = Buffer.concat(chunks).toString();
      seen.push({ headers: request.headers, body });
      // While the transfer waits for the hook, the project's server can write on its own connection.
      const { guest_id, user_id } = JSON.parse(body) as { guest_id: string; user_id: string };
      await runSql(backend, `update public.notes set owner = '${user_id}' where owner = '${guest_id}'`);
      response
        .writeHead(answer.status, { 'content-type': 'application/json' })
        .end(JSON.stringify(answer.body));
    });
    await new Promise<void>((resolve) => hook.listen(0, '127.0.0.1', resolve));
    const uri = `http://127.0.0.1:${(hook.address() as AddressInfo).port}/`;
    backend = await createTestBackend({
      sql: handOverSql,
      config: {
        auth: { enable_anonymous_sign_ins: true },
        plinth: { auth: { hook: { guest_hand_over: { enabled: true, uri, secrets } } } },
      },
    });
  });
  afterAll(async () => {
    await backend.stop();
    await new Promise((resolve) => hook.close(resolve));
  });

  test('the request is signed (Standard Webhooks), a rejection keeps the guest, and a retry sends it again', async () => {
    const visit = new Visit(backend);
    const guest = await visit.startAsGuest();
    const account = await newAccount(backend);
    await note(backend, guest, 'first');
    await visit.call('guest/set-aside', {});
    await visit.signIn(account.email);

    answer = { status: 200, body: { error: { http_code: 409, message: 'Two carts cannot be one.' } } };
    expect(await visit.call('guest/hand-over', {})).toMatchObject({
      status: 502,
      body: { code: 'hand_over_failed' },
    });
    expect(await exists(backend, guest)).toBe(true);
    answer = { status: 500, body: {} };
    expect((await visit.call('guest/hand-over', {})).status).toBe(502);
    expect(await exists(backend, guest)).toBe(true);

    answer = { status: 200, body: {} };
    expect((await visit.call('guest/hand-over', {})).status).toBe(200);
    expect(await exists(backend, guest)).toBe(false);
    expect(await notesOf(backend, account.id)).toEqual(['first']);

    expect(seen.length).toBe(3);
    for (const { headers, body } of seen) {
      const message = {
        id: String(headers['webhook-id']),
        timestampSeconds: Number(headers['webhook-timestamp']),
        body,
      };
      expect(headers['webhook-signature']).toBe(webhookSignature(secrets, message));
      expect(JSON.parse(body)).toEqual({
        metadata: {
          uuid: expect.any(String),
          time: expect.any(String),
          name: 'guest-hand-over',
          ip_address: '127.0.0.1',
        },
        guest_id: guest,
        user_id: account.id,
      });
    }
  });
});

test('without a hook, no guest session is set aside', async () => {
  const backend = await createTestBackend({ config: { auth: { enable_anonymous_sign_ins: true } } });
  try {
    const visit = new Visit(backend);
    const guest = await visit.startAsGuest();
    expect((await visit.call('guest/set-aside', {})).body).toMatchObject({ code: 'hand_over_off' });
    expect((await visit.call('guest/hand-over', {})).body).toMatchObject({ code: 'hand_over_off' });
    expect(await visit.userId()).toBe(guest);
  } finally {
    await backend.stop();
  }
});
