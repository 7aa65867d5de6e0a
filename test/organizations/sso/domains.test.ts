/** Tests the domains of organizations: their verification with a TXT record, their loss, and who can join because of them. */
import { createSocket } from 'node:dgram';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../../src/base/kernel/sql.ts';
import { checkRecord, createTxtLookup } from '../../../src/services/auth/organizations/domains/txt.ts';
import { newDomain, type Person, type SsoServer, startSso } from './harness.ts';

let server: SsoServer;
beforeAll(async () => {
  server = await startSso();
});
afterAll(() => server?.stop());

interface Domain {
  readonly id: string;
  readonly domain: string;
  readonly verified: boolean;
  readonly record_name: string;
  readonly record_value: string;
  readonly result?: string;
}

async function team() {
  const owner = await server.person();
  const id = await server.organization(owner);
  const path = `/organizations/${id}`;
  const add = (person: Person, domain: string) =>
    server.call<Domain>(person, `${path}/domains`, { method: 'POST', json: { domain } });
  const check = (person: Person, domainId: string) =>
    server.call<Domain>(person, `${path}/domains/${domainId}/check`, { method: 'POST' });
  return { owner, id, path, add, check };
}

test('a domain is verified by a TXT record with a value that is random for each organization', async () => {
  const { owner, add, check, path } = await team();
  const domain = newDomain();
  const added = await add(owner, `  ${domain.toUpperCase()}. `);
  expect(added).toMatchObject({ status: 201, body: { domain, verified: false } });
  const { id, record_name: name, record_value: value } = added.body;
  expect(name).toBe(`_plinth-challenge.${domain}`);
  expect((await check(owner, id)).body).toMatchObject({ verified: false, result: 'missing' });
  server.records.set(name, 'ETIMEOUT');
  expect((await check(owner, id)).body).toMatchObject({ verified: false, result: 'unknown' });
  server.records.set(name, ['v=spf1', `${value}x`]);
  expect((await check(owner, id)).body).toMatchObject({ verified: false, result: 'missing' });
  server.records.set(name, ['v=spf1', value]);
  expect((await check(owner, id)).body).toMatchObject({ verified: true, result: 'found' });
  const other = await team();
  expect((await other.add(other.owner, domain)).body.record_value).not.toBe(value);
  const { body } = await server.call<{ domains: Domain[]; events: { kind: string }[] }>(owner, `${path}/sso`);
  expect(body.domains).toMatchObject([{ domain, verified: true }]);
  expect(body.events.map(({ kind }) => kind)).toEqual(['domain_verified', 'domain_added']);
});

test('domains of public mail providers and other texts are rejected', async () => {
  const { owner, add } = await team();
  for (const domain of ['gmail.com', 'localhost', '127.0.0.1', 'https://a.example', ''])
    expect([domain, (await add(owner, domain)).status]).toEqual([domain, 400]);
});

test('one organization holds a domain until its record is missing', async () => {
  const [one, other] = [await team(), await team()];
  const domain = newDomain();
  await server.verify(one.owner, one.id, domain);
  const { body: claim } = await other.add(other.owner, domain);
  server.records.set(claim.record_name, [
    ...(server.records.get(claim.record_name) ?? []),
    claim.record_value,
  ]);
  expect(await other.check(other.owner, claim.id)).toMatchObject({ status: 409 });
  // The DNS doesn't answer, so nothing is known about the record of the holder.
  const records = server.records.get(claim.record_name) ?? [];
  server.records.set(claim.record_name, [claim.record_value]);
  expect((await other.check(other.owner, claim.id)).body).toMatchObject({ verified: true });
  expect(records).toHaveLength(2);
  const { body } = await server.call<{ domains: Domain[]; events: { kind: string }[] }>(
    one.owner,
    `${one.path}/sso`,
  );
  expect(body.domains).toMatchObject([{ domain, verified: false }]);
  expect(body.events[0]).toMatchObject({ kind: 'domain_lost', actor: 'server' });
});

test('a deleted organization no longer holds its domain', async () => {
  const [one, other] = [await team(), await team()];
  const domain = newDomain();
  await server.verify(one.owner, one.id, domain);
  const { body: claim } = await other.add(other.owner, domain);
  await server.auth.database
    .pool('supabase_admin')
    .query(sql`delete from public.organizations where id = ${one.id}`);
  server.records.set(claim.record_name, [
    ...(server.records.get(claim.record_name) ?? []),
    claim.record_value,
  ]);
  expect((await other.check(other.owner, claim.id)).body).toMatchObject({ verified: true });
});

test('only members who manage the organization see and change its domains', async () => {
  const { owner, id, path, add, check } = await team();
  const [admin, member, stranger] = [await server.person(), await server.person(), await server.person()];
  await server.member(id, admin, 'admin');
  await server.member(id, member, 'member');
  const { body: domain } = await add(owner, newDomain());
  for (const [person, status] of [
    [member, 403],
    [stranger, 404],
  ] as const) {
    expect((await server.call(person, `${path}/sso`)).status).toBe(status);
    expect((await add(person, newDomain())).status).toBe(status);
    expect((await check(person, domain.id)).status).toBe(status);
    for (const method of ['PATCH', 'DELETE']) {
      const options = { method, json: { join_policy: 'join' } };
      expect((await server.call(person, `${path}/domains/${domain.id}`, options)).status).toBe(status);
    }
  }
  expect((await add(admin, newDomain())).status).toBe(201);
  // The ID of another organization's domain finds nothing.
  const other = await team();
  expect((await other.check(other.owner, domain.id)).status).toBe(404);
  expect((await server.auth.request(`${path}/sso`)).status).toBe(401);
});

test('users with a confirmed address in the domain can join or ask to join', async () => {
  const { owner, id, path } = await team();
  const domain = newDomain();
  const domainId = await server.verify(owner, id, domain);
  const [ada, bob] = [await server.person(`ada@${domain}`), await server.person(`bob@${domain}`)];
  const outsider = await server.person();
  const available = async (person: Person) =>
    (await server.call<{ organizations: object[] }>(person, '/organizations/available')).body.organizations;
  const join = (person: Person) => server.call(person, `${path}/join`, { method: 'POST' });
  const set = (json: object) => server.call(owner, `${path}/domains/${domainId}`, { method: 'PATCH', json });
  expect(await available(ada)).toEqual([]);
  expect((await join(ada)).status).toBe(403);
  await set({ join_policy: 'join', join_role: 'admin' });
  expect(await available(ada)).toMatchObject([{ id, domain, policy: 'join' }]);
  expect(await available(outsider)).toEqual([]);
  expect((await join(outsider)).status).toBe(403);
  expect((await join(ada)).body).toEqual({ result: 'joined' });
  expect(await server.roleOf(id, ada.id)).toBe('admin');
  expect(await available(ada)).toEqual([]);
  await set({ join_policy: 'request' });
  expect((await join(bob)).body).toEqual({ result: 'requested' });
  expect(await server.roleOf(id, bob.id)).toBeUndefined();
  const requests = await server.auth.database
    .pool('supabase_admin')
    .query<{ user_id: string }>(
      sql`select user_id::text from public.organization_join_requests where organization_id = ${id}`,
    );
  expect(requests).toEqual([{ user_id: bob.id }]);
  expect((await set({ join_role: 'owner' })).status).toBe(400);
  expect((await set({ join_role: 'unknown' })).status).toBe(400);
  expect((await set({ join_policy: 'always' })).status).toBe(400);
});

test('an admin grants no higher role than the own one', async () => {
  const { owner, id, path } = await team();
  const admin = await server.person();
  await server.member(id, admin, 'admin');
  await server.auth.database.pool('supabase_admin').query(sql`
    insert into public.organization_roles (organization_id, key, name, rank) values (${id}, 'deputy', 'Deputy', 90)`);
  const domainId = await server.verify(owner, id, newDomain());
  const change = (person: Person) =>
    server.call(person, `${path}/domains/${domainId}`, { method: 'PATCH', json: { join_role: 'deputy' } });
  expect((await change(admin)).status).toBe(400);
  expect((await change(owner)).status).toBe(200);
});

test('the record is read from the DNS', async () => {
  const socket = createSocket('udp4');
  await new Promise<void>((done) => socket.bind(0, '127.0.0.1', done));
  const queries: string[] = [];
  socket.on('message', (query, { port, address }) => {
    let at = 12;
    const labels: string[] = [];
    for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
      labels.push(query.toString('latin1', at + 1, at + 1 + length));
      at += 1 + length;
    }
    const name = labels.join('.').toLowerCase();
    queries.push(name);
    const isKnown = name === '_plinth-challenge.company.example';
    const header = Buffer.from(query.subarray(0, 12));
    header.writeUInt16BE(isKnown ? 0x8180 : 0x8183, 2);
    header.writeUInt16BE(isKnown ? 1 : 0, 6);
    header.writeUInt16BE(0, 8);
    header.writeUInt16BE(0, 10);
    const question = query.subarray(12, at + 5);
    // A long record consists of several strings.
    const strings = ['plinth-domain-veri', 'fication=abc'].map((text) => Buffer.from(`\0${text}`));
    for (const text of strings) text[0] = text.length - 1;
    const data = Buffer.concat(strings);
    const answer = Buffer.from([0xc0, 12, 0, 16, 0, 1, 0, 0, 0, 0, 0, data.length]);
    socket.send(Buffer.concat([header, question, ...(isKnown ? [answer, data] : [])]), port, address);
  });
  const lookup = createTxtLookup([`127.0.0.1:${socket.address().port}`]);
  expect(await checkRecord(lookup, 'company.example', 'abc')).toBe('found');
  expect(await checkRecord(lookup, 'company.example', 'abd')).toBe('missing');
  expect(await checkRecord(lookup, 'other.example', 'abc')).toBe('missing');
  expect(queries).toContain('_plinth-challenge.other.example');
  await new Promise<void>((done) => socket.close(() => done()));
});
