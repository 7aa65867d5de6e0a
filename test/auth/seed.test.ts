/** Tests users that are inserted by the seeds and dumps of existing projects. */
import { expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { newEmail, startAuth } from './harness.ts';

test('users that were inserted with SQL can sign in, even if token columns are null', async () => {
  const server = await startAuth();
  try {
    const db = server.database.pool('postgres');
    for (const tokens of ['', null]) {
      const email = newEmail();
      const id = crypto.randomUUID();
      await db.query(sql`
        insert into auth.users (instance_id, id, aud, role, email, encrypted_password, email_confirmed_at,
          raw_app_meta_data, raw_user_meta_data, created_at, updated_at, confirmation_token, recovery_token,
          email_change, email_change_token_new)
        values ('00000000-0000-0000-0000-000000000000', ${id}, 'authenticated', 'authenticated', ${email},
          extensions.crypt('password123', extensions.gen_salt('bf')), now(),
          '{"provider":"email","providers":["email"]}', '{}', now(), now(), ${tokens}, ${tokens}, ${tokens}, ${tokens})`);
      await db.query(sql`
        insert into auth.identities (user_id, provider_id, provider, identity_data, last_sign_in_at, created_at, updated_at)
        values (${id}, ${id}, 'email', ${{ sub: id, email }}, now(), now(), now())`);
      const { data, error } = await server
        .client()
        .auth.signInWithPassword({ email, password: 'password123' });
      expect(error).toBeNull();
      expect(data.user).toMatchObject({ id, email, identities: [{ provider: 'email' }] });
    }
  } finally {
    await server.stop();
  }
});

test("API roles can't read the tables, and postgres can", async () => {
  const server = await startAuth();
  try {
    const admin = server.database.pool('supabase_admin');
    const tables = await admin.query<{ name: string; readable: boolean; by: string }>(sql`
      select c.relname as name, r.rolname as by, has_table_privilege(r.oid, c.oid, 'select') as readable
      from pg_class c, pg_roles r
      where c.relnamespace = 'auth'::regnamespace and c.relkind = 'r'
        and r.rolname in ('anon', 'authenticated', 'service_role', 'postgres')`);
    for (const { name, by, readable } of tables)
      expect([name, by, readable]).toEqual([name, by, by === 'postgres']);
    const versions = await admin.query(sql`select version from auth.schema_migrations`);
    expect(versions).toHaveLength(70);
  } finally {
    await server.stop();
  }
});
