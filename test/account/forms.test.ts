/** Tests attacks over plain HTTP on the forms that work without scripts. */
import { get, type IncomingMessage } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Backend } from '../../src/entry/main.ts';
import { createTestBackend } from '../../src/entry/testing.ts';
import { mailedCode, makeUser, password } from './harness.ts';

let backend: Backend;
const email = 'ada@example.com';

beforeAll(async () => {
  backend = await createTestBackend({
    config: {
      auth: {
        site_url: 'https://app.example',
        external: { github: { enabled: true, client_id: 'id', secret: 'secret' } },
      },
      plinth: {
        branding: {
          terms_url: 'https://app.example/terms?a=1&b=%20',
          support_url: 'mailto:help@app.example',
        },
      },
    },
  });
  await makeUser(backend, email);
});
afterAll(() => backend.stop());

/** Simulates a browser that stores cookies and doesn't follow redirects. */
class Visitor {
  readonly cookies = new Map<string, string>();

  async send(path: string, init: RequestInit = {}): Promise<Response> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(`${backend.url}/account/${path}`, {
      redirect: 'manual',
      ...init,
      headers: { ...(cookie === '' ? {} : { cookie }), ...(init.headers as Record<string, string>) },
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (/Max-Age=0/.test(line)) this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    return response;
  }

  /**
   * Opens a page with the headers that browsers send when a user clicks a link on an Account page. `fetch` isn't
   * suitable, because its requests aren't navigations.
   */
  follow(path: string): Promise<IncomingMessage> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = {
      cookie,
      'sec-fetch-site': 'same-origin',
      'sec-fetch-mode': 'navigate',
      'sec-fetch-dest': 'document',
    };
    return new Promise((resolve, reject) => {
      get(`${backend.url}/account/${path}`, { headers }, (response) => resolve(response.resume())).on(
        'error',
        reject,
      );
    });
  }

  async mark(page = 'sign-in'): Promise<string> {
    const html = await (await this.send(page)).text();
    return /name="mark" value="([0-9a-f]{32})"/.exec(html)?.[1] ?? '';
  }

  async post(path: string, fields: Record<string, string>, headers: Record<string, string> = {}) {
    return this.send(path, { method: 'POST', body: new URLSearchParams(fields), headers });
  }

  async signIn(search = ''): Promise<Response> {
    return this.post(`sign-in${search}`, { mark: await this.mark(), email, password });
  }
}

const origin = () => backend.url;

test('signing in responds with a redirect and an HttpOnly cookie', async () => {
  const visitor = new Visitor();
  const response = await visitor.signIn();
  expect([response.status, response.headers.get('location')]).toEqual([303, '/account/signed-in']);
  const lines = response.headers.getSetCookie();
  expect(lines.find((line) => line.startsWith('plinth-account='))).toMatch(
    /^plinth-account=[\w-]{43}; .*HttpOnly; SameSite=Lax$/,
  );
  for (const line of lines) expect(line).toMatch(/Path=\/account; HttpOnly; SameSite=Lax/);
  expect(await response.text()).not.toContain('eyJ');
});

describe('a form from another website', () => {
  const attempts: [string, (mark: string) => Promise<Response>][] = [
    ['without a mark', () => new Visitor().post('sign-in', { email, password })],
    ['with a mark but no cookie', (mark) => new Visitor().post('sign-in', { mark, email, password })],
    [
      'with the mark of another browser',
      async (mark) => {
        const other = new Visitor();
        await other.mark();
        return other.post('sign-in', { mark, email, password });
      },
    ],
  ];
  test.each(attempts)('%s changes nothing', async (_name, attempt) => {
    const response = await attempt(await new Visitor().mark());
    expect(response.status).toBe(403);
    expect(response.headers.getSetCookie().join()).not.toContain('plinth-account=');
    expect(await response.text()).toContain('This form can’t be submitted');
  });

  test.each<[string, Record<string, string>]>([
    ['another origin', { origin: 'https://evil.example' }],
    ['no origin', { origin: 'null' }],
    ['the same host by another scheme’s port', { origin: 'http://127.0.0.1:1' }],
    ['another site', { 'sec-fetch-site': 'cross-site' }],
    ['a sibling domain', { 'sec-fetch-site': 'same-site' }],
  ])('from %s changes nothing, even with a planted token and cookie', async (_name, headers) => {
    const visitor = new Visitor();
    const mark = await visitor.mark();
    for (const page of [
      'sign-in',
      'password',
      'sso',
      'accounts',
      'sign-up',
      'code',
      'recover',
      'new-password',
      'mfa',
      'sign-out',
    ]) {
      const response = await visitor.post(page, { mark, email, password }, headers);
      expect([page, response.status]).toEqual([page, 403]);
      expect(visitor.cookies.has('plinth-account')).toBe(false);
    }
    const ours = { origin: origin(), 'sec-fetch-site': 'same-origin' };
    expect((await visitor.post('sign-in', { mark, email, password }, ours)).status).toBe(303);
  });

  test('doesn’t sign the user out', async () => {
    const visitor = new Visitor();
    await visitor.signIn();
    expect((await visitor.post('sign-out', {})).status).toBe(403);
    expect((await visitor.send('signed-in')).status).toBe(200);
  });
});

test.each(['sign-in', 'sign-up'])(
  '%s: after an error, the page still shows every sign-in method and link',
  async (page) => {
    const visitor = new Visitor();
    const search = `?redirect_to=https%3A%2F%2Fapp.example%2Fcb&code_challenge=${'c'.repeat(43)}`;
    const before = await (await visitor.send(page + search)).text();
    await visitor.post(page + search, { mark: await visitor.mark(page), email: '' });
    const after = await (await visitor.send(page + search)).text();
    expect(after).toContain('Enter your email address.');
    for (const html of [before, after]) {
      const ways = [...html.matchAll(/href="(\/account\/with[^"]*)"/g)].map(([, href = '']) =>
        href.replaceAll(/&#38;|&amp;/g, '&'),
      );
      expect(ways).toEqual([`/account/with${search}&provider=github`]);
      const links = [...html.matchAll(/<a data-link="(\w+)" href="([^"]*)"/g)].map(([, ...one]) => one);
      expect(links).toEqual([
        ['support', 'mailto:help@app.example'],
        ['terms', 'https://app.example/terms?a=1&#38;b=&#37;20'],
      ]);
    }
  },
);

test.each([
  ['en', 'to continue to app.example', 'enter the number <strong'],
  ['ar', '\u2068app.example\u2069', 'فأدخل هناك الرقم \u2068<strong'],
])(
  'in %s, forms keep the app’s name after an error, name the project’s documents and emphasize numbers',
  async (language, intro, number) => {
    const search = `?redirect_to=https%3A%2F%2Fapp.example%2Fin&code_challenge=${'a'.repeat(43)}`;
    const headers = { 'accept-language': language };
    const visitor = new Visitor();
    const mark = await visitor.mark();
    for (const page of ['sign-in', 'sign-up']) {
      const first = await (await visitor.send(page + search, { headers })).text();
      await visitor.post(page + search, { mark, email: 'not an address' });
      const second = await (await visitor.send(page + search, { headers })).text();
      expect(second).toContain('aria-invalid="true"');
      for (const html of [first, second]) {
        expect(html).toContain(intro);
        expect(html).not.toMatch(/%PLINTH_(TERMS|PRIVACY|INTRO)/);
        const named = [...html.matchAll(/<p data-agreement="([a-z-]+)".*?<a[^>]* href="([^"]*)"/g)];
        expect(named.map(([, ...one]) => one)).toEqual(
          page === 'sign-up' ? [['terms', 'https://app.example/terms?a=1&#38;b=&#37;20']] : [],
        );
      }
    }
    // Auth sends only one email per second to an address, so each language has a separate address.
    const own = `number-${language}@example.com`;
    await makeUser(backend, own);
    await visitor.post('password', { mark, email: own, do: 'code' });
    const code = await (await visitor.send('code', { headers })).text();
    expect(code).toMatch(new RegExp(`${number}[^>]*>\\d\\d</strong>`));
  },
);

test('a provider’s error is shown without scripts, and text from the URL isn’t', async () => {
  const alert = async (code: string) => {
    const html = await (await new Visitor().send(`sign-in?problem=${encodeURIComponent(code)}`)).text();
    return [...html.matchAll(/<noscript><input[^>]*><p role="alert"[^>]*>([^<]*)<\/p><\/noscript>/g)].map(
      ([, text]) => text,
    );
  };
  const [refused, unknown, forged] = [
    await alert('access_denied'),
    await alert('nonsense'),
    await alert('"><script>alert(1)</script>'),
  ];
  expect(refused).toHaveLength(1);
  expect(refused).not.toEqual(unknown);
  expect(forged).toEqual(unknown);
  expect(await (await new Visitor().send('sign-in')).text()).not.toContain('role="alert" style');
});

test('a code form shows which code it expects, even if another tab waits for a different one, and accepts Arabic digits', async () => {
  await makeUser(backend, 'bo@example.com');
  const visitor = new Visitor();
  const mark = await visitor.mark();
  await visitor.post('password', { mark, email, do: 'code' });
  const html = await (await visitor.send('code')).text();
  const hidden = [...html.matchAll(/<input type="hidden" name="([a-z_]+)" value="([^"]*)"/g)];
  const fields = Object.fromEntries(hidden.map(([, name, value]) => [name, value]));
  await visitor.post('password', { mark, email: 'bo@example.com', do: 'code' });
  const code = (await mailedCode(backend, email)).replace(/\d/g, (digit) =>
    String.fromCodePoint(0x660 + Number(digit)),
  );
  const response = await visitor.post('code', { ...fields, code });
  expect(response.headers.get('location')).toBe('/account/signed-in');
});

test('an earlier session cookie is never reused', async () => {
  const visitor = new Visitor();
  visitor.cookies.set('plinth-account', 'A'.repeat(43));
  await visitor.signIn();
  const first = visitor.cookies.get('plinth-account');
  expect(first).not.toBe('A'.repeat(43));
  await visitor.signIn();
  expect(visitor.cookies.get('plinth-account')).not.toBe(first);
  const old = new Visitor();
  old.cookies.set('plinth-account', first as string);
  expect((await old.send('signed-in')).headers.get('location')).toBe('/account/sign-in');
});

describe('the redirect to the app', () => {
  const challenge = `code_challenge=${'a'.repeat(43)}`;

  test('is kept through the sign-in, and validated', async () => {
    const visitor = new Visitor();
    const search = `?redirect_to=https%3A%2F%2Fapp.example%2Fin&${challenge}`;
    const response = await visitor.signIn(search);
    expect(response.headers.get('location')).toBe(`/account/signed-in${search}`);
    const page = await visitor.send(`signed-in${search}`);
    expect(page.headers.get('refresh')).toBe(`0; url=/account/go${search}`);
    const gone = await visitor.follow(`go${search}`);
    expect(gone.statusCode).toBe(303);
    expect(gone.headers.location).toMatch(/^https:\/\/app\.example\/in\?code=[\w-]+$/);
    // The page redirects automatically only once. When the user opens the page again, the user must click a link.
    expect((await visitor.send(`signed-in${search}`)).headers.get('refresh')).toBeNull();
  });

  test.each([
    'https://evil.example/',
    'https://app.example@evil.example/',
    'https://app.example.evil.example/',
    '//evil.example',
    'javascript:alert(1)',
    '/\\evil.example',
  ])('never goes to %s', async (target) => {
    const visitor = new Visitor();
    const search = `?redirect_to=${encodeURIComponent(target)}&${challenge}`;
    const response = await visitor.signIn(search);
    expect(response.headers.get('location')).toMatch(/^\/account\/signed-in\?/);
    const page = await visitor.send(`signed-in${search}`);
    expect(await page.text()).not.toContain(`href="${target}`);
    const gone = await visitor.follow(`go${search}`);
    expect(gone.headers.location).toMatch(/^\/account\/signed-in/);
  });

  test('requires a request from the same origin', async () => {
    const visitor = new Visitor();
    await visitor.signIn();
    const search = `?redirect_to=https%3A%2F%2Fapp.example%2Fin&${challenge}`;
    for (const headers of [
      {},
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'none' },
      { referer: 'https://evil.example/' },
    ]) {
      const response = await visitor.send(`go${search}`, { headers: headers as Record<string, string> });
      expect(response.headers.get('location')).toBe(`/account/signed-in${search}`);
    }
  });
});

describe('invalid input', () => {
  test.each<[string, string, string, number]>([
    ['too large', 'application/x-www-form-urlencoded', `email=${'a'.repeat(20_000)}`, 413],
    ['JSON', 'application/json', '{"email":"x"}', 403],
    ['broken JSON', 'application/json', '{', 400],
    ['plain text', 'text/plain', 'email=x', 403],
    ['a multipart form', 'multipart/form-data; boundary=x', '--x--', 415],
    ['broken escapes', 'application/x-www-form-urlencoded', 'email=%zz&mark=%', 403],
    ['empty', 'application/x-www-form-urlencoded', '', 403],
  ])('that is %s gets an error page', async (_name, type, body, status) => {
    const response = await new Visitor().send('sign-in', {
      method: 'POST',
      headers: { 'content-type': type },
      body,
    });
    expect(response.status).toBe(status);
    expect(response.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(await response.text()).toContain('This form can’t be submitted');
  });

  test('is escaped when the page shows it again', async () => {
    const visitor = new Visitor();
    const typed = '"><script>alert(1)</script>%PLINTH_NONCE%%PLINTH_FIELDS%@x';
    const response = await visitor.post('sign-in', { mark: await visitor.mark(), email: typed, password });
    expect(response.status).toBe(303);
    const html = await (await visitor.send('sign-in')).text();
    expect(html).toContain(
      'value="&#34;&#62;&#60;script&#62;alert(1)&#60;/script&#62;&#37;PLINTH_NONCE&#37;',
    );
    expect(html).toContain('aria-invalid="true"');
  });

  test('with a long field is rejected', async () => {
    const visitor = new Visitor();
    const mark = await visitor.mark();
    const response = await visitor.post('sign-in', { mark, email, password: 'p'.repeat(5000) });
    expect(response.headers.get('location')).toBe('/account/password');
    expect(visitor.cookies.has('plinth-account')).toBe(false);
  });

  test.each([
    '../../../etc/passwd',
    Buffer.from(
      '{"page":"sign-in","problem":{"code":"x","place":"../pages/security","requestId":"1"}}',
    ).toString('base64url'),
    Buffer.from(
      '{"page":"sign-in","problem":{"code":"constructor","place":"form","requestId":"1"}}',
    ).toString('base64url'),
    Buffer.from('[]').toString('base64url'),
    Buffer.from('{"page":{"toString":1}}').toString('base64url'),
    'A'.repeat(5000),
  ])('in the step cookie is ignored: %s', async (value) => {
    const visitor = new Visitor();
    visitor.cookies.set('plinth-account-step', value);
    const response = await visitor.send('sign-in');
    expect(response.status).toBe(200);
    expect(await response.text()).toMatch(/<h1[^>]*>Sign in<\/h1>/);
  });
});

test('responses to forms can’t be framed or cached, and contain no scripts', async () => {
  const visitor = new Visitor();
  await visitor.post('sign-in', { mark: await visitor.mark(), email, password: 'wrong' });
  const response = await visitor.send('password');
  expect(response.headers.get('x-frame-options')).toBe('DENY');
  expect(response.headers.get('cache-control')).toBe('no-store');
  expect(response.headers.get('content-security-policy')).toContain("form-action 'self'");
  const html = await response.text();
  expect(html).toContain('Incorrect password');
  expect(html).not.toContain('invalid_credentials');
  // The only noscript element is in the head. That element contains the dark style sheet for browsers without scripts.
  // The body is visible in all browsers, so it doesn't need such an element.
  expect(html.slice(html.indexOf('<body'))).not.toContain('<noscript');
  expect(html).not.toMatch(/type="module"|%PLINTH_/);
  expect(html).toContain('href="/account/password?lang=ar"');
});
