/**
 * Tests text of every kind in response headers. A header must never make a response fail, must contain only characters
 * that headers can contain, and must not become several headers.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { type Answer, startWorld, type World } from './world.ts';

const texts = {
  'Latin-1': 'é\u00a0ÿ',
  'C1 controls': 'a\u0080\u0085b',
  'above U+00FF': '日本',
  emoji: '🦊',
  'unpaired surrogates': 'a\ud800b\udfff',
  'line breaks': 'a\r\nx-injected: 1\r\n\r\nb',
  'other controls': 'a\tb\u0001\u007f',
  quotes: `a"b'c\\d; filename=e`,
  'what looks encoded': "100%25 %c3%a9 UTF-8''x%0d%0a",
} as const;

/** Returns a URL with the text in its path, as a client with a URL library sends it. */
const app = (text: string) => `http://localhost:3000/${text}`;
const query = (text: string): string => encodeURIComponent(text.toWellFormed());

/** Returns the text as the UTF-8 bytes of a request header, without characters that a client can't send. */
const sent = (text: string): string => Buffer.from(text.replace(/\p{Cc}/gu, '')).toString('latin1');

let world: World;
let service: string;
beforeAll(async () => {
  world = await startWorld({
    config: {
      auth: {
        site_url: 'http://localhost:3000',
        additional_redirect_urls: ['http://localhost:3000/**'],
        email: { max_frequency: 0 },
        external: { github: { enabled: true, client_id: 'c', secret: 's' } },
        oauth_server: { enabled: true, allow_dynamic_registration: true },
      },
    },
  });
  service = world.backend.keys.serviceRoleKey;
  const create = await world.call('/storage/v1/object/open/a.txt', {
    method: 'POST',
    token: service,
    body: 'a',
    headers: { 'content-type': 'text/plain' },
  });
  expect(create.status).toBe(200);
});
afterAll(() => world.stop());

const headers = (): Record<string, string> => ({ apikey: service });

async function actionLink(body: object): Promise<string> {
  const { body: made, text } = await world.call('/auth/v1/admin/generate_link', {
    token: service,
    headers: headers(),
    json: body,
  });
  if (typeof made.action_link !== 'string') throw new Error(text);
  const { pathname, search } = new URL(made.action_link);
  return pathname + search;
}

let users = 0;
function newUser(): string {
  users += 1;
  return `head${users}@example.com`;
}

async function followLink(text: string, spoil = ''): Promise<Answer> {
  const link = await actionLink({ type: 'magiclink', email: newUser(), redirect_to: app(text) });
  return world.call(link.replace('token=', `token=${spoil}`));
}

/** Presses the button of the page that email links open. */
async function confirmLink(text: string): Promise<Answer> {
  const link = new URL(
    await actionLink({ type: 'magiclink', email: newUser(), redirect_to: app(text) }),
    world.backend.url,
  );
  const page = await world.call(`/account/confirm${link.search}`);
  const fields = new URLSearchParams(link.searchParams);
  fields.set('mark', /name="mark" value="(\w+)"/.exec(page.text)?.[1] ?? '');
  return world.call('/account/confirm', {
    method: 'POST',
    body: fields.toString(),
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      cookie: (page.headers.get('set-cookie') ?? '').split(';', 1)[0] ?? '',
      'sec-fetch-site': 'same-origin',
    },
  });
}

async function providerError(text: string): Promise<Answer> {
  const start = await world.call(`/auth/v1/authorize?provider=github&redirect_to=${query(app(text))}`);
  const state = new URL(start.headers.get('location') ?? '').searchParams.get('state');
  return world.call(`/auth/v1/callback?error=access_denied&error_description=${query(text)}&state=${state}`);
}

/** Registers an app whose redirect URI contains the text, and sends a request that is redirected there with an error. */
async function oauthError(text: string): Promise<Answer> {
  const uri = app(query(text).slice(0, 200));
  const { body } = await world.call('/auth/v1/oauth/clients/register', {
    json: { client_name: 'app', redirect_uris: [uri] },
  });
  return world.call(
    `/auth/v1/oauth/authorize?client_id=${body.client_id}&redirect_uri=${query(uri)}&response_type=wrong&state=${query(text)}`,
  );
}

const download = (path: string) => (text: string) =>
  world.call(`/storage/v1/object/${path}?download=${query(text)}`);

async function signedDownload(text: string): Promise<Answer> {
  const { body } = await world.call('/storage/v1/object/sign/open/a.txt', {
    token: service,
    headers: headers(),
    json: { expiresIn: 60 },
  });
  return world.call(`/storage/v1${body.signedURL}&download=${query(text)}`);
}

const page = (path: string) => (text: string) =>
  world.call(`/account/${path}?redirect_to=${query(app(text))}&client_id=${query(text)}&lang=${query(text)}`);

/** Stores the text as the object's metadata, as SQL or an older version could have stored it. */
async function storedMetadata(text: string): Promise<Answer> {
  const metadata = { eTag: text, mimetype: text, cacheControl: text, xRobotsTag: text, lastModified: text };
  await world.backend.database.pool('supabase_admin').query(
    sql`update storage.objects set metadata = ${JSON.stringify(metadata.eTag.isWellFormed() ? metadata : {})}::jsonb
        where name = 'a.txt'`,
  );
  return world.call('/storage/v1/object/public/open/a.txt');
}

/** Creates a table with this name and inserts a row, so that `Location` contains the name. */
async function restLocation(text: string): Promise<Answer> {
  const name = text.toWellFormed();
  const admin = world.backend.database.pool('postgres');
  const quoted = `public."${name.replaceAll('"', '""')}"`;
  await admin.exec(
    `create table ${quoted} (id text primary key); grant all on ${quoted} to service_role; notify pgrst, 'reload schema'`,
  );
  const send = () =>
    world.call(`/rest/v1/${query(name)}`, {
      token: service,
      headers: { ...headers(), prefer: 'return=headers-only' },
      json: { id: name },
    });
  let response = await send();
  while (response.status === 404) response = await send();
  return response;
}

const chosenByFunction = (text: string): Promise<Answer> =>
  world.call('/rest/v1/rpc/answer_with', {
    token: service,
    headers: headers(),
    json: {
      value: JSON.stringify([{ 'set-cookie': `a=${text}` }, { 'x-text': text }, { location: text }]),
    },
  });

interface Carrier {
  /** Sends a request whose response carries the text. */
  send(text: string): Promise<Answer>;
  /** The header that must be present. */
  readonly header?: string;
  /** Whether the response with some texts is an error that the service itself reports. */
  readonly refuses?: boolean;
}

const carriers: Record<string, Carrier> = {
  'a sign-in link': { send: followLink, header: 'location' },
  'an invalid sign-in link': { send: (text) => followLink(text, 'x'), header: 'location' },
  'the button of a sign-in link': { send: confirmLink, header: 'refresh' },
  'a provider’s error': { send: providerError, header: 'location' },
  'an OAuth client’s error': { send: oauthError, header: 'location' },
  'the list of users': {
    send: (text) =>
      world.call(`/auth/v1/admin/users?per_page=1&filter=${query(text)}`, {
        token: service,
        headers: headers(),
      }),
  },
  'the Account page for the accounts': { send: page('accounts'), header: 'location' },
  'the Account page for sign-in': { send: page('sign-in') },
  'the Account page that opens the app': { send: page('go') },
  'the Account page of a used link': { send: page('link-expired') },
  'the Account page after the provider': {
    send: (text) =>
      world.call(
        `/account/callback?error=${query(text)}&error_description=${query(text)}&state=${query(text)}`,
      ),
  },
  'a request ID': {
    send: (text) =>
      world.call('/rest/v1/', {
        headers: { 'x-request-id': sent(text) },
      }),
  },
  'the schema of a request': {
    send: (text) =>
      world.call('/rest/v1/notes', {
        headers: { 'accept-profile': sent(text) },
      }),
  },
  'an invalid token': {
    send: (text) => world.call('/rest/v1/notes', { headers: { authorization: `Bearer ${query(text)}` } }),
    header: 'www-authenticate',
  },
  'a download': { send: download('public/open/a.txt'), header: 'content-disposition' },
  'a signed download': { send: signedDownload, header: 'content-disposition' },
  'stored metadata': { send: storedMetadata },
  'the location of a row': { send: restLocation, header: 'location' },
  'headers set by SQL': { send: chosenByFunction, refuses: true },
};

describe.each(Object.entries(carriers))('%s', (_name, { send, header, refuses }) => {
  test.each(Object.entries(texts))('with %s', async (_kind, text) => {
    const response = await send(text);
    const fields = [...response.headers];
    expect(response.headers.get('x-injected')).toBeNull();
    for (const [name, value] of fields) {
      expect(value, name).toMatch(/^[\t\x20-\x7e\x80-\xff]*$/);
      if (name === 'location' && !refuses) expect(value).toMatch(/^[\x21-\x7e]*$/);
    }
    if (refuses && response.status === 500) expect(response.body.code).toMatch(/^PGRST11[12]$/);
    else expect(response.status, response.text).toBeLessThan(500);
    if (header !== undefined) expect(response.headers.has(header), response.text).toBe(true);
  });
});
