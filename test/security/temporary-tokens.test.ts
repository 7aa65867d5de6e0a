/**
 * Tests that the project's SQL and functions can't read a credential of a request with an `sb_` key that is valid for
 * longer than the request takes.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import WebSocket from 'ws';
import { sql } from '../../src/base/kernel/sql.ts';
import type { KeyStore } from '../../src/platform/keys/index.ts';
import { startWorld, type World } from './world.ts';

/** Everything that SQL can read of a request. Sequences keep their values even if the transaction is rolled back. */
const watching = `
  create function public.seen() returns json language sql stable as $$
    select json_build_object('headers', current_setting('request.headers', true)::json,
      'claims', current_setting('request.jwt.claims', true)::json) $$;
  create table public.log (id int generated always as identity, seen json not null);
  create function public.note() returns trigger language plpgsql security definer as $$
    begin insert into public.log (seen) values (public.seen()); return new; end $$;
  create table public.items (id int primary key);
  grant all on public.items to service_role, anon;
  create trigger note after insert on public.items for each row execute function public.note();
  create trigger note after insert on storage.objects for each row execute function public.note();
  create sequence public.seen_lifetime;
  create sequence public.seen_keys minvalue 0 start 0;
  create function public.watch() returns boolean language plpgsql security definer as $$
    declare
      headers json := current_setting('request.headers', true)::json;
      payload text := split_part(split_part(coalesce(headers ->> 'authorization', ''), ' ', 2), '.', 2);
      claims json;
    begin
      if payload <> '' then
        claims := convert_from(decode(rpad(translate(payload, '-_', '+/'), (length(payload) + 3) / 4 * 4, '='),
          'base64'), 'utf8')::json;
        perform setval('public.seen_lifetime', (claims ->> 'exp')::bigint - extract(epoch from now())::bigint);
      end if;
      perform setval('public.seen_keys', case when headers::text ~ 'sb_secret_\\w' then 1 else 0 end);
      return true;
    end $$;
  create policy watch on realtime.messages for all to anon using (public.watch()) with check (public.watch());
  insert into storage.buckets (id, name) values ('files', 'files');
`;

const claimsOf = (authorization = ''): Record<string, unknown> =>
  JSON.parse(Buffer.from(authorization.split('.')[1] ?? '', 'base64url').toString('utf8'));

const secondsLeft = (authorization?: string): number =>
  Number(claimsOf(authorization).exp) - Date.now() / 1000;

describe.each([0, 1])('with %i API workers', (count) => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld({
      sql: watching,
      functions: {
        echo: 'Deno.serve((request) => Response.json(Object.fromEntries(request.headers)));',
        forward: `Deno.serve((request) => fetch(Deno.env.get('SUPABASE_URL') + '/rest/v1/rpc/seen', {
          headers: { authorization: request.headers.get('authorization')! } }));`,
      },
      ...(count === 0 ? {} : { workers: { count } }),
    });
  });
  afterAll(() => world?.stop());

  const keys = () => world.backend.keys as KeyStore;
  const send = (path: string, key: string, init: RequestInit = {}) =>
    fetch(`${world.backend.url}${path}`, {
      ...init,
      headers: { apikey: key, ...(init.headers as Record<string, string>) },
    });
  const keyKinds = () =>
    [
      ['service_role', keys().secretKey],
      ['service_role', keys().apiKeys.create('secret', 'job', 'owner').key],
      ['anon', keys().publishableKey],
    ] as const;

  interface Seen {
    readonly headers: Record<string, string>;
    readonly claims: { readonly role: string };
  }

  function expectShortLived({ headers, claims }: Seen, role: string): void {
    expect(claims.role).toBe(role);
    expect(claimsOf(headers.authorization).role).toBe(role);
    expect(secondsLeft(headers.authorization)).toBeGreaterThan(110);
    expect(secondsLeft(headers.authorization)).toBeLessThanOrEqual(151);
    const text = JSON.stringify(headers);
    for (const long of [keys().serviceRoleKey, keys().anonKey]) expect(text).not.toContain(long);
    expect(text).not.toMatch(/sb_secret_\w/);
  }

  const newestSeen = async (): Promise<Seen> => {
    const [row] = await world.backend.database
      .pool('postgres')
      .query<{ seen: Seen }>(sql`select seen from public.log order by id desc limit 1`);
    return row?.seen as Seen;
  };

  test('an RPC and a trigger see a short-lived token', async () => {
    for (const [index, [role, key]] of keyKinds().entries()) {
      const bearer = { authorization: `Bearer ${key}` };
      for (const headers of [{}, bearer]) {
        const response = await send('/rest/v1/rpc/seen', key, { headers });
        expectShortLived((await response.json()) as Seen, role);
      }
      const inserted = await send('/rest/v1/items', key, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ id: index }),
      });
      expect(inserted.status).toBe(201);
      expectShortLived(await newestSeen(), role);
    }
  });

  test('a trigger on objects sees a short-lived token', async () => {
    for (const key of [keys().secretKey, keys().apiKeys.create('secret', 'uploads', 'owner').key]) {
      const path = `/storage/v1/object/files/${crypto.randomUUID()}`;
      const uploaded = await send(path, key, { method: 'POST', body: 'text' });
      expect(uploaded.status).toBe(200);
      expectShortLived(await newestSeen(), 'service_role');
    }
  });

  test('a policy for broadcasts sees a short-lived token and no secret key', async () => {
    const readSequences = async () => {
      const [row] = await world.backend.database.pool('postgres').query<{ lifetime: string; keys: string }>(
        sql`select (select last_value from public.seen_lifetime) as lifetime,
              (select last_value from public.seen_keys) as keys`,
      );
      return { lifetime: Number(row?.lifetime), keys: Number(row?.keys) };
    };
    const message = { topic: 'room', event: 'e', payload: {}, private: true };
    const sent = await send('/realtime/v1/api/broadcast', keys().publishableKey, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': keys().secretKey },
      body: JSON.stringify({ messages: [message] }),
    });
    expect(sent.status).toBe(202);
    const seen = await readSequences();
    expect(seen.keys).toBe(0);
    expect(seen.lifetime).toBeGreaterThan(110);
    expect(seen.lifetime).toBeLessThanOrEqual(151);

    await world.backend.database.pool('postgres').query(sql`select setval('public.seen_keys', 5)`);
    const url = `${world.backend.url.replace('http', 'ws')}/realtime/v1/websocket?vsn=2.0.0`;
    const socket = new WebSocket(url, { headers: { 'x-api-key': keys().secretKey } });
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
    // The socket's key is the secret key, and the channel's token belongs to a role with policies.
    const config = { private: true, broadcast: {}, presence: {} };
    const payload = { config, access_token: keys().anonKey };
    const replied = new Promise<string>((resolve) => socket.once('message', (data) => resolve(String(data))));
    socket.send(JSON.stringify(['1', '1', 'realtime:room', 'phx_join', payload]));
    expect(JSON.parse(await replied)[4].status).toBe('ok');
    expect((await readSequences()).keys).toBe(0);
    socket.close();
  });

  test('a function receives its caller’s key, and a token that is valid while the function can run', async () => {
    for (const [role, key] of keyKinds()) {
      const headers = (await (await send('/functions/v1/echo', key)).json()) as Record<string, string>;
      expect(headers.apikey).toBe(key);
      expect(claimsOf(headers.authorization).role).toBe(role);
      expect(secondsLeft(headers.authorization)).toBeGreaterThan(405);
      expect(secondsLeft(headers.authorization)).toBeLessThanOrEqual(441);
      const seen = (await (await send('/functions/v1/forward', key)).json()) as Seen;
      expect(seen.claims.role).toBe(role);
      expect(secondsLeft(seen.headers.authorization)).toBeLessThanOrEqual(441);
    }
  });

  test('auth accepts a secret key, and rejects the key after it is revoked', async () => {
    const { entry, key } = keys().apiKeys.create('secret', 'short', 'owner');
    expect((await send('/auth/v1/admin/users', key)).status).toBe(200);
    keys().apiKeys.revoke(entry.id);
    // API workers detect the change within a second.
    await expect.poll(async () => (await send('/auth/v1/admin/users', key)).status).toBe(401);
  });

  test('consecutive requests have the same token, so it isn’t signed for each request', async () => {
    const tokenOf = async () => {
      const response = await send('/rest/v1/rpc/seen', keys().secretKey);
      return ((await response.json()) as Seen).headers.authorization;
    };
    const tokens = new Set<string | undefined>();
    for (let n = 0; n < 20; n += 1) tokens.add(await tokenOf());
    expect(tokens.size).toBeLessThanOrEqual(2);
  });

  test('REST accepts a token that expires while the body is being transferred', async () => {
    // REST tolerates 30 seconds of clock skew.
    const token = keys().sign({ role: 'service_role', exp: Math.floor(Date.now() / 1000) - 29 });
    const body = new ReadableStream({
      async start(controller) {
        controller.enqueue(new TextEncoder().encode('{"id": '));
        await new Promise((resolve) => setTimeout(resolve, 3000));
        controller.enqueue(new TextEncoder().encode('1000}'));
        controller.close();
      },
    });
    const slow = await fetch(`${world.backend.url}/rest/v1/items`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body,
      duplex: 'half',
    } as RequestInit);
    expect(slow.status).toBe(201);
    const later = await send('/rest/v1/rpc/seen', '', { headers: { authorization: `Bearer ${token}` } });
    expect(later.status).toBe(401);
  });
});
