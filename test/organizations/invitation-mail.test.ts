/** Invitations that the server emails. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { safeName } from '../../src/services/auth/organizations/invitation-mail.ts';
import { type OrganizationServer, type Person, startOrganizations, uniqueName } from './harness.ts';

type Server = OrganizationServer & { stop(): Promise<void> };
let server: Server;
beforeAll(async () => {
  server = await startOrganizations();
});
afterAll(() => server?.stop());

async function send(
  { backend }: Server,
  person: Person | undefined,
  body: unknown,
  headers: Record<string, string> = {},
) {
  const session = await person?.client.auth.getSession();
  const token = session?.data.session?.access_token;
  const response = await fetch(`${backend.url}/auth/v1/organizations/invitations`, {
    method: 'POST',
    headers: {
      apikey: backend.keys.publishableKey,
      'content-type': 'application/json',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...headers,
    },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: await response.json() };
}

interface Mail {
  readonly Subject: string;
  readonly Text: string;
  readonly HTML: string;
}

async function inbox({ backend }: Server, to: string): Promise<Mail[]> {
  const url = backend.status().MAILPIT_URL;
  const search = `${url}/api/v1/search?query=${encodeURIComponent(`to:"${to}"`)}`;
  const { messages } = (await (await fetch(search)).json()) as { messages: { ID: string }[] };
  return Promise.all(
    messages.map(async ({ ID }) => (await fetch(`${url}/api/v1/message/${ID}`)).json() as Promise<Mail>),
  );
}

test('the recipient accepts the emailed invitation', async () => {
  const { id, members } = await server.team('owner');
  const [owner] = members as [Person];
  await owner.client.from('organizations').update({ name: 'Analytical Engines' }).eq('id', id);
  const email = `${uniqueName('ada')}@example.com`;
  const sent = await send(server, owner, { organization_id: id, email: email.toUpperCase(), role: 'admin' });
  expect(sent).toEqual({
    status: 201,
    body: { id: expect.any(String), email, expires_at: expect.any(String) },
  });
  const [mail] = await inbox(server, email);
  expect(mail?.Subject).toContain('Analytical Engines');
  expect(mail?.Text).toContain(`${owner.email} has invited ${email}`);
  const link = /http\S+\/account\/organizations\/join\?token=([0-9a-f]{64})/.exec(mail?.Text ?? '');
  expect(link?.[0]).toContain(server.backend.url);
  const ada = await server.person(email);
  const joined = await ada.client.rpc('accept_organization_invitation', { token: link?.[1] });
  expect(joined.data).toBe(id);
});

test("the Host header isn't in the link", async () => {
  const { id, members } = await server.team('owner');
  const email = `${uniqueName('ada')}@example.com`;
  await send(server, members[0], { organization_id: id, email }, { 'x-forwarded-host': 'evil.example' });
  const [mail] = await inbox(server, email);
  expect(mail?.Text).toContain(`${server.backend.url}/account/organizations/join?token=`);
  expect(mail?.Text).not.toContain('evil.example');
});

test('the permissions of the inviter decide', async () => {
  const { id, members } = await server.team('owner', 'admin', 'member');
  const [, admin, member] = members as [Person, Person, Person];
  const email = `${uniqueName('ada')}@example.com`;
  const stranger = await server.person();
  expect(await send(server, member, { organization_id: id, email })).toMatchObject({
    status: 403,
    body: { code: 'PT403', hint: 'not_allowed' },
  });
  expect(await send(server, admin, { organization_id: id, email, role: 'owner' })).toMatchObject({
    status: 403,
    body: { hint: 'not_allowed' },
  });
  expect(await send(server, stranger, { organization_id: id, email })).toMatchObject({
    status: 404,
    body: { hint: 'organization_not_found' },
  });
  expect((await send(server, undefined, { organization_id: id, email })).status).toBe(403);
  expect(await inbox(server, email)).toEqual([]);
});

test.each([
  [{ organization_id: 'x', email: 'a@example.com' }],
  [{ organization_id: '00000000-0000-4000-8000-000000000000', email: 'not an address' }],
  [{ organization_id: 1, email: 'a@example.com' }],
  [{}],
])('rejects %j', async (body) => {
  const ada = await server.person();
  expect((await send(server, ada, body)).status).toBe(400);
});

test('an address receives a few invitations, whichever organizations send them', async () => {
  const email = `${uniqueName('ada')}@example.com`;
  const statuses: number[] = [];
  for (let count = 0; count < 7; count++) {
    const { id, members } = await server.team('owner');
    statuses.push((await send(server, members[0], { organization_id: id, email })).status);
  }
  expect(statuses).toEqual([201, 201, 201, 201, 201, 429, 429]);
  expect(await inbox(server, email)).toHaveLength(5);
});

test('a user sends a limited number of invitations', async () => {
  const { id, members } = await server.team('owner');
  const statuses = new Set<number>();
  let sent = 0;
  for (let count = 0; count < 60; count++) {
    const email = `${uniqueName('many')}@example.com`;
    const { status } = await send(server, members[0], { organization_id: id, email });
    statuses.add(status);
    if (status === 201) sent++;
  }
  expect([...statuses]).toEqual([201, 429]);
  expect(sent).toBeLessThan(55);
});

test.each([
  ['Acme', 'Acme'],
  ['J. P. Morgan & Co.', 'J. P. Morgan & Co.'],
  ['Visit https://evil.example', ''],
  ['www.evil.example', ''],
  ['evil.example/prize', ''],
  ['mail me@evil', ''],
])('the name %j is shown as %j', (name, shown) => {
  expect(safeName(name)).toBe(shown);
});

test('a name with HTML is text', async () => {
  const { id, members } = await server.team('owner');
  const [owner] = members as [Person];
  await owner.client.from('organizations').update({ name: '<b>Acme</b>' }).eq('id', id);
  const email = `${uniqueName('ada')}@example.com`;
  await send(server, owner, { organization_id: id, email });
  const [mail] = await inbox(server, email);
  expect(mail?.HTML).toContain('&lt;b&gt;Acme&lt;/b&gt;');
  expect(mail?.HTML).not.toContain('<b>Acme');
});

test('a project with its own page and subject', async () => {
  const own = await startOrganizations({
    plinth: {
      account: {
        organizations: true,
        organization_invitation: { url: 'https://app.example/join', subject: 'Join {{ .Organization }}' },
      },
    },
  });
  try {
    const { id, members } = await own.team('owner');
    const [owner] = members as [Person];
    await owner.client.from('organizations').update({ name: 'Acme' }).eq('id', id);
    const email = `${uniqueName('ada')}@example.com`;
    expect((await send(own, owner, { organization_id: id, email })).status).toBe(201);
    const [mail] = await inbox(own, email);
    expect(mail?.Subject).toBe('Join Acme');
    expect(mail?.Text).toContain('https://app.example/join?token=');
  } finally {
    await own.stop();
  }
});

test('without the setting', async () => {
  const own = await startOrganizations({ plinth: { account: { organizations: false } } });
  try {
    const { id, members } = await own.team('owner');
    const refused = await send(own, members[0], { organization_id: id, email: 'a@example.com' });
    expect(refused).toMatchObject({ status: 404, body: { error_code: 'feature_disabled' } });
  } finally {
    await own.stop();
  }
});
