/**
 * Tests links to the Account pages on other websites. Without a click on an Account page, such links can't sign anyone
 * in or out, or change the account.
 */
import { once } from 'node:events';
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openContext, scrollsSideways } from '../web/browser.ts';
import { describeEach, stateViolations, withStates } from '../web/states.ts';
import { makeUser, openStage, type Stage, startSession } from './harness.ts';
import { say, speak } from './keyboard/texts.ts';

const idp = 'https://keycloak.example';
let stage: Stage;
beforeAll(async () => {
  const provider = { enabled: true, client_id: 'id', secret: 'secret' };
  stage = await openStage({
    auth: { external: { keycloak: { ...provider, url: idp }, github: provider } },
  });
});
afterAll(() => stage.close());

const fromElsewhere = {
  'sec-fetch-site': 'cross-site',
  'sec-fetch-mode': 'navigate',
  'sec-fetch-dest': 'document',
};
interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Sends a request with exactly these headers. `fetch` would add `Sec-Fetch-Mode`. */
async function open(path: string, headers: Record<string, string>, fields?: object): Promise<Answer> {
  const body = fields && new URLSearchParams(Object.entries(fields)).toString();
  const type = body === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' };
  const sent = request(`${stage.backend.url}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { ...headers, ...type },
  });
  sent.end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    body: (await buffer(response)).toString(),
  };
}
const cookiesOf = ({ headers }: Answer): string[] =>
  (headers['set-cookie'] ?? []).map((one) => one.split('=')[0] ?? '');

test.each([
  ['another site', fromElsewhere],
  ['a sibling host', { ...fromElsewhere, 'sec-fetch-site': 'same-site' }],
  ['another program', { ...fromElsewhere, 'sec-fetch-site': 'none' }],
  ['a frame in our page', { ...fromElsewhere, 'sec-fetch-site': 'same-origin', 'sec-fetch-dest': 'iframe' }],
  ['a request by our page', { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors' }],
  ['an old browser, without a page', {}],
  ['an old browser, on another site', { referer: 'https://evil.example/account/sign-in' }],
])('a link to a provider that is opened by %s only asks for confirmation', async (_, headers) => {
  const response = await open('/account/with?provider=keycloak', headers);
  expect([response.status, cookiesOf(response)]).toEqual([200, ['plinth-account-form']]);
  expect(response.body).toContain('Continue to Keycloak');
});

test('in an old browser, a document in storage isn’t treated as an Account page', async () => {
  const referer = `${stage.backend.url}/storage/v1/object/public/files/page.html`;
  expect((await open('/account/with?provider=keycloak', { referer })).status).toBe(200);
  const own = await open('/account/with?provider=keycloak', {
    referer: `${stage.backend.url}/account/sign-in`,
  });
  expect(own.headers.location).toMatch(/^https:\/\/keycloak\.example\//);
});

test('the form requires the Account pages’ token, and text from the address isn’t shown', async () => {
  const asked = await open('/account/with?provider=keycloak', fromElsewhere);
  const mark = /name="mark" value="([0-9a-f]{32})"/.exec(asked.body)?.[1] ?? '';
  const cookie = asked.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
  const post = (headers: Record<string, string>, fields: Record<string, string>) =>
    open('/account/with?provider=keycloak', headers, fields);
  for (const [headers, fields] of [
    [{ ...fromElsewhere, cookie }, { mark }],
    [{ cookie, origin: 'https://evil.example' }, { mark }],
    [{ cookie }, {}],
    [{}, { mark }],
  ] as const) {
    const refused = await post(headers, fields);
    expect([refused.status, cookiesOf(refused)]).toEqual([403, []]);
  }
  const sent = await post({ cookie, 'sec-fetch-site': 'same-origin' }, { mark });
  expect(sent.headers.refresh).toMatch(/^0; url=https:\/\/keycloak\.example\//);
  for (const name of ['call-555-1234', 'google', '<b>']) {
    const path = `/account/with?provider=${encodeURIComponent(name)}`;
    const { location } = (await open(path, fromElsewhere)).headers;
    expect(location).toBe('/account/sign-in?problem=bad_request');
  }
});

describeEach(['en', 'ar'])('in %s', (language) => {
  test(
    'a visitor who opens such a link stays signed in, and must click to continue',
    withStates,
    async () => {
      await speak(language);
      const email = `outside-${language}@example.com`;
      await makeUser(stage.backend, email);
      const { context, complaints } = await openContext(stage.browser, {
        locale: language === 'en' ? 'en-GB' : 'ar',
        viewport: { width: 360, height: 800 },
      });
      const page = await context.newPage();
      await startSession(page, stage.backend, email);
      const before = (await context.cookies()).find(({ name }) => name === 'plinth-account')?.value;
      const fulfill = (body: string) => ({ contentType: 'text/html', body });
      await context.route('https://evil.example/**', (route) =>
        route.fulfill(
          fulfill(
            `<meta http-equiv="refresh" content="0; url=${stage.backend.url}/account/with?provider=keycloak&lang=${language}">`,
          ),
        ),
      );
      await context.route(`${idp}/**`, (route) => route.fulfill(fulfill('The provider')));
      await page.goto('https://evil.example/');
      await page.getByRole('heading', { level: 1, name: say('page.with'), exact: true }).waitFor();
      await page.getByText(say('with.text', { connection: 'Keycloak' })).waitFor();
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        expect(await stateViolations(page)).toEqual([]);
      }
      expect(await scrollsSideways(page)).toBe(false);
      const after = (await context.cookies()).find(({ name }) => name === 'plinth-account')?.value;
      expect(after).toBe(before);
      await page.getByRole('button', { name: say('with.button', { connection: 'Keycloak' }) }).press('Enter');
      await page.getByText('The provider').waitFor();
      await context.close();
      expect(complaints.list).toEqual([]);
    },
  );
});

test('no page that another site opens changes a session', async () => {
  const email = 'outside-all@example.com';
  await makeUser(stage.backend, email);
  const { context } = await openContext(stage.browser);
  const page = await context.newPage();
  await startSession(page, stage.backend, email);
  const cookie = (await context.cookies()).map(({ name, value }) => `${name}=${value}`).join('; ');
  const token = 'A'.repeat(43);
  const flow = `redirect_to=${encodeURIComponent(stage.backend.url)}&code_challenge=${'a'.repeat(43)}`;
  // The list contains every route that a link can open, with parameters similar to those of a real request.
  const paths = [
    'sign-in',
    `sign-in?${flow}&again=1`,
    'sign-in?add=1',
    'password',
    'sign-up',
    'code',
    'recover',
    'sso',
    'guest',
    'upgrade',
    'mfa?again=1',
    'new-password',
    'join',
    'security',
    `consent?authorization_id=${token}`,
    `confirm?token=${'0'.repeat(56)}&type=magiclink`,
    'confirm-other',
    'continue',
    'link-expired',
    'signed-out',
    `signed-out?client_id=${crypto.randomUUID()}&redirect_to=https://evil.example`,
    'error',
    'accounts',
    `accounts?${flow}`,
    'signed-in',
    `signed-in?${flow}`,
    `go?${flow}`,
    'with?provider=keycloak',
    `with?sso=${crypto.randomUUID()}`,
    `back?code=${crypto.randomUUID()}`,
    `cancel-change?token=${'0'.repeat(56)}`,
    `not-me?token=${token}`,
    `unlock?token=${token}`,
  ];
  for (const path of paths) {
    const response = await open(`/account/${path}`, { ...fromElsewhere, cookie });
    expect([
      path,
      cookiesOf(response).filter((name) => /^plinth-account(-\d|-journey)?$/.test(name)),
    ]).toEqual([path, path.startsWith('back') ? expect.any(Array) : []]);
    const target = response.headers.location ?? '';
    expect([path, target === '' || target.startsWith('/account')]).toEqual([path, true]);
  }
  await page.goto(`${stage.backend.url}/account/security`);
  await page.getByText(`Signed in as ${email}`).waitFor();
  await context.close();
});
