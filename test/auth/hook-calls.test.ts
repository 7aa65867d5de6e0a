/**
 * Tests all seven hooks over HTTP and in PostgreSQL: when they are called, with which payload, and how their responses
 * are used.
 */
import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { totpCode } from '../../src/base/shared/one-time-codes.ts';
import type { JsonObject } from '../../src/services/auth/common/json.ts';
import { webhookSignature } from '../../src/services/auth/hooks/webhook-signature.ts';
import { type AuthServer, newEmail, startAuth } from './harness.ts';

const secrets = [7, 9].map((byte) => `v1,whsec_${Buffer.alloc(24, byte).toString('base64')}`).join('|');
const password = 'correct horse';
const codeNow = (secret: string) => totpCode(secret, Math.floor(Date.now() / 30_000)) ?? '';

interface Call {
  readonly metadata: {
    readonly uuid: string;
    readonly time: string;
    readonly name: string;
    readonly ip_address: string;
  };
  readonly [key: string]: unknown;
}

const names = {
  custom_access_token: 'customize-access-token',
  send_email: 'send-email',
  send_sms: 'send-sms',
  mfa_verification_attempt: 'mfa-verification',
  password_verification_attempt: 'password-verification',
  before_user_created: 'before-user-created',
  after_user_created: 'after-user-created',
} as const;

interface Kind {
  start(): Promise<{ auth: AuthServer; stop(): Promise<void> }>;
  /** Returns the hook calls since the previous call to this method. */
  calls(auth: AuthServer): Promise<Call[]>;
  /** Sets the response from this hook. Undefined restores the default. */
  answer(auth: AuthServer, name: keyof typeof names, response: JsonObject | undefined): Promise<void>;
}

const settings = {
  email: { enable_confirmations: true },
  sms: { enable_signup: true, enable_confirmations: true },
  mfa: { totp: { enroll_enabled: true, verify_enabled: true } },
  enable_anonymous_sign_ins: true,
};

function startWith(
  hookOf: (name: string) => { enabled: boolean; uri: string; secrets?: string },
): Promise<AuthServer> {
  const { after_user_created, ...others } = Object.fromEntries(
    Object.keys(names).map((name) => [name, hookOf(name)]),
  );
  return startAuth(
    { ...settings, hook: others },
    { plinth: { auth: { hook: { after_user_created: after_user_created ?? {} } } } },
  );
}

function overHttp(): Kind {
  let server: Server;
  const seen: Call[] = [];
  const answers = new Map<string, JsonObject>();
  return {
    async start() {
      server = createServer(async (request, response) => {
        const chunks: Buffer[] = [];
        for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
        const body = Buffer.concat(chunks).toString();
        const { headers } = request;
        const id = String(headers['webhook-id']);
        const timestampSeconds = Number(headers['webhook-timestamp']);
        const isSigned =
          headers['webhook-signature'] === webhookSignature(secrets, { id, timestampSeconds, body });
        const call = JSON.parse(body) as Call;
        seen.push(call);
        const answer =
          answers.get(call.metadata.name) ?? (call.claims ? { claims: call.claims as JsonObject } : {});
        response.writeHead(isSigned ? 200 : 401, { 'content-type': 'application/json' });
        response.end(JSON.stringify(answer));
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const { port } = server.address() as { port: number };
      const auth = await startWith((name) => ({
        enabled: true,
        uri: `http://127.0.0.1:${port}/${name}`,
        secrets,
      }));
      return {
        auth,
        async stop() {
          await auth.stop();
          server.close();
          server.closeAllConnections();
        },
      };
    },
    async calls() {
      return seen.splice(0);
    },
    async answer(_auth, name, response) {
      if (response) answers.set(names[name], response);
      else answers.delete(names[name]);
    },
  };
}

function inPostgres(): Kind {
  return {
    async start() {
      const auth = await startWith(() => ({ enabled: true, uri: 'pg-functions://postgres/public/hook' }));
      await auth.database.pool('supabase_admin').exec(`
        create table public.hook_calls (id bigserial, event jsonb);
        create table public.hook_answers (name text primary key, answer jsonb);
        create function public.hook(event jsonb) returns jsonb language plpgsql security definer as $$
        begin
          insert into public.hook_calls (event) values ($1);
          return coalesce(
            (select a.answer from public.hook_answers a where a.name = $1 #>> '{metadata,name}'),
            case when $1 ? 'claims' then jsonb_build_object('claims', $1 -> 'claims') else '{}' end);
        end $$;`);
      return { auth, stop: () => auth.stop() };
    },
    async calls(auth) {
      const rows = await auth.database
        .pool('supabase_admin')
        .query<{ event: Call }>(
          sql`with gone as (delete from public.hook_calls returning id, event) select event from gone order by id`,
        );
      return rows.map(({ event }) => event);
    },
    async answer(auth, name, response) {
      const db = auth.database.pool('supabase_admin');
      await db.query(sql`delete from public.hook_answers where name = ${names[name]}`);
      if (response) await db.query(sql`insert into public.hook_answers values (${names[name]}, ${response})`);
    },
  };
}

describe.each([
  ['over HTTP', overHttp],
  ['in PostgreSQL', inPostgres],
])('%s', (_name, make) => {
  const kind = make();
  let running: Awaited<ReturnType<Kind['start']>>;
  let auth: AuthServer;
  beforeAll(async () => {
    running = await kind.start();
    auth = running.auth;
  });
  afterAll(() => running.stop());
  beforeEach(async () => {
    await kind.calls(auth);
  });

  const callNames = async () => (await kind.calls(auth)).map(({ metadata }) => metadata.name);

  /** Creates a user and confirms the address with the code in the hook's payload. */
  const member = async () => {
    const email = newEmail();
    const client = auth.client();
    await client.auth.signUp({ email, password });
    const mail = (await kind.calls(auth)).find(({ metadata }) => metadata.name === names.send_email);
    const token = String((mail?.email_data as JsonObject | undefined)?.token);
    const { data, error } = await client.auth.verifyOtp({ email, token, type: 'signup' });
    expect(error).toBeNull();
    return { email, client, user: data.user };
  };

  test('a sign-up by email calls hooks before the user is created, for the email, and after the sign-in', async () => {
    const email = newEmail();
    const { data } = await auth.client().auth.signUp({ email, password, options: { data: { a: 1 } } });
    const calls = await kind.calls(auth);
    expect(calls.map(({ metadata }) => metadata.name)).toEqual([
      'before-user-created',
      'send-email',
      'after-user-created',
    ]);
    const [before, mail, after] = calls;
    expect(before?.metadata).toEqual({
      uuid: expect.stringMatching(/^[0-9a-f-]{36}$/),
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      name: 'before-user-created',
      ip_address: '127.0.0.1',
    });
    expect(Object.keys(before ?? {})).toEqual(expect.arrayContaining(['metadata', 'user']));
    expect(before?.user).toMatchObject({ id: data.user?.id, email, role: '', user_metadata: { a: 1 } });
    expect(mail?.user).toMatchObject({ id: data.user?.id, email, role: 'authenticated' });
    expect(mail?.email_data).toMatchObject({
      token: expect.stringMatching(/^\d{6}$/),
      token_hash: expect.stringMatching(/^[0-9a-f]{56}$/),
      email_action_type: 'signup',
    });
    expect(after?.user).toMatchObject({ id: data.user?.id, email, identities: [{ provider: 'email' }] });
    // A repeated sign-up doesn't create a second user.
    await auth.client().auth.signUp({ email, password });
    expect(await callNames()).toEqual(['send-email']);
  });

  test('a sign-up by phone passes the code to the hook', async () => {
    const phone = `4915${String(Date.now()).slice(-9)}`;
    const client = auth.client();
    await client.auth.signUp({ phone, password });
    const calls = await kind.calls(auth);
    expect(calls.map(({ metadata }) => metadata.name)).toEqual([
      'before-user-created',
      'send-sms',
      'after-user-created',
    ]);
    const sms = calls[1]?.sms as { otp: string; phone: string };
    expect(sms).toEqual({ otp: expect.stringMatching(/^\d{6}$/), phone });
    const { error } = await client.auth.verifyOtp({ phone, token: sms.otp, type: 'sms' });
    expect(error).toBeNull();
  });

  test('hooks are called for guests, invitations and generated links, but not for users that administrators create', async () => {
    await auth.client().auth.signInAnonymously();
    expect(await callNames()).toEqual([
      'before-user-created',
      'customize-access-token',
      'after-user-created',
    ]);
    await auth.admin().auth.admin.inviteUserByEmail(newEmail());
    expect(await callNames()).toEqual(['before-user-created', 'send-email', 'after-user-created']);
    await auth.admin().auth.admin.generateLink({ type: 'signup', email: newEmail(), password });
    expect(await callNames()).toEqual(['before-user-created', 'after-user-created']);
    await auth.client().auth.signInWithOtp({ email: newEmail() });
    expect(await callNames()).toEqual(['before-user-created', 'send-email', 'after-user-created']);
    await auth.admin().auth.admin.createUser({ email: newEmail(), password });
    expect(await callNames()).toEqual([]);
  });

  test('before_user_created rejects in every flow, and no user is created', async () => {
    await kind.answer(auth, 'before_user_created', { error: { http_code: 418, message: 'no room' } });
    try {
      const db = auth.database.pool('supabase_admin');
      const users = async () => (await db.queryText(sql`select count(*) from auth.users`)).rows;
      const before = await users();
      const email = newEmail();
      const refusals = await Promise.all([
        auth.client().auth.signUp({ email, password }),
        auth.client().auth.signUp({ phone: '491511234567', password }),
        auth.client().auth.signInAnonymously(),
        auth.client().auth.signInWithOtp({ email }),
        auth.admin().auth.admin.inviteUserByEmail(email),
        auth.admin().auth.admin.generateLink({ type: 'invite', email }),
      ]);
      for (const { error } of refusals) expect(error).toMatchObject({ status: 418, message: 'no room' });
      expect(await users()).toEqual(before);
    } finally {
      await kind.answer(auth, 'before_user_created', undefined);
    }
  });

  test('custom_access_token receives the method and sets the claims', async () => {
    const { email, user } = await member();
    await kind.calls(auth);
    const client = auth.client();
    await client.auth.signInWithPassword({ email, password });
    await client.auth.refreshSession();
    const tokens = (await kind.calls(auth)).filter(
      ({ metadata }) => metadata.name === names.custom_access_token,
    );
    expect(tokens.map((call) => call.authentication_method)).toEqual(['password', 'token_refresh']);
    expect(tokens[0]).toMatchObject({
      user_id: user?.id,
      claims: { sub: user?.id, aal: 'aal1', role: 'authenticated' },
    });
    await kind.answer(auth, 'custom_access_token', { claims: { sub: user?.id ?? '' } });
    try {
      const { error } = await auth.client().auth.signInWithPassword({ email, password });
      expect(error).toMatchObject({ status: 500, message: expect.stringContaining('aal is required') });
    } finally {
      await kind.answer(auth, 'custom_access_token', undefined);
    }
  });

  test('password_verification_attempt is called for right and wrong passwords, and can end all sessions', async () => {
    const { email, client, user } = await member();
    await kind.calls(auth);
    await auth.client().auth.signInWithPassword({ email, password });
    await auth.client().auth.signInWithPassword({ email, password: 'wrong' });
    const attempts = (await kind.calls(auth)).filter(
      ({ metadata }) => metadata.name === names.password_verification_attempt,
    );
    expect(attempts.map(({ user_id, valid }) => [user_id, valid])).toEqual([
      [user?.id, true],
      [user?.id, false],
    ]);
    try {
      await kind.answer(auth, 'password_verification_attempt', { decision: 'reject' });
      const refused = await auth.client().auth.signInWithPassword({ email, password });
      expect(refused.error).toMatchObject({
        code: 'invalid_credentials',
        status: 400,
        message: 'Further password verification attempts will be rejected.',
      });
      expect((await client.auth.getUser()).error).toBeNull();
      const decision = { decision: 'reject', message: 'locked', should_logout_user: true };
      await kind.answer(auth, 'password_verification_attempt', decision);
      const locked = await auth.client().auth.signInWithPassword({ email, password });
      expect(locked.error?.message).toBe('locked');
      expect((await client.auth.getUser()).error?.name).toBe('AuthSessionMissingError');
    } finally {
      await kind.answer(auth, 'password_verification_attempt', undefined);
    }
  });

  test('mfa_verification_attempt is called for right and wrong codes, and a rejection ends all sessions', async () => {
    const { client, user } = await member();
    const { data: factor } = await client.auth.mfa.enroll({ factorType: 'totp' });
    const factorId = factor?.id ?? '';
    const secret = factor?.totp.secret ?? '';
    await kind.calls(auth);
    await client.auth.mfa.challengeAndVerify({ factorId, code: '000000' });
    await client.auth.mfa.challengeAndVerify({ factorId, code: codeNow(secret) });
    const attempts = (await kind.calls(auth)).filter(
      ({ metadata }) => metadata.name === names.mfa_verification_attempt,
    );
    expect(attempts).toMatchObject([
      { user_id: user?.id, factor_id: factorId, factor_type: 'totp', valid: false },
      { user_id: user?.id, factor_id: factorId, factor_type: 'totp', valid: true },
    ]);
    await kind.answer(auth, 'mfa_verification_attempt', { decision: 'reject' });
    try {
      const refused = await client.auth.mfa.challengeAndVerify({ factorId, code: '111111' });
      expect(refused.error).toMatchObject({
        code: 'mfa_verification_rejected',
        status: 403,
        message: 'Further MFA verification attempts will be rejected.',
      });
      expect((await client.auth.getUser()).error?.name).toBe('AuthSessionMissingError');
    } finally {
      await kind.answer(auth, 'mfa_verification_attempt', undefined);
    }
  });

  test.each(['send_email', 'send_sms'] as const)('if %s fails, the sign-up is rolled back', async (name) => {
    await kind.answer(auth, name, { error: { http_code: 429, message: 'enough for today' } });
    try {
      const email = newEmail();
      const contact = name === 'send_email' ? { email } : { phone: `4916${String(Date.now()).slice(-9)}` };
      const { error } = await auth
        .client()
        .auth.signUp({ ...contact, password } as { email: string; password: string });
      expect(error).toMatchObject({ message: expect.stringContaining('enough for today') });
      const [row] = await auth.database
        .pool('supabase_admin')
        .query<{ n: number }>(
          sql`select count(*)::int as n from auth.users where email = ${email} or phone = ${'phone' in contact ? contact.phone : ''}`,
        );
      expect(row?.n).toBe(0);
      expect(await callNames()).not.toContain('after-user-created');
    } finally {
      await kind.answer(auth, name, undefined);
    }
  });
});
