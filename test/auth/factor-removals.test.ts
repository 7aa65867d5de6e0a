/** Tests requests to remove lost second factors, their links, and how the requests end. */
import { createHash, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { totpCode } from '../../src/base/shared/one-time-codes.ts';
import { configFrom, type PartialConfig } from '../../src/platform/config/index.ts';
import type { AuthContext } from '../../src/services/auth/context.ts';
import { sweepFactorRemovals } from '../../src/services/auth/factors/removal-rounds.ts';
import { settingsFrom } from '../../src/services/auth/settings.ts';
import { type AuthServer, newEmail, startAuth } from './harness.ts';

const hour = 3_600_000;
const password = 'correct horse';

interface Notice {
  readonly email_action_type: string;
  readonly revert_url?: string;
}
const notices: Notice[] = [];
let auth: AuthServer;
const hook = createServer(async (request, response) => {
  const { email_data: notice } = JSON.parse(await text(request)) as { email_data: Notice };
  notices.push(notice);
  response.setHeader('content-type', 'application/json').end('{}');
});
beforeAll(() => new Promise<void>((resolve) => hook.listen(0, '127.0.0.1', resolve)));
afterAll(() => new Promise((resolve) => hook.close(resolve)));

const startWith = (waitMs: number) => {
  const uri = `http://127.0.0.1:${(hook.address() as AddressInfo).port}/`;
  const secrets = `v1,whsec_${Buffer.alloc(24, 7).toString('base64')}`;
  return startAuth(
    {
      mfa: { totp: { enroll_enabled: true, verify_enabled: true } },
      hook: { send_email: { enabled: true, uri, secrets } },
    },
    {
      mode: 'production',
      servesAccount: true,
      trustedProxies: ['127.0.0.1'],
      plinth: { auth: { security: { notices: 'configured', factor_removal_wait: waitMs } } },
    },
  );
};
const run = (statement: Parameters<ReturnType<AuthServer['database']['pool']>['query']>[0]) =>
  auth.database.pool('supabase_admin').query(statement);

/** Creates a user with an authenticator app and a request that the user hasn't confirmed. */
async function requested(): Promise<{ id: string; path: string }> {
  const email = newEmail();
  const { data } = await auth.admin().auth.admin.createUser({ email, password, email_confirm: true });
  const id = data.user?.id ?? '';
  const client = auth.client();
  await client.auth.signInWithPassword({ email, password });
  const { data: factor } = await client.auth.mfa.enroll({ factorType: 'totp' });
  const code = totpCode(factor?.totp.secret ?? '', Math.floor(auth.clock.now() / 30_000)) ?? '';
  const verified = await client.auth.mfa.challengeAndVerify({ factorId: factor?.id ?? '', code });
  expect(verified.error).toBeNull();
  const token = randomBytes(32).toString('base64url');
  await run(sql`
    insert into _plinth.factor_removals (user_id, hash, requested_at)
    values (${id}, ${createHash('sha256').update(token).digest('hex')}, now())`);
  return { id, path: `/account/remove-factors?token=${token}` };
}

/** Submits the form on the page to which an email links. */
async function press(path: string, ip: string): Promise<Response> {
  const link = new URL(path, auth.url);
  const page = await fetch(`${auth.url}/account/cancel-change?token=${'0'.repeat(56)}`);
  const cookie = page.headers.getSetCookie().map((one) => one.split(';', 1)[0]);
  const mark = /name="mark" value="([^"]+)"/.exec(await page.text())?.[1] ?? '';
  return fetch(link, {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie: cookie.join('; '), origin: auth.url, 'x-forwarded-for': ip },
    body: new URLSearchParams({ mark, token: link.searchParams.get('token') ?? '' }),
  });
}
const dueAt = async (id: string) =>
  (await run(sql`select due_at from _plinth.factor_removals where user_id = ${id}`)).map(
    (row) => (row as { due_at: string | null }).due_at,
  );
const factorsOf = async (id: string): Promise<number> =>
  (await run(sql`select from auth.mfa_factors where user_id = ${id}`)).length;

describe('with a waiting period', () => {
  beforeAll(async () => {
    auth = await startWith(72 * hour);
  });
  afterAll(() => auth.stop());
  beforeEach(() => void notices.splice(0));

  test('the hook receives the link that cancels the removal, regardless of the setting for notices', async () => {
    const { id, path } = await requested();
    notices.splice(0);
    expect((await press(path, '203.0.113.1')).status).toBe(303);
    expect(await dueAt(id)).toEqual([expect.anything()]);
    const kind = 'factor_removal_confirmed_notification';
    await expect.poll(() => notices.map(({ email_action_type: type }) => type)).toContain(kind);
    const link = notices.find(({ email_action_type: type }) => type === kind)?.revert_url ?? '';
    expect(link).toMatch(/\/account\/not-me\?token=/);
    expect((await press(link, '203.0.113.2')).headers.get('location')).toMatch(/\/account\/secured/);
    expect(await dueAt(id)).toEqual([]);
    expect(await factorsOf(id)).toBe(1);
  });

  test('a network with too many requests gets a page with the reason, and the link works later', async () => {
    const { path } = await requested();
    const open = (ip: string) => fetch(`${auth.url}${path}`, { headers: { 'x-forwarded-for': ip } });
    let response = await open('203.0.113.9');
    for (let count = 0; count < 60 && response.status === 200; count += 1) {
      await response.text();
      response = await open('203.0.113.9');
    }
    expect(response.status).toBe(429);
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await response.text()).toContain('Too many requests came from your network');
    const refused = await press(path, '203.0.113.9');
    expect([refused.status, await refused.text()]).toEqual([
      429,
      expect.stringContaining('Too many requests came from your network'),
    ]);
    expect((await open('203.0.113.10')).status).toBe(200);
  });
});

describe('after an operator has disabled requests', () => {
  beforeAll(async () => {
    auth = await startWith(0);
  });
  afterAll(() => auth.stop());

  test('a link that was already sent doesn’t confirm anything', async () => {
    const { id, path } = await requested();
    const response = await press(path, '203.0.113.1');
    expect([response.status, response.headers.get('location')]).toEqual([400, null]);
    expect(await dueAt(id)).toEqual([null]);
    expect(await factorsOf(id)).toBe(1);
  });

  test('a confirmed removal is canceled, and the account activity shows this', async () => {
    const { id } = await requested();
    await run(sql`
      update _plinth.factor_removals set due_at = now() - interval '1 minute' where user_id = ${id}`);
    const config: PartialConfig = { plinth: { auth: { security: { factor_removal_wait: 0 } } } };
    // The rest of the context is used only for removals that are due.
    await sweepFactorRemovals({
      pool: auth.database.pool('supabase_auth_admin'),
      hasOwnTables: true,
      clock: auth.clock,
      settings: settingsFrom(configFrom(config), 'production', () => auth.url),
    } as unknown as AuthContext);
    expect(await dueAt(id)).toEqual([]);
    expect(await factorsOf(id)).toBe(1);
    const events = await run(sql`
      select actor from _plinth.security_events where user_id = ${id} and kind = 'factor_removal_canceled'`);
    expect(events).toEqual([{ actor: 'operator' }]);
  });
});
