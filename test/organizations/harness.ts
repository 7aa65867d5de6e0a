/** Starts a server whose project has organizations, with signed-in users. */
import { readFileSync } from 'node:fs';
import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import { sql } from '../../src/base/kernel/sql.ts';
import { createTestBackend, type TestBackendOptions } from '../../src/entry/testing.ts';
import type { PartialConfig } from '../../src/platform/config/index.ts';

export const migration = readFileSync(
  new URL('../../templates/organizations/migration.sql', import.meta.url),
  'utf8',
);

type Backend = Awaited<ReturnType<typeof createTestBackend>>;

export interface Person {
  readonly id: string;
  readonly email: string;
  readonly client: SupabaseClient;
}

export interface OrganizationServer {
  readonly backend: Backend;
  /** Creates a user with a verified address, and signs in with the stock client. */
  person(email?: string): Promise<Person>;
  /** A stock client without a session. */
  visitor(): SupabaseClient;
  admin(): SupabaseClient;
  /** Creates an organization with a member for each role, in order. The first one must be an owner. */
  team(...roles: readonly string[]): Promise<{ readonly id: string; readonly members: readonly Person[] }>;
  addMember(organizationId: string, userId: string, role: string): Promise<void>;
}

const password = 'correct horse battery';
const options = { auth: { persistSession: false, autoRefreshToken: false } };
let count = 0;

export const uniqueName = (prefix: string): string =>
  `${prefix}-${++count}-${crypto.randomUUID().slice(0, 8)}`;

export async function startOrganizations(
  config: PartialConfig = {},
  more: TestBackendOptions = {},
): Promise<OrganizationServer & { stop(): Promise<void> }> {
  const backend = await createTestBackend({
    sql: migration,
    ...more,
    config: {
      ...config,
      plinth: { ...config.plinth, account: { organizations: true, ...config.plinth?.account } },
    },
  });
  const { url, keys } = backend;
  const admin = createClient(url, keys.secretKey, options);
  const visitor = () => createClient(url, keys.publishableKey, options);

  async function person(email = `${uniqueName('person')}@example.com`): Promise<Person> {
    const { data, error } = await admin.auth.admin.createUser({ email, password, email_confirm: true });
    if (error) throw error;
    const client = visitor();
    const signedIn = await client.auth.signInWithPassword({ email, password });
    if (signedIn.error) throw signedIn.error;
    return { id: data.user.id, email, client };
  }

  async function addMember(organizationId: string, userId: string, role: string): Promise<void> {
    await backend.database.pool('postgres').query(sql`
      insert into public.organization_memberships (organization_id, user_id, role)
      values (${organizationId}, ${userId}, ${role})`);
  }

  async function team(...roles: readonly string[]) {
    const members: Person[] = [];
    for (const _ of roles) members.push(await person());
    const [owner] = members as [Person];
    const { data, error } = await owner.client.rpc('create_organization', { name: uniqueName('Team') });
    if (error) throw error;
    for (const [index, role] of roles.entries())
      if (index > 0) await addMember(data.id, members[index]?.id ?? '', role);
    return { id: data.id as string, members };
  }

  return { backend, person, visitor, admin: () => admin, team, addMember, stop: () => backend.stop() };
}
