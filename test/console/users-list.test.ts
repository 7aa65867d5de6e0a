/** Tests the Console's user list: filters, sort orders, pages, exports and bulk actions. */
import { randomUUID } from 'node:crypto';
import { createClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { createTestBackend } from '../../src/entry/testing.ts';
import { type Backend, type Operator, operator } from './harness.ts';

const password = 'a-Good-password-1';
let backend: Backend;
let owner: Operator;
beforeAll(async () => {
  backend = await createTestBackend();
  owner = await operator(backend);
  // Users 1 to 120 were created on consecutive days. Every third user has never signed in.
  await admin().query(sql`
    insert into auth.users (instance_id, id, aud, role, email, created_at, last_sign_in_at, email_confirmed_at,
      banned_until, is_anonymous, is_sso_user, raw_app_meta_data, raw_user_meta_data, encrypted_password,
      confirmation_token, recovery_token, email_change_token_new, email_change)
    select '00000000-0000-0000-0000-000000000000', ('00000000-0000-4000-8000-' || lpad(i::text, 12, '0'))::uuid,
           'authenticated', 'authenticated', 'user-' || lpad(i::text, 3, '0') || '@example.com',
           '2026-01-01'::timestamptz + i * interval '1 day',
           case when i % 3 <> 0 then '2026-06-01'::timestamptz + i * interval '1 hour' end,
           case when i % 10 <> 0 then now() end, case when i in (5, 6) then now() + interval '1 day' end,
           i = 7, i in (8, 9), '{"plan":"free"}', jsonb_build_object('full_name', 'Person ' || i),
           '$2a$10$' || repeat('h', 53), '', 'secret-token-' || i, '', ''
    from generate_series(1, 120) i`);
  await admin().query(sql`
    insert into auth.identities (provider_id, user_id, identity_data, provider, created_at)
    select u.id::text, u.id, '{}', case when u.id::text like '%3' then 'github' else 'email' end, now()
    from auth.users u`);
  await admin().query(sql`
    insert into auth.mfa_factors (id, user_id, factor_type, status, created_at, updated_at, secret)
    select gen_random_uuid(), ${idOf(4)}, 'totp', status::auth.factor_status, now(), now(), 'TOTP-SECRET'
    from unnest(array['verified', 'unverified']) status`);
});
afterAll(() => backend?.stop());

const admin = () => backend.database.pool('supabase_admin');
const idOf = (index: number): string => `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;
const indexOf = (id: string): number => Number(id.slice(-12));

async function list(query: Record<string, string>): Promise<{
  indexes: number[];
  next: string | null;
  previous: string | null;
}> {
  const { status, body } = await owner.call('GET', `/users?${new URLSearchParams(query)}`);
  expect([query, status]).toEqual([query, 200]);
  return { ...body, indexes: body.users.map(({ id }: { id: string }) => indexOf(id)) };
}

const range = (from: number, to: number): number[] =>
  Array.from({ length: Math.abs(to - from) + 1 }, (_, step) => from + Math.sign(to - from) * step);

describe('pages', () => {
  test('follow each other forwards and backwards in every order', async () => {
    const orders = [
      [{}, range(120, 1)],
      [{ order: 'asc' }, range(1, 120)],
      [{ sort: 'email', order: 'asc' }, range(1, 120)],
      [
        { sort: 'seen' },
        [
          ...range(120, 1).filter((index) => index % 3 !== 0),
          ...range(120, 1).filter((index) => index % 3 === 0),
        ],
      ],
    ] as const;
    for (const [order, expected] of orders) {
      const first = await list(order);
      const second = await list({ ...order, after: first.next ?? '' });
      const third = await list({ ...order, after: second.next ?? '' });
      const all = [...first.indexes, ...second.indexes, ...third.indexes];
      expect([order, all]).toEqual([order, expected]);
      expect([first.previous, third.next]).toEqual([null, null]);
      const back = await list({ ...order, before: third.previous ?? '' });
      expect(back.indexes).toEqual(second.indexes);
      const start = await list({ ...order, before: back.previous ?? '' });
      expect([start.indexes, start.previous]).toEqual([first.indexes, null]);
    }
  });

  test('reject an invalid position', async () => {
    for (const after of [
      'x',
      Buffer.from('["1"]').toString('base64url'),
      Buffer.from('["a","b"]').toString('base64url'),
    ])
      expect((await owner.call('GET', `/users?after=${after}`)).status).toBeGreaterThanOrEqual(400);
    expect((await owner.call('GET', '/users?sort=encrypted_password')).status).toBe(400);
  });

  test('use an index', async () => {
    const plan = await admin().transaction(async (tx) => {
      await tx.exec('set local enable_seqscan = off; set local enable_sort = off');
      return tx.query<{ 'QUERY PLAN': string }>(sql`
        explain select u.id from auth.users u
        where (coalesce(u.last_sign_in_at, '-infinity'::timestamptz), u.id) < (${'2026-06-02'}::timestamptz, ${idOf(9)}::uuid)
        order by coalesce(u.last_sign_in_at, '-infinity'::timestamptz) desc, u.id desc limit 51`);
    });
    expect(plan.map((line) => line['QUERY PLAN']).join('\n')).toContain('users_list_seen_idx');
  });
});

test('filters are combined, and the count matches', async () => {
  const cases: [Record<string, string>, number[]][] = [
    [{ factor: 'yes' }, [4]],
    [{ banned: 'yes' }, [6, 5]],
    [{ guest: 'yes' }, [7]],
    [{ sso: 'yes' }, [9, 8]],
    [{ signedIn: 'no', createdTo: '2026-01-12T00:00:00Z' }, [9, 6, 3]],
    [{ signedIn: 'yes', createdTo: '2026-01-06T00:00:00Z' }, [4, 2, 1]],
    [{ confirmed: 'no' }, [120, 110, 100, 90, 80, 70, 60, 50, 40, 30, 20, 10]],
    [{ provider: 'github' }, [113, 103, 93, 83, 73, 63, 53, 43, 33, 23, 13, 3]],
    [{ createdFrom: '2026-01-02T00:00:00Z', createdTo: '2026-01-05T00:00:00+00:00' }, [3, 2, 1]],
    [{ seenFrom: '2026-06-05T22:00:00Z' }, [119, 118]],
    [{ seenTo: '2026-06-01T03:00:00Z', createdTo: '2026-01-05T00:00:00Z' }, [3, 2, 1]],
    [
      { banned: 'no', guest: 'no', sso: 'no', factor: 'no', createdTo: '2026-01-11T00:00:00Z' },
      [9, 3, 2, 1].filter((index) => index !== 9),
    ],
    [{ search: 'person 11', provider: 'github' }, [113]],
    [{ search: '_' }, []],
  ];
  for (const [filter, expected] of cases) {
    expect([filter, (await list(filter)).indexes]).toEqual([filter, expected]);
    const { body } = await owner.call('GET', `/users/count?${new URLSearchParams(filter)}`);
    expect([filter, body]).toEqual([filter, { count: expected.length, precision: 'exact' }]);
  }
  expect((await owner.call('GET', '/users/providers')).body.providers).toEqual(['email', 'github']);
  expect((await owner.call('GET', '/users?createdFrom=yesterday')).status).toBe(400);
});

test('a row contains what the list shows, but no secrets', async () => {
  const { body } = await owner.call('GET', `/users?search=${idOf(4)}`);
  expect(body.users).toEqual([
    {
      id: idOf(4),
      email: 'user-004@example.com',
      phone: null,
      name: 'Person 4',
      providers: ['email'],
      created_at: expect.any(String),
      last_sign_in_at: expect.any(String),
      email_confirmed_at: expect.any(String),
      invited_at: null,
      phone_confirmed_at: null,
      banned_until: null,
      is_anonymous: false,
      is_sso_user: false,
      has_factor: true,
    },
  ]);
});

describe('the export', () => {
  test('contains the filtered users without secrets, and is recorded', async () => {
    const { body: csv, headers } = await owner.call('GET', '/users/export?format=csv&order=asc');
    expect(headers.get('content-disposition')).toBe('attachment; filename="users.csv"');
    const lines = csv.trimEnd().split('\r\n');
    expect(lines).toHaveLength(121);
    expect(lines[0]).toMatch(/^id,email,phone,name,providers,created_at/);
    expect(lines[4]).toContain('totp');
    const { body: json } = await owner.call('GET', '/users/export?format=json&factor=yes');
    expect(json).toMatchObject([{ id: idOf(4), factors: ['totp'], app_metadata: { plan: 'free' } }]);
    for (const secret of ['$2a$', 'secret-token', 'TOTP-SECRET', 'encrypted_password'])
      expect([secret, `${csv}${JSON.stringify(json)}`.includes(secret)]).toEqual([secret, false]);
    const [entry] = await admin().query<{ action: string; detail: object }>(
      sql`select action, detail from _plinth.audit_log order by id desc limit 1`,
    );
    expect(entry).toMatchObject({
      action: 'user.export',
      detail: { format: 'json', filter: { factor: 'yes' } },
    });
  });

  test('prevents formulas in CSV', async () => {
    const { body } = await owner.call('POST', '/users', { email: 'formula@example.com', password });
    const evil = '=HYPERLINK("https://evil.example","x")';
    await owner.call('PATCH', `/users/${body.id}`, { user_metadata: { full_name: evil } });
    const { body: csv } = await owner.call('GET', `/users/export?format=csv&search=${body.id}`);
    expect(csv).toContain(`"'=HYPERLINK(""https://evil.example"",""x"")"`);
    const { body: json } = await owner.call('GET', `/users/export?format=json&search=${body.id}`);
    expect(json[0].name).toBe(evil);
    await owner.call('DELETE', `/users/${body.id}`);
  });
});

describe('a bulk action', () => {
  const run = (action: object, ids: readonly string[], as: Operator = owner) =>
    as.call('POST', '/users/bulk', { action, ids, operation: randomUUID() });

  async function signedInUser(email: string): Promise<string> {
    const { body } = await owner.call('POST', '/users', { email, password });
    const app = createClient(backend.url, backend.keys.publishableKey, { auth: { persistSession: false } });
    await app.auth.signInWithPassword({ email, password });
    return body.id;
  }

  test('bans users, ends their sessions, and returns the bans that can be undone', async () => {
    const ids = [await signedInUser('bulk-1@example.com'), await signedInUser('bulk-2@example.com')];
    await owner.call('POST', `/users/${ids[1]}/ban`, { hours: 1 });
    const missing = randomUUID();
    const { body } = await run({ kind: 'ban', hours: 24, endSessions: true }, [...ids, missing]);
    expect(body.done.toSorted()).toEqual(ids.toSorted());
    expect(body.undoable).toEqual([ids[0]]);
    expect(body.failures).toEqual([{ id: missing, name: missing, message: "This user doesn't exist." }]);
    for (const id of ids)
      expect((await owner.call('GET', `/users/${id}/sessions`)).body.sessions).toEqual([]);
    const [entry] = await admin().query<{ action: string; detail: { userIds: string[] } }>(
      sql`select action, detail from _plinth.audit_log order by id desc limit 1`,
    );
    expect(entry).toMatchObject({
      action: 'user.ban',
      detail: { hours: 24, endSessions: true, failedIds: [missing], operation: expect.any(String) },
    });
    expect(entry?.detail.userIds.toSorted()).toEqual(ids.toSorted());
    expect((await run({ kind: 'unban' }, ids)).body.done).toHaveLength(2);
    expect((await owner.call('GET', `/users/${ids[0]}`)).body.banned_until ?? null).toBeNull();
    expect((await run({ kind: 'delete' }, ids)).body.done).toHaveLength(2);
    expect((await owner.call('GET', `/users/${ids[0]}`)).status).toBe(404);
  });

  test('signs users out, and merges app metadata', async () => {
    const id = await signedInUser('bulk-3@example.com');
    expect((await run({ kind: 'sign-out' }, [id])).body.done).toEqual([id]);
    expect((await owner.call('GET', `/users/${id}/sessions`)).body.sessions).toEqual([]);
    await run({ kind: 'app-metadata', values: { plan: 'pro', team: 7 } }, [id]);
    await run({ kind: 'app-metadata', values: { team: null } }, [id]);
    const { app_metadata } = (await owner.call('GET', `/users/${id}`)).body;
    expect(app_metadata).toMatchObject({ plan: 'pro', provider: 'email' });
    expect(app_metadata).not.toHaveProperty('team');
    await owner.call('DELETE', `/users/${id}`);
  });

  test('finds the users that match a filter, and requires the permission to change users', async () => {
    const { body } = await owner.call('GET', '/users/ids?provider=github&order=asc');
    expect(body).toEqual({
      ids: [3, 13, 23, 33, 43, 53, 63, 73, 83, 93, 103, 113].map(idOf),
      isComplete: true,
    });
    await backend.operators.createOperator('looker', 'read-only');
    const looker = await operator(backend, 'looker');
    expect((await run({ kind: 'delete' }, [idOf(1)], looker)).status).toBe(403);
    expect((await looker.call('GET', '/users?banned=yes')).status).toBe(200);
    for (const action of [{ kind: 'ban', hours: 0, endSessions: false }, { kind: 'purge' }, {}])
      expect((await run(action, [idOf(1)])).status).toBe(400);
    expect(
      (
        await run(
          { kind: 'unban' },
          Array.from({ length: 101 }, () => randomUUID()),
        )
      ).status,
    ).toBe(400);
  });
});
