/**
 * Calls every auth route with an account's correct password and with a contact that the owner never confirmed. No route
 * may return a session, change the account or send a code. The test gets the list of routes from the server, so it also
 * covers new routes.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { type AuthServer, newEmail, startAuth } from '../auth/harness.ts';

const password = 'correct horse';
const types = ['signup', 'invite', 'recovery', 'magiclink', 'email', 'email_change', 'sms', 'phone_change'];
const grants = ['password', 'refresh_token', 'pkce', 'id_token', 'web3'];

let auth: AuthServer;
beforeAll(async () => {
  auth = await startAuth({
    enable_anonymous_sign_ins: true,
    enable_manual_linking: true,
    email: { enable_confirmations: true },
    sms: { enable_signup: true, enable_confirmations: true, max_frequency: 0 },
    passkey: { enabled: true },
    webauthn: { rp_id: 'localhost', rp_origins: ['http://localhost:3000'] },
    oauth_server: { enabled: true, allow_dynamic_registration: true },
  });
});
afterAll(() => auth.stop());

async function stateOf(id: string): Promise<unknown> {
  const [row] = await auth.database.pool('supabase_admin').query(sql`
    select to_jsonb(u) - 'updated_at' as account,
           (select count(*)::int from auth.sessions s where s.user_id = u.id) as sessions,
           (select json_agg(i order by i.provider) from auth.identities i where i.user_id = u.id) as identities,
           (select count(*)::int from auth.one_time_tokens t where t.user_id = u.id) as tokens
    from auth.users u where u.id = ${id}`);
  return row;
}

/**
 * Returns the requests to send to a path. For some paths, several requests are needed, one for each grant type or token
 * type.
 */
function requestsFor(path: string, contact: object, id: string): { url: string; json: object }[] {
  const url = path.replace('/auth/v1', '').replace(/:\w+|\*/g, id);
  const json = {
    ...contact,
    password,
    data: { name: 'Mallory' },
    token: '000000',
    new_email: newEmail(),
    id,
    user_id: id,
  };
  if (url === '/token') return grants.map((grant) => ({ url: `${url}?grant_type=${grant}`, json }));
  if (url === '/verify' || url === '/resend') return types.map((type) => ({ url, json: { ...json, type } }));
  return [{ url, json }];
}

it.each([
  ['phone', { email_confirm: true }],
  ['email', { phone_confirm: true }],
] as const)('a sign-in with the unconfirmed %s isn’t possible on any route', async (kind, confirmed) => {
  const contacts = { email: newEmail(), phone: kind === 'phone' ? '491513334441' : '491513334442' };
  const { data } = await auth
    .admin()
    .auth.admin.createUser({ ...contacts, password, user_metadata: { name: 'Victoria' }, ...confirmed });
  const id = data.user?.id ?? '';
  const contact = kind === 'phone' ? { phone: contacts.phone } : { email: contacts.email };
  const before = await stateOf(id);
  const routes = (await auth.routes()).filter(({ path }) => path.startsWith('/auth/v1/'));
  expect(routes.length).toBeGreaterThan(80);
  for (const { method, path } of routes) {
    for (const { url, json } of requestsFor(path, contact, id)) {
      const hasBody = !['GET', 'HEAD', 'OPTIONS'].includes(method);
      const query = hasBody
        ? ''
        : `?${new URLSearchParams(Object.entries(json).map(([k, v]) => [k, String(v)]))}`;
      const response = await auth.request(url + query, { method, ...(hasBody ? { json } : {}) });
      const said = `${await response.text()} ${response.headers.get('location') ?? ''}`;
      expect(said, `${method} ${url}`).not.toMatch(/Victoria|access_token=|"access_token"/);
      expect(await stateOf(id), `${method} ${url}`).toEqual(before);
    }
  }
  expect(await auth.inbox(contacts[kind])).toEqual([]);
});

it('the owner can confirm the contact by setting it again with a session', async () => {
  const email = newEmail();
  const phone = '491513334443';
  await auth.admin().auth.admin.createUser({ email, phone, password, email_confirm: true });
  const owner = auth.client();
  await owner.auth.signInWithPassword({ email, password });
  expect((await owner.auth.updateUser({ phone })).error).toBeNull();
  const code = /\d{6}/.exec((await auth.inbox(phone))[0]?.text ?? '')?.[0] ?? '';
  const { data, error } = await auth.client().auth.verifyOtp({ phone, token: code, type: 'phone_change' });
  expect(error).toBeNull();
  expect(data.user?.email).toBe(email);
  expect((await auth.client().auth.signInWithPassword({ phone, password })).error).toBeNull();
});

it('sessions are created in only one place, which requires a proof', () => {
  const root = fileURLToPath(new URL('../../src/', import.meta.url));
  const textOf = (name: string) => readFileSync(join(root, name), 'utf8');
  // The modules `account` and `console` have functions with the same name, but for their own cookie-based sessions.
  const writers = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .filter(
      (name) =>
        textOf(name).includes('insert into auth.sessions') ||
        (name.startsWith('services/auth/') && textOf(name).includes('insertSession(')),
    );
  expect(writers.sort()).toEqual(['services/auth/sessions/issue.ts', 'services/auth/sessions/queries.ts']);
  const text = textOf('services/auth/sessions/issue.ts');
  expect(text.indexOf('await requireProof(')).toBeGreaterThan(0);
  expect(text.indexOf('await requireProof(')).toBeLessThan(text.indexOf('await insertSession('));
});
