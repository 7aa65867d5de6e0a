/** Tests that requests which a browser opens end with a redirect or a page, and never with a JSON document. */
import { type IncomingMessage, request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AuthServer, linkOf, newEmail, startAuth } from './harness.ts';

const app = 'http://localhost:3000';
let auth: AuthServer;
beforeAll(async () => {
  auth = await startAuth(
    { site_url: app, email: { enable_confirmations: true }, oauth_server: { enabled: true } },
    { servesAccount: true, plinth: { auth: { saml: { enabled: true } } } },
  );
});
afterAll(() => auth.stop());

const accept = 'text/html,application/xhtml+xml,*/*;q=0.8';

/** Sends a request as a browser that opens a document. `fetch` would replace `Sec-Fetch-Mode`. */
async function navigate(method: string, path: string): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const headers = { accept, 'sec-fetch-mode': 'navigate' };
  request(`${auth.url}/auth/v1${path}`, { method, headers }, resolve).on('error', reject).end();
  const response = await promise;
  response.resume();
  return response;
}

describe.each([
  ['GET', '/verify'],
  ['GET', '/verify?type=signup'],
  ['GET', '/verify?type=signup&token=unknown'],
  ['GET', '/verify?type=unknown&token=unknown'],
  ['GET', '/authorize'],
  ['GET', '/authorize?provider=unknown'],
  ['GET', '/callback'],
  ['GET', '/callback?state=unknown'],
  ['POST', '/callback'],
  ['POST', '/sso/saml/acs'],
  ['GET', '/oauth/authorize'],
  ['GET', '/oauth/authorize?client_id=unknown&redirect_uri=x'],
  ['GET', '/oauth/logout?post_logout_redirect_uri=http://unknown.example&client_id=unknown'],
])('%s %s', (method, path) => {
  test('redirects a browser, with the error if there is one', async () => {
    const { statusCode, headers } = await navigate(method, path);
    expect([302, 303]).toContain(statusCode);
    const target = new URL(headers.location ?? '');
    expect([app, auth.url]).toContain(target.origin);
    if (target.origin === app)
      expect(target.search + target.hash).toMatch(/[?#&]error_code=[a-z_]+&error_description=/);
  });
});

test('other clients receive JSON, as in upstream', async () => {
  const response = await auth.request('/authorize?provider=unknown');
  expect([response.status, (await response.json()).error_code]).toEqual([400, 'validation_failed']);
});

test('a request that a page sends with fetch isn’t redirected', async () => {
  // `fetch` sends `Sec-Fetch-Mode: cors`.
  const response = await auth.request('/authorize?provider=unknown', { headers: { accept } });
  expect(response.status).toBe(400);
});

/** Opens the page of a link, presses its button and returns the response. */
async function press(link: URL): Promise<Response> {
  const page = await fetch(link);
  const fields = new URLSearchParams(link.searchParams);
  fields.set('mark', /name="mark" value="(\w+)"/.exec(await page.text())?.[1] ?? '');
  return fetch(link.origin + link.pathname, {
    method: 'POST',
    redirect: 'manual',
    body: fields,
    headers: {
      cookie: (page.headers.get('set-cookie') ?? '').split(';', 1)[0] ?? '',
      'sec-fetch-site': 'same-origin',
    },
  });
}

test.each(['the app', 'the Account pages'])(
  'a link to %s works after the database has rejected its change once',
  async (kind) => {
    const [email, password] = [newEmail(), 'correct horse'];
    const target = kind === 'the app' ? app : `${auth.url}/account/security`;
    await auth.request(`/signup?redirect_to=${target}`, { json: { email, password } });
    const [message] = await auth.inbox(email);
    const own = /http\S+\/account\/confirm\?\S+/.exec(message?.text ?? '')?.[0];
    const link = new URL(kind === 'the app' ? linkOf(message) : (own ?? ''));
    const follow = () => (kind === 'the app' ? fetch(link, { redirect: 'manual' }) : press(link));
    const db = auth.database.pool('supabase_admin');
    await db.exec(`
      create function public.reject() returns trigger language plpgsql as $$
      begin raise exception 'not now' using detail = 'private'; end $$;
      create trigger reject before update on auth.users for each row execute function public.reject()`);
    try {
      const failed = await follow();
      const text = await failed.text();
      expect(text + failed.headers.get('location')).not.toMatch(/not now|private|link-expired/);
      if (kind === 'the app') {
        expect(failed.headers.get('location')).toBe(
          `${app}#error=server_error&error_code=unexpected_failure&error_description=Error+confirming+user&sb=`,
        );
      } else {
        expect([failed.status, failed.headers.get('content-type')]).toEqual([
          500,
          'text/html; charset=utf-8',
        ]);
      }
    } finally {
      await db.exec('drop function public.reject cascade');
    }
    const response = await follow();
    expect([response.status, response.headers.get('location')]).toEqual([
      303,
      expect.stringMatching(kind === 'the app' ? /#access_token=/ : /^\/account\/security/),
    ]);
  },
);

test('a page of a link whose new address has been taken in the meantime shows the reason', async () => {
  const [email, taken] = [newEmail(), newEmail()];
  const admin = auth.admin().auth.admin;
  await admin.createUser({ email, password: 'correct horse', email_confirm: true });
  const client = auth.client();
  await client.auth.signInWithPassword({ email, password: 'correct horse' });
  await client.auth.updateUser({ email: taken }, { emailRedirectTo: `${auth.url}/account/security` });
  const links = await Promise.all([email, taken].map(async (to) => (await auth.inbox(to))[0]?.text ?? ''));
  await admin.createUser({ email: taken, email_confirm: true });
  const locations: (string | null)[] = [];
  for (const text of links) {
    const link = new URL(/http\S+\/account\/confirm\?\S+/.exec(text)?.[0] ?? '');
    locations.push((await press(link)).headers.get('location'));
  }
  expect(locations[1]).toContain('problem=email_exists');
});
