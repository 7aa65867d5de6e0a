/**
 * Tests the parts of the `auth` schema that SQL and dumps of hosted projects depend on: columns, unique constraints,
 * privileges.
 */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { type AuthServer, newEmail, startAuth } from './harness.ts';

const password = 'correct horse';
let server: AuthServer;
beforeAll(async () => {
  server = await startAuth({ enable_anonymous_sign_ins: true });
});
afterAll(() => server.stop());

const db = () => server.database.pool('supabase_admin');

/**
 * The columns of each table, in order. In these lists, `!` means not null, `=x` means default x, and `vc`, `ts` and
 * `time` are the types varchar(255), timestamptz and timestamp.
 */
const tables: Readonly<Record<string, string>> = {
  users: `instance_id uuid, id uuid!, aud vc, role vc, email vc, encrypted_password vc, email_confirmed_at ts, invited_at ts,
    confirmation_token vc, confirmation_sent_at ts, recovery_token vc, recovery_sent_at ts, email_change_token_new vc,
    email_change vc, email_change_sent_at ts, last_sign_in_at ts, raw_app_meta_data jsonb, raw_user_meta_data jsonb,
    is_super_admin bool, created_at ts, updated_at ts, phone text, phone_confirmed_at ts, phone_change text='',
    phone_change_token vc='', phone_change_sent_at ts, confirmed_at ts, email_change_token_current vc='',
    email_change_confirm_status int2=0, banned_until ts, reauthentication_token vc='', reauthentication_sent_at ts,
    is_sso_user bool!=false, deleted_at ts, is_anonymous bool!=false`,
  identities: `provider_id text!, user_id uuid!, identity_data jsonb!, provider text!, last_sign_in_at ts, created_at ts,
    updated_at ts, email text, id uuid!=gen_random_uuid()`,
  sessions: `id uuid!, user_id uuid!, created_at ts, updated_at ts, factor_id uuid, aal aal_level, not_after ts,
    refreshed_at time, user_agent text, ip inet, tag text, oauth_client_id uuid, refresh_token_hmac_key text,
    refresh_token_counter int8, scopes text`,
  refresh_tokens: `instance_id uuid, id int8!=nextval, token vc, user_id vc, revoked bool, created_at ts, updated_at ts,
    parent vc, session_id uuid`,
  mfa_factors: `id uuid!, user_id uuid!, friendly_name text, factor_type factor_type!, status factor_status!, created_at ts!,
    updated_at ts!, secret text, phone text, last_challenged_at ts, web_authn_credential jsonb, web_authn_aaguid uuid,
    last_webauthn_challenge_data jsonb`,
  mfa_challenges: `id uuid!, factor_id uuid!, created_at ts!, verified_at ts, ip_address inet!, otp_code text,
    web_authn_session_data jsonb`,
  mfa_amr_claims: `session_id uuid!, created_at ts!, updated_at ts!, authentication_method text!, id uuid!`,
  one_time_tokens: `id uuid!, user_id uuid!, token_type one_time_token_type!, token_hash text!, relates_to text!,
    created_at time!=now(), updated_at time!=now()`,
  flow_state: `id uuid!, user_id uuid, auth_code text, code_challenge_method code_challenge_method, code_challenge text,
    provider_type text!, provider_access_token text, provider_refresh_token text, created_at ts, updated_at ts,
    authentication_method text!, auth_code_issued_at ts, invite_token text, referrer text, oauth_client_state_id uuid,
    linking_target_id uuid, email_optional bool!=false`,
  audit_log_entries: `instance_id uuid, id uuid!, payload json, created_at ts, ip_address varchar!=''`,
  schema_migrations: 'version vc!',
};

test.each(Object.entries(tables))('the columns of %s match upstream’s', async (table, wanted) => {
  const rows = await db().query<{ name: string; type: string; filled: boolean; preset: string | null }>(sql`
    select a.attname as name, a.attnotnull as filled, pg_get_expr(d.adbin, d.adrelid) as preset,
      case when a.atttypmod = 259 then 'vc' when t.typname = 'timestamptz' then 'ts' when t.typname = 'timestamp' then 'time'
        else t.typname end as type
    from pg_attribute a join pg_type t on t.oid = a.atttypid
      left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum and a.attgenerated = ''
    where a.attrelid = ${`auth.${table}`}::regclass and a.attnum > 0 and not a.attisdropped order by a.attnum`);
  const said = rows.map(({ name, type, filled, preset }) => {
    const value = preset?.replace(/::.*$/, '').replace(/^nextval.*/, 'nextval') ?? 'NULL';
    return `${name} ${type}${filled ? '!' : ''}${value === 'NULL' ? '' : `=${value}`}`;
  });
  expect(said).toEqual(wanted.split(',').map((column) => column.trim().replace(/\s+/g, ' ')));
});

test('generated columns have the expected values', async () => {
  const id = randomUUID();
  const at = '2026-02-03T04:05:06Z';
  await db().query(sql`
    insert into auth.users (id, email_confirmed_at, phone_confirmed_at) values (${id}, now(), ${at})`);
  await db().query(sql`
    insert into auth.identities (provider_id, user_id, identity_data, provider)
    values (${id}, ${id}, '{"email":"Ann@Example.COM"}', 'email')`);
  const [row] = await db().query(sql`
    select u.confirmed_at = ${at}::timestamptz as earliest, i.email
    from auth.users u join auth.identities i on i.user_id = u.id where u.id = ${id}`);
  expect(row).toEqual({ earliest: true, email: 'ann@example.com' });
  await db().query(sql`delete from auth.users where id = ${id}`);
});

/**
 * Each row is inserted twice, and then once more with a different value. The last two values are the SQLSTATEs of the
 * second and the third insert.
 */
test.each([
  ['users: address', `email`, `'a@b.cd'`, `'A@b.cd'`, '23505', 'ok'],
  ['users: number', `phone`, `'15550100'`, `'15550101'`, '23505', 'ok'],
  ['users: no number', `phone`, `null`, `null`, 'ok', 'ok'],
  ['users: token hash', `recovery_token`, `'abc1'`, `'abc2'`, '23505', 'ok'],
  ['users: empty token', `recovery_token`, `''`, `''`, 'ok', 'ok'],
  ['users: plain digits', `reauthentication_token`, `'123456'`, `'123456'`, 'ok', 'ok'],
  ['users: change status', `email_change_confirm_status`, `2`, `3`, 'ok', '23514'],
] as const)('%s', async (_name, column, value, other, again, third) => {
  const insert = async (tx: { exec(text: string): Promise<unknown> }, literal: string): Promise<string> => {
    await tx.exec('savepoint one');
    try {
      await tx.exec(`insert into auth.users (id, ${column}) values (gen_random_uuid(), ${literal})`);
      return 'ok';
    } catch (error) {
      await tx.exec('rollback to savepoint one');
      return (error as { code: string }).code;
    }
  };
  const outcome = await db().transaction(
    async (tx) => [await insert(tx, value), await insert(tx, value), await insert(tx, other)],
    { end: 'rollback' },
  );
  expect(outcome).toEqual(['ok', again, third]);
});

test('an SSO user can have the address of another user', async () => {
  const insert = (isSso: boolean) =>
    `insert into auth.users (id, email, is_sso_user) values (gen_random_uuid(), 'both@b.cd', ${isSso});`;
  await db().transaction((tx) => tx.exec(insert(false) + insert(true) + insert(true)), { end: 'rollback' });
});

test('the enumerated types match upstream’s', async () => {
  const rows = await db().query<{ name: string; labels: string }>(sql`
    select t.typname as name, string_agg(e.enumlabel, ' ' order by e.enumlabel) as labels
    from pg_type t join pg_enum e on e.enumtypid = t.oid where t.typnamespace = 'auth'::regnamespace
    group by 1 order by 1`);
  const types = Object.fromEntries(rows.map(({ name, labels }) => [name, labels]));
  expect(types).toMatchObject({
    aal_level: 'aal1 aal2 aal3',
    factor_type: 'phone totp webauthn',
    factor_status: 'unverified verified',
    code_challenge_method: 'plain s256',
    one_time_token_type:
      'confirmation_token email_change_token_current email_change_token_new phone_change_token reauthentication_token recovery_token',
  });
  expect(Object.keys(types).filter((name) => name.startsWith('oauth_'))).toHaveLength(4);
});

test('row level security is enabled without policies, except on seven tables', async () => {
  const rows = await db().query<{ table: string; on: boolean; policies: number; owner: string }>(sql`
    select relname as table, relrowsecurity as on, relowner::regrole::text as owner,
      (select count(*)::int from pg_policy where polrelid = c.oid) as policies
    from pg_class c where relnamespace = 'auth'::regnamespace and relkind = 'r' order by relname`);
  const policyAdvice =
    'A new table needs `enable row level security` in its migration, unless upstream doesn’t enable it.';
  expect(
    rows.filter(({ on }) => !on).map(({ table }) => table),
    policyAdvice,
  ).toEqual([
    'custom_oauth_providers',
    'oauth_authorizations',
    'oauth_client_states',
    'oauth_clients',
    'oauth_consents',
    'webauthn_challenges',
    'webauthn_credentials',
  ]);
  const advice =
    'The schema auth contains only the tables that upstream defines there. Create a table that only Plinth has in _plinth ' +
    "(CONTRIBUTING.md, “Choose a schema”). If upstream has added the table, change this count, and add the table's columns to `tables` above.";
  expect(rows, advice).toHaveLength(23);
  for (const { table, policies, owner } of rows) {
    expect([table, policies, owner]).toEqual([table, 0, 'supabase_auth_admin']);
  }
});

test('postgres can read the tables with grant option, and is a member of the owner', async () => {
  const [row] = await db().query(sql`
    select has_table_privilege('postgres', 'auth.users', 'select with grant option') as passes,
      pg_has_role('postgres', 'supabase_auth_admin', 'member') as member,
      has_schema_privilege('anon', 'auth', 'usage') as sees,
      has_schema_privilege('anon', 'auth', 'create') as makes`);
  expect(row).toEqual({ passes: true, member: true, sees: true, makes: false });
});

test('migration versions are those of the hosted service', async () => {
  const rows = await db().query<{ version: string }>(sql`select version from auth.schema_migrations`);
  const versions = rows.map(({ version }) => version);
  expect(versions.filter((version) => !/^\d{14}$/.test(version))).toEqual(['00']);
});

describe('a project’s triggers', () => {
  test('see an INSERT without confirmations and with empty tokens, also for a guest', async () => {
    await db().exec(`
      create table public.inserted (row jsonb);
      create function public.keep() returns trigger language plpgsql security definer set search_path = '' as
        $$ begin insert into public.inserted values (to_jsonb(new)); return new; end $$;
      create trigger keep after insert on auth.users for each row execute function public.keep();`);
    try {
      await server.request('/signup', { json: { email: newEmail(), password, data: { a: 1 } } });
      await server.request('/signup', { json: { data: { b: 2 } } });
      const rows = await db().query<{ row: Record<string, unknown> }>(sql`select row from public.inserted`);
      const blank = {
        instance_id: '00000000-0000-0000-0000-000000000000',
        aud: 'authenticated',
        role: '',
        confirmation_token: '',
        recovery_token: '',
        email_change_token_new: '',
        email_change: '',
        email_confirmed_at: null,
        phone: null,
        last_sign_in_at: null,
      };
      expect(rows.map(({ row }) => row)).toEqual([
        expect.objectContaining({
          ...blank,
          raw_app_meta_data: { provider: 'email', providers: ['email'] },
          raw_user_meta_data: { a: 1 },
          is_anonymous: false,
        }),
        expect.objectContaining({
          ...blank,
          email: null,
          raw_app_meta_data: {},
          raw_user_meta_data: { b: 2 },
          is_anonymous: true,
        }),
      ]);
    } finally {
      await db().exec('drop trigger keep on auth.users');
    }
  });

  test('run with the service’s search_path, so tables in public must be qualified', async () => {
    await db().exec(`
      create table public.profiles (id uuid);
      create function public.unqualified() returns trigger language plpgsql as
        $$ begin insert into profiles values (new.id); return new; end $$;
      create trigger unqualified after insert on auth.users for each row execute function public.unqualified();`);
    try {
      const response = await server.request('/signup', { json: { email: newEmail(), password } });
      expect([response.status, (await response.json()).msg]).toEqual([500, 'Database error saving new user']);
    } finally {
      await db().exec('drop trigger unqualified on auth.users');
    }
  });

  test('see an update of the user at every refresh', async () => {
    const signedUp = await server.request('/signup', { json: { email: newEmail(), password } });
    const { refresh_token, user } = await signedUp.json<{ refresh_token: string; user: { id: string } }>();
    const updatedAt = async () =>
      (
        await db().query<{ at: string }>(
          sql`select updated_at::text as at from auth.users where id = ${user.id}`,
        )
      )[0]?.at;
    const before = await updatedAt();
    const response = await server.request('/token?grant_type=refresh_token', { json: { refresh_token } });
    expect(response.status).toBe(200);
    expect(await updatedAt()).not.toBe(before);
  });
});
