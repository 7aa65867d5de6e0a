/**
 * Compares the behavior of refresh tokens in format 1 with a model, for arbitrary sequences of refreshes, replays,
 * pauses and sign-outs.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { type AuthServer, newEmail, startAuth } from './harness.ts';

interface SessionJson {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly user: { readonly id: string };
}

const reuseIntervalMs = 10_000;

type Step =
  /** Uses the token at this position, counted from the newest token. */
  | { readonly do: 'refresh'; readonly age: number }
  | { readonly do: 'wait'; readonly ms: number }
  | { readonly do: 'ban'; readonly for: '1h' | 'none' }
  | { readonly do: 'sign out' };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({ do: fc.constant('refresh' as const), age: fc.integer({ min: 0, max: 4 }) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(1000, 9000, 11_000) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('ban' as const),
      for: fc.constantFrom('1h' as const, 'none' as const),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ do: 'sign out' as const }) },
);

interface ModelToken {
  readonly text: string;
  readonly parent: string | null;
  revoked: boolean;
  changedAtMs: number;
}

/** Models upstream's rules for tokens, except that reuse ends the session. */
class Model {
  tokens: ModelToken[];
  nowMs = 0;
  bannedUntilMs = 0;
  isSignedOut = false;
  readonly rotates: boolean;

  constructor(first: string, rotates: boolean) {
    this.rotates = rotates;
    this.tokens = [{ text: first, parent: null, revoked: false, changedAtMs: 0 }];
  }

  /** Returns the expected error code, the expected token, or `new` if a new token is expected. */
  expected(token: ModelToken): { code: string } | { same: string } | 'new' {
    if (this.isSignedOut) return { code: 'refresh_token_not_found' };
    if (this.nowMs < this.bannedUntilMs) return { code: 'user_banned' };
    if (!token.revoked) return 'new';
    const active = this.tokens.findLast(({ revoked }) => !revoked);
    if (active?.parent === token.text) return { same: active.text };
    if (this.nowMs <= token.changedAtMs + reuseIntervalMs) return 'new';
    return { code: 'refresh_token_already_used' };
  }

  swap(token: ModelToken, child: string): void {
    token.revoked = true;
    token.changedAtMs = this.nowMs;
    this.tokens.push({ text: child, parent: token.text, revoked: false, changedAtMs: this.nowMs });
  }

  /** The session ends together with its token family. */
  endFamily(): void {
    if (this.rotates) this.isSignedOut = true;
  }
}

describe.each([true, false])('rotation %s', (rotates) => {
  let server: AuthServer;
  beforeAll(async () => {
    server = await startAuth({ enable_anonymous_sign_ins: true, enable_refresh_token_rotation: rotates });
    // The clock is stopped, because the test uses times exactly at the interval boundaries.
    server.clock.freeze();
  });
  afterAll(() => server.stop());

  const refresh = (token: string) =>
    server.request('/token?grant_type=refresh_token', { json: { refresh_token: token } });
  const rowsOf = (userId: string) =>
    server.database
      .pool('supabase_admin')
      .query(
        sql`select token as text, parent, revoked from auth.refresh_tokens where user_id = ${userId} order by id`,
      );

  async function run(steps: readonly Step[]): Promise<void> {
    const session = await (await server.request('/signup', { json: {} })).json<SessionJson>();
    const model = new Model(session.refresh_token, rotates);
    for (const one of steps) {
      if (one.do === 'wait') {
        server.clock.advance(one.ms);
        model.nowMs += one.ms;
      } else if (one.do === 'ban') {
        await server.admin().auth.admin.updateUserById(session.user.id, { ban_duration: one.for });
        model.bannedUntilMs = one.for === 'none' ? 0 : model.nowMs + 3_600_000;
      } else if (one.do === 'sign out') {
        await server.database
          .pool('supabase_admin')
          .query(sql`delete from auth.sessions where user_id = ${session.user.id}`);
        model.isSignedOut = true;
      } else {
        const token = model.tokens.at(-1 - (one.age % model.tokens.length)) as ModelToken;
        const expected = model.expected(token);
        const response = await refresh(token.text);
        const body = await response.json<SessionJson & { error_code: string }>();
        if (expected === 'new') {
          expect([response.status, model.tokens.map(({ text }) => text)]).not.toContain(body.refresh_token);
          expect(response.status).toBe(200);
          model.swap(token, body.refresh_token);
        } else if ('same' in expected) {
          expect(body.refresh_token).toBe(expected.same);
        } else {
          expect([response.status, body.error_code]).toEqual([400, expected.code]);
          if (expected.code === 'refresh_token_already_used') model.endFamily();
        }
      }
    }
    const left = model.isSignedOut
      ? []
      : model.tokens.map(({ text, parent, revoked }) => ({ text, parent, revoked }));
    expect(await rowsOf(session.user.id)).toEqual(left);
  }

  test('any sequence of events matches the model', async () => {
    await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 12 }), run), { numRuns: 20 });
  });

  test('reusing the previous token first returns its active child, later starts a branch, and finally ends the session', async () => {
    const again: Step = { do: 'refresh', age: 1 };
    await run([{ do: 'refresh', age: 0 }, again, { do: 'wait', ms: 11_000 }, again]);
    await run([
      { do: 'refresh', age: 0 },
      { do: 'refresh', age: 0 },
      { do: 'refresh', age: 2 },
    ]);
    await run([
      { do: 'refresh', age: 0 },
      { do: 'refresh', age: 0 },
      { do: 'wait', ms: 11_000 },
      { do: 'refresh', age: 2 },
      { do: 'refresh', age: 0 },
    ]);
  });

  test('many concurrent refreshes get one child token', async () => {
    const session = await (await server.request('/signup', { json: {} })).json<SessionJson>();
    const answers = await Promise.all(Array.from({ length: 12 }, () => refresh(session.refresh_token)));
    const bodies = await Promise.all(answers.map((response) => response.json<SessionJson>()));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    const [child, ...others] = new Set(bodies.map((body) => body.refresh_token));
    expect(others).toEqual([]);
    expect(await rowsOf(session.user.id)).toEqual([
      { text: session.refresh_token, parent: null, revoked: true },
      { text: child, parent: session.refresh_token, revoked: false },
    ]);
  });
});

test('concurrent refreshes of many devices and a password change don’t block each other', async () => {
  const server = await startAuth();
  try {
    const email = newEmail();
    const signUp = await server.request('/signup', { json: { email, password: 'password 0' } });
    let newest = await signUp.json<SessionJson>();
    for (let round = 1; round <= 4; round++) {
      const json = { email, password: `password ${round - 1}` };
      const devices = await Promise.all(
        Array.from({ length: 4 }, async () =>
          (await server.request('/token?grant_type=password', { json })).json<SessionJson>(),
        ),
      );
      const [changed, ...refreshed] = await Promise.all([
        server.request('/user', {
          method: 'PUT',
          token: devices[0]?.access_token ?? '',
          json: { password: `password ${round}` },
        }),
        ...devices.map((device) =>
          server.request('/token?grant_type=refresh_token', {
            json: { refresh_token: device.refresh_token },
          }),
        ),
      ]);
      expect(changed?.status).toBe(200);
      // Refreshes before the change succeed and later refreshes fail, but no refresh causes a server error.
      for (const response of refreshed) expect([200, 400]).toContain(response.status);
      newest = devices[0] as SessionJson;
    }
    expect((await server.request('/user', { token: newest.access_token })).status).toBe(200);
  } finally {
    await server.stop();
  }
});

test("a session that belongs to an OAuth client can't be refreshed without the client", async () => {
  const server = await startAuth({ enable_anonymous_sign_ins: true });
  try {
    const session = await (await server.request('/signup', { json: {} })).json<SessionJson>();
    const id = '6a1c8f0e-8c7a-4b1e-9a57-0f2f7f1d2c3b';
    const admin = server.database.pool('supabase_admin');
    await admin.query(sql`
      insert into auth.oauth_clients (id, registration_type, redirect_uris, grant_types, token_endpoint_auth_method)
      values (${id}, 'manual', 'http://127.0.0.1/', 'refresh_token', 'none')`);
    await admin.query(
      sql`update auth.sessions set oauth_client_id = ${id} where user_id = ${session.user.id}`,
    );
    const response = await server.request('/token?grant_type=refresh_token', {
      json: { refresh_token: session.refresh_token },
    });
    expect([response.status, await response.json()]).toEqual([
      400,
      { error: 'invalid_client', error_description: 'Client authentication required for OAuth session' },
    ]);
    const tokens = sql`select revoked from auth.refresh_tokens where user_id = ${session.user.id}`;
    expect(await admin.query(tokens)).toEqual([{ revoked: false }]);
  } finally {
    await server.stop();
  }
});

test("a project's trigger that rejects the user rejects the refresh, and no token is used up", async () => {
  const server = await startAuth({ enable_anonymous_sign_ins: true });
  try {
    const session = await (await server.request('/signup', { json: {} })).json<SessionJson>();
    const admin = server.database.pool('supabase_admin');
    await admin.exec(`
      create function public.refuse() returns trigger language plpgsql as $$ begin raise 'not today'; end $$;
      create trigger refuse before update on auth.users for each row execute function public.refuse()`);
    const ask = () =>
      server.request('/token?grant_type=refresh_token', { json: { refresh_token: session.refresh_token } });
    const refused = await ask();
    expect([refused.status, await refused.json()]).toMatchObject([
      500,
      { code: 'P0001', message: 'not today' },
    ]);
    await admin.exec('drop trigger refuse on auth.users');
    expect((await ask()).status).toBe(200);
  } finally {
    await server.stop();
  }
});

test('a project’s trigger can reject some of several concurrent refreshes without affecting the others', async () => {
  const server = await startAuth({ enable_anonymous_sign_ins: true });
  try {
    const sessions = [];
    for (let guest = 0; guest < 8; guest++) {
      sessions.push(await (await server.request('/signup', { json: {} })).json<SessionJson>());
    }
    const refused = sessions[5]?.user.id ?? '';
    const admin = server.database.pool('supabase_admin');
    await admin.exec(`
      create function public.refuse() returns trigger language plpgsql as $$ begin
        if new.id = '${refused}' then raise 'not you'; end if;
        return new;
      end $$;
      create trigger refuse before update on auth.users for each row execute function public.refuse()`);
    const answers = await Promise.all(
      sessions.map(({ refresh_token }) =>
        server.request('/token?grant_type=refresh_token', { json: { refresh_token } }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 500, 200, 200]);
    const active = await admin.query<{ user_id: string; count: number; children: number }>(sql`
      select user_id, count(*)::int as count, count(parent)::int as children
      from auth.refresh_tokens where not revoked group by user_id`);
    expect(active).toHaveLength(8);
    for (const { user_id, count, children } of active) {
      expect([user_id, count, children]).toEqual([user_id, 1, user_id === refused ? 0 : 1]);
    }
  } finally {
    await server.stop();
  }
});
