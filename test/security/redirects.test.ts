/**
 * Tests that links redirect only to the app. Every part of the URL that a browser would open must match the allow list.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AuthServer, linkOf, newEmail, startAuth } from '../auth/harness.ts';

const site = 'https://site.example';
let auth: AuthServer;
beforeAll(async () => {
  auth = await startAuth({
    site_url: site,
    additional_redirect_urls: [
      'https://**--my_org.netlify.app/**',
      'https://*.example.com',
      'https://tenants.example.org/acme/**',
      'http://localhost:3000/**',
      'myapp://**',
      'javascript://**',
      'https://*a*b*c*d*e.example.net/*a*b*c*d*e',
    ],
  });
});
afterAll(() => auth.stop());

/** Returns the target of the link in a recovery email. */
async function targetOf(redirectTo: string): Promise<string> {
  const email = newEmail();
  await auth.admin().auth.admin.createUser({ email, email_confirm: true });
  await auth.request(`/recover?redirect_to=${encodeURIComponent(redirectTo)}`, { json: { email } });
  const link = linkOf((await auth.inbox(email))[0]);
  const response = await fetch(link, { redirect: 'manual' });
  return (response.headers.get('location') ?? '').split('#')[0] ?? '';
}

test.each([
  'https://deploy-1--my_org.netlify.app/a/b.html',
  'https://one.example.com',
  'https://tenants.example.org/acme/home',
  'http://localhost:3000/any/path?x=1',
  'http://127.0.0.1:8080/x',
  'myapp://callback/x',
])('redirects to %s', async (url) => {
  expect(await targetOf(url)).toBe(url);
});

test.each([
  'https://evil.com/?--my_org.netlify.app/',
  'https://evil.com/--my_org.netlify.app/',
  'https://evil.com#--my_org.netlify.app/',
  'https://evil.com:1--my_org.netlify.app/',
  'https://a?b.example.com',
  'https://a@b.example.com',
  'https://user:word@one.example.com',
  'https://a\\b.example.com',
  'https://a%2eb.example.com',
  'https://one.example.com:8443',
  'https://tenants.example.org/acme/../mallory/',
  'https://tenants.example.org/acme/%2e%2E/mallory/',
  'javascript://127.0.0.1/%0aalert(1)',
  'javascript://site.example/%0aalert(1)',
  'javascript://localhost:3000/%0aalert(1)',
  'data://127.0.0.1/text/html,x',
  'file://127.0.0.1/etc/passwd',
  'vbscript://127.0.0.1/x',
  'blob://127.0.0.1/x',
  'otherapp://127.0.0.1/x',
  'https://\u0430.example.com',
])('doesn’t redirect to %s', async (url) => {
  expect(await targetOf(url)).toBe(site);
});

test('matching a wildcard takes time proportional to the URL’s length', async () => {
  const url = `https://a.example.net/${'abcd'.repeat(3500)}`;
  const begin = performance.now();
  const response = await auth.request(`/authorize?provider=unknown&redirect_to=${url}`);
  await response.text();
  expect(performance.now() - begin).toBeLessThan(250);
});
