/** Tests channels in the Console's API: tokens for joining, and the reasons why an event wouldn't be delivered. */
import { createClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runSql } from '../../src/entry/testing.ts';
import { type Backend, type Operator, operator } from './harness.ts';
import { type ServicesBackend, startServicesBackend } from './services-backend.ts';

let services: ServicesBackend;
let backend: Backend;
let owner: Operator;
let userId: string;
beforeAll(async () => {
  services = await startServicesBackend();
  backend = services.backend;
  owner = await operator(backend);
  const { body } = await owner.call('POST', '/users', {
    email: 'ada@example.com',
    password: 'a-Good-password-1',
  });
  userId = body.id;
});
afterAll(() => services?.stop());

const claims = (value: object) => `claims:${Buffer.from(JSON.stringify(value)).toString('base64url')}`;

test('the published tables are listed', async () => {
  const { body } = await owner.call('GET', '/realtime');
  expect(body.apikey).toBe(backend.keys.publishableKey);
  expect(body.tables).toContainEqual({ schema: 'public', table: 'feed' });
});

test('the state of the service is returned', async () => {
  const { status, body } = await owner.call('GET', '/realtime/state');
  expect(status).toBe(200);
  expect(body).toMatchObject({
    sockets: expect.any(Number),
    channels: expect.any(Number),
    otherProcesses: 0,
  });
  expect(['closed', 'opening', 'live']).toContain(body.stream.state);
});

describe('a token', () => {
  test('joins as a user, with stock supabase-js', async () => {
    const { body } = await owner.call('POST', '/realtime/token', { as: `user:${userId}` });
    expect(body.expiresAt - Date.now()).toBeLessThanOrEqual(600_000);
    const client = createClient(backend.url, backend.keys.publishableKey);
    await client.realtime.setAuth(body.token);
    const channel = client.channel('room');
    const state = await new Promise((resolve) => channel.subscribe(resolve));
    expect(state).toBe('SUBSCRIBED');
    await client.removeAllChannels();
    client.realtime.disconnect();
  });

  test.each([
    ['operator', 'the operator'],
    ['nonsense', 'not a persona'],
    [claims({ role: 'service_role' }), 'the service role'],
    [claims({ role: 'supabase_admin' }), 'a superuser'],
    [claims({ role: 'unknown-role' }), 'no role'],
    ['user:00000000-0000-0000-0000-000000000000', 'unknown user'],
  ])('isn’t issued for %s (%s)', async (as) => {
    const { status, body } = await owner.call('POST', '/realtime/token', { as });
    expect([400, 404]).toContain(status);
    expect(body.token).toBeUndefined();
  });
});

describe('the reason why nothing is delivered', () => {
  const checks = async (params: Record<string, string>) => {
    const { body } = await owner.call('GET', `/realtime/checks?${new URLSearchParams(params)}`);
    return body;
  };
  const codes = (list: { code: string }[]) => list.map(({ code }) => code);
  const table = (name: string, as: string) => ({ as, schema: 'public', table: name });

  test.each([
    ['feed', 'anon', ['rls-off']],
    ['quiet', 'anon', ['not-published', 'rls-off']],
    ['closed', 'anon', ['no-policy']],
    ['open_policy', 'anon', ['no-policy']],
    ['missing', 'anon', ['table-missing']],
    ["x'; select 1; --", 'anon', ['table-missing']],
  ])('is reported: table %s as %s, %j', async (name, as, expected) => {
    expect(codes((await checks(table(name, as))).table)).toEqual(expected);
  });

  test('can be a policy for the role, which applies to each row', async () => {
    const { role, table: found } = await checks(table('open_policy', `user:${userId}`));
    expect([role, found]).toEqual([
      'authenticated',
      [{ code: 'policies-decide', weight: 'limits', policies: 1 }],
    ]);
  });

  test('can be a missing grant', async () => {
    await runSql(backend, 'revoke all on public.feed from anon');
    expect(codes((await checks(table('feed', 'anon'))).table)).toContain('no-grant');
    await runSql(backend, 'grant all on public.feed to anon');
  });

  test('can be that a private channel doesn’t have a policy', async () => {
    expect(codes((await checks({ as: 'anon', private: '0' })).topic)).toEqual(['public-channel']);
    expect(codes((await checks({ as: 'anon', private: '1' })).topic)).toEqual([
      'private-no-read',
      'private-no-write',
    ]);
    await runSql(
      backend,
      `create policy readers on realtime.messages for select to authenticated using (true)`,
    );
    expect(codes((await checks({ as: `user:${userId}`, private: '1' })).topic)).toEqual([
      'private-no-write',
      'private-policies-decide',
    ]);
    expect(codes((await checks({ as: 'anon', private: '1' })).topic)).toContain('private-no-read');
  });
});

describe('delivery checks', () => {
  const stops = (steps: { outcome: string; code: string }[]) =>
    steps.filter(({ outcome }) => outcome === 'stops').map(({ code }) => code);
  const change = { schema: 'public', table: 'feed', action: 'INSERT', key: { id: '7' } };

  test('explain each step of a change, and the delivered record', async () => {
    await runSql(backend, `insert into public.feed values (7, 'hello')`);
    const { status, body } = await owner.call('POST', '/realtime/verdict/change', { as: 'anon', ...change });
    expect(status).toBe(200);
    expect(body.delivered).toBe(true);
    expect(body.steps.map(({ step }: { step: string }) => step)).toEqual([
      'token',
      'publication',
      'request',
      'privilege',
      'filter',
      'policy',
      'limit',
    ]);
    expect(JSON.parse(body.dataJson).record).toEqual({ id: 7, body: 'hello' });
    const filtered = { ...change, subscription: { event: 'UPDATE', filter: 'body=eq.x' } };
    expect(stops((await owner.call('POST', '/realtime/verdict/change', filtered)).body.steps)).toEqual([
      'other-event',
      'filter-does-not-match',
    ]);
  });

  test('explain a broadcast with its sender', async () => {
    const question = {
      as: `user:${userId}`,
      topic: 'room',
      private: true,
      message: { from: 'client', private: true, sender: 'anon' },
    };
    const { body } = await owner.call('POST', '/realtime/verdict/broadcast', question);
    expect([body.delivered, body.persona, body.role]).toEqual([false, 'ada@example.com', 'authenticated']);
    expect(stops(body.steps)).toContain('may-not-write');
  });

  test.each([
    ['about a missing table', { ...change, table: 'missing' }],
    ['about a missing row', { ...change, key: { id: '8' } }],
    ['with SQL as a column', { ...change, key: { 'id" = 7; --': '7' } }],
    ['about an unknown action', { ...change, action: 'TRUNCATE' }],
    ['with an invalid persona', { ...change, as: 'x' }],
  ])('reject a request %s with an error message', async (_what, question) => {
    const { status, body } = await owner.call('POST', '/realtime/verdict/change', question);
    expect(status).toBe(400);
    expect(JSON.stringify(body)).not.toContain('internal');
  });

  test('don’t show rows with secrets to a read-only operator', async () => {
    await backend.operators.createOperator('verdict-looker', 'read-only');
    const looker = await operator(backend, 'verdict-looker');
    const secret = { ...change, schema: 'auth', table: 'users', key: { id: userId }, as: 'anon' };
    expect((await looker.call('POST', '/realtime/verdict/change', secret)).status).toBe(403);
    expect((await looker.call('POST', '/realtime/verdict/change', change)).status).toBe(200);
  });
});
