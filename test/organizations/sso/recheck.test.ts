/** Tests the daily check of verified domains, with a clock and a DNS that the tests control. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { silentLogger } from '../../../src/base/kernel/log.ts';
import { sql } from '../../../src/base/kernel/sql.ts';
import { configFrom } from '../../../src/platform/config/index.ts';
import type { AuthContext } from '../../../src/services/auth/context.ts';
import { recheckDomains } from '../../../src/services/auth/organizations/domains/recheck.ts';
import { settingsFrom } from '../../../src/services/auth/settings.ts';
import { newDomain, type SsoServer, startSso } from './harness.ts';

const dayMs = 86_400_000;

let server: SsoServer;
beforeAll(async () => {
  server = await startSso();
});
afterAll(() => server?.stop());

const db = () => server.auth.database.pool('supabase_admin');

/** Verifies a domain. Returns functions that run the check and show its effects. */
async function verified() {
  const owner = await server.person();
  const id = await server.organization(owner);
  const domain = newDomain();
  await server.verify(owner, id, domain);
  const name = `_plinth-challenge.${domain}`;
  const startMs = server.auth.clock.now();
  const lookups: string[] = [];
  const config = configFrom({ plinth: { account: { organizations: true } } });
  const context = (day: number): Partial<AuthContext> => ({
    settings: settingsFrom(config, 'production', () => ''),
    hasOwnTables: true,
    pool: server.auth.database.pool('supabase_auth_admin'),
    apiPool: server.auth.database.pool('authenticator'),
    clock: { now: () => startMs + day * dayMs },
    log: silentLogger,
    async resolveTxt(asked) {
      lookups.push(asked);
      const found = server.records.get(asked) ?? 'ENOTFOUND';
      if (typeof found === 'string') throw Object.assign(new Error(found), { code: found });
      return found;
    },
  });
  return {
    owner,
    id,
    domain,
    lookups: () => lookups.filter((asked) => asked === name).length,
    setRecord: (record: readonly string[] | string | undefined) => {
      if (record === undefined) server.records.delete(name);
      else server.records.set(name, record);
    },
    record: server.records.get(name),
    run: (day: number, isStopping = () => false) => recheckDomains(context(day) as AuthContext, isStopping),
    async state() {
      const { body } = await server.call<{
        domains: { verified: boolean; missing_since: string | null }[];
        events: { kind: string; actor: string; user_id: string | null; details: object }[];
      }>(owner, `/organizations/${id}/sso`);
      const [row] = body.domains;
      return { isVerified: row?.verified, isMissing: row?.missing_since !== null, events: body.events };
    },
  };
}

test('a domain is released when its record has been missing for seven days', async () => {
  const { id, domain, setRecord, run, state } = await verified();
  const [connection] = await db().query<{ id: string }>(sql`
    insert into _plinth.organization_connections (organization_id, activated_at) values (${id}, now())
    returning id::text`);
  const connectionId = connection?.id;
  await db().query(sql`insert into auth.sso_providers (id) values (${connectionId})`);
  await db().query(sql`
    insert into auth.sso_domains (id, sso_provider_id, domain) values (gen_random_uuid(), ${connectionId}, ${domain})`);
  const domains = () => db().query(sql`select from auth.sso_domains where sso_provider_id = ${connectionId}`);
  await run(1.1);
  expect(await state()).toMatchObject({ isVerified: true, isMissing: false });
  setRecord(undefined);
  await run(2.2);
  expect(await state()).toMatchObject({ isVerified: true, isMissing: true });
  for (const day of [3.3, 4.4, 5.5, 6.6, 7.7, 8.8]) await run(day);
  expect(await state()).toMatchObject({ isVerified: true, isMissing: true });
  expect(await domains()).toHaveLength(1);
  await run(9.9);
  const { events, ...lost } = await state();
  expect(lost).toEqual({ isVerified: false, isMissing: false });
  expect(events[0]).toMatchObject({
    kind: 'domain_lost',
    actor: 'server',
    user_id: null,
    details: { domain },
  });
  // The connection doesn't count for the domain anymore.
  expect(await domains()).toEqual([]);
  await run(11);
  expect((await state()).events.filter(({ kind }) => kind === 'domain_lost')).toHaveLength(1);
});

test('a record that is back starts the seven days again', async () => {
  const { record, setRecord, run, state } = await verified();
  setRecord(['v=spf1 -all']);
  for (const day of [2, 4, 6]) await run(day);
  expect(await state()).toMatchObject({ isVerified: true, isMissing: true });
  setRecord(record);
  await run(8);
  expect(await state()).toMatchObject({ isVerified: true, isMissing: false });
  setRecord(undefined);
  for (const day of [10, 12, 14, 16]) await run(day);
  expect(await state()).toMatchObject({ isVerified: true, isMissing: true });
  await run(17.1);
  expect(await state()).toMatchObject({ isVerified: false });
});

test('a DNS that does not answer releases nothing, even if the record was missing before', async () => {
  const { record, setRecord, run, state } = await verified();
  for (const code of ['ETIMEOUT', 'ESERVFAIL', 'ECONNREFUSED']) {
    setRecord(code);
    await run(2);
  }
  expect(await state()).toMatchObject({ isVerified: true, isMissing: false });
  setRecord(undefined);
  await run(4);
  setRecord('ETIMEOUT');
  for (const day of [6, 12, 40]) await run(day);
  expect(await state()).toMatchObject({ isVerified: true, isMissing: true });
  setRecord(record);
  await run(42);
  expect(await state()).toMatchObject({ isVerified: true, isMissing: false });
});

test('each domain is checked once a day, and not while the server stops', async () => {
  const { lookups, run } = await verified();
  await run(0.9);
  expect(lookups()).toBe(0);
  await run(1.1, () => true);
  expect(lookups()).toBe(0);
  await run(1.1);
  await run(1.9);
  expect(lookups()).toBe(1);
  await run(2.2);
  expect(lookups()).toBe(2);
});

test('claims that were never verified are deleted after 30 days, and the history after a year', async () => {
  const { owner, id, run, record, setRecord } = await verified();
  const json = { domain: newDomain() };
  await server.call(owner, `/organizations/${id}/domains`, { method: 'POST', json });
  setRecord(record);
  const shown = async () => {
    const { body } = await server.call<{ domains: unknown[]; events: unknown[] }>(
      owner,
      `/organizations/${id}/sso`,
    );
    return [body.domains.length, body.events.length];
  };
  expect(await shown()).toEqual([2, 3]);
  await run(29);
  expect(await shown()).toEqual([2, 3]);
  await run(31);
  expect(await shown()).toEqual([1, 3]);
  await run(366);
  expect(await shown()).toEqual([1, 0]);
});

test('domains of organizations that were deleted are forgotten', async () => {
  const { id, run } = await verified();
  await db().query(sql`delete from public.organizations where id = ${id}`);
  await run(0.5);
  for (const table of ['organization_domains', 'organization_events'])
    expect(
      await db().query(sql`select from ${sql.id('_plinth', table)} where organization_id = ${id}`),
    ).toEqual([]);
});
