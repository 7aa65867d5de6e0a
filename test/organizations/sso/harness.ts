/**
 * Starts the auth service for a project with organizations, with a simulated DNS and simulated identity providers, and
 * sets up organizations as an owner and an IT administrator would.
 */
import { readFileSync } from 'node:fs';
import { sql } from '../../../src/base/kernel/sql.ts';
import type { PartialConfig } from '../../../src/platform/config/index.ts';
import { type AuthServer, type AuthServerOptions, startAuth } from '../../auth/harness.ts';
import {
  buildAnswer,
  createIdp,
  postAnswer,
  readRequest,
  signAnswer,
  type TestIdp,
} from '../../auth/saml-idp.ts';
import { createInternet, type Internet } from '../../auth/social/internet.ts';

const migration = readFileSync(
  new URL('../../../templates/organizations/migration.sql', import.meta.url),
  'utf8',
);
export const password = 'correct horse battery';

export interface Person {
  readonly id: string;
  readonly email: string;
  readonly token: string;
}

type Json = Record<string, unknown>;

export interface SsoServer {
  readonly auth: AuthServer;
  readonly internet: Internet;
  /** The TXT records by name. A test can also set an error code. */
  readonly records: Map<string, readonly string[] | string>;
  person(email?: string): Promise<Person>;
  organization(owner: Person): Promise<string>;
  member(organizationId: string, person: Person, role?: string): Promise<void>;
  roleOf(organizationId: string, userId: string): Promise<string | undefined>;
  /** Calls a route of the auth service as a person. */
  call<T = Json>(
    person: Person,
    path: string,
    options?: { method?: string; json?: unknown },
  ): Promise<{ status: number; body: T }>;
  /** Adds a domain and its record, and checks it. Returns the domain's ID. */
  verify(person: Person, organizationId: string, domain: string): Promise<string>;
  stop(): Promise<void>;
}

let count = 0;
export const unique = (prefix: string): string => `${prefix}-${++count}-${crypto.randomUUID().slice(0, 8)}`;
export const newDomain = (): string => `${unique('company')}.example`;

export async function startSso(
  config: PartialConfig['auth'] = {},
  options: AuthServerOptions = {},
): Promise<SsoServer> {
  const internet = await createInternet();
  const records = new Map<string, readonly string[] | string>();
  const auth = await startAuth(
    {
      enable_signup: true,
      enable_confirmations: true,
      ...config,
      email: { enable_confirmations: true, ...config?.email },
    } as PartialConfig['auth'],
    {
      outgoing: internet.outgoing,
      async resolveTxt(name) {
        const found = records.get(name) ?? 'ENOTFOUND';
        if (typeof found === 'string') throw Object.assign(new Error(found), { code: found });
        return found;
      },
      ...options,
      plinth: { ...options.plinth, account: { organizations: true, ...options.plinth?.account } },
    },
  );
  await auth.database.pool('postgres').exec(migration);
  const db = auth.database.pool('supabase_admin');

  async function person(email = `${unique('person')}@mail.example`): Promise<Person> {
    const { data, error } = await auth
      .admin()
      .auth.admin.createUser({ email, password, email_confirm: true });
    if (error) throw error;
    const signedIn = await auth.client().auth.signInWithPassword({ email, password });
    if (signedIn.error) throw signedIn.error;
    return { id: data.user.id, email, token: signedIn.data.session.access_token };
  }

  const member: SsoServer['member'] = async (organizationId, { id }, role = 'member') => {
    await db.query(sql`
      insert into public.organization_memberships (organization_id, user_id, role)
      values (${organizationId}, ${id}, ${role})`);
  };

  const call: SsoServer['call'] = async <T>(
    { token }: Person,
    path: string,
    { method = 'GET', json }: { method?: string; json?: unknown } = {},
  ) => {
    const response = await auth.request(path, { method, token, ...(json === undefined ? {} : { json }) });
    const text = await response.text();
    return { status: response.status, body: (text === '' ? {} : JSON.parse(text)) as T };
  };

  return {
    auth,
    internet,
    records,
    person,
    member,
    call,
    async organization(owner) {
      const name = unique('Team');
      const [row] = await db.query<{ id: string }>(sql`
        insert into public.organizations (name, slug, created_by)
        values (${name}, ${name.toLowerCase()}, ${owner.id}) returning id::text`);
      const id = row?.id ?? '';
      await db.query(sql`
        insert into public.organization_roles (organization_id, key, name, rank, built_in)
        values (${id}, 'owner', 'Owner', 100, true), (${id}, 'admin', 'Admin', 50, true),
          (${id}, 'member', 'Member', 10, true)`);
      await member(id, owner, 'owner');
      return id;
    },
    async roleOf(organizationId, userId) {
      const [row] = await db.query<{ role: string }>(sql`
        select role from public.organization_memberships
        where organization_id = ${organizationId} and user_id = ${userId}`);
      return row?.role;
    },
    async verify(manager, organizationId, domain) {
      const path = `/organizations/${organizationId}/domains`;
      const added = await call<Record<string, string>>(manager, path, { method: 'POST', json: { domain } });
      const { id = '', record_name: name = '', record_value: value = '' } = added.body;
      records.set(name, [...asList(records.get(name)), value]);
      const checked = await call<{ verified: boolean }>(manager, `${path}/${id}/check`, { method: 'POST' });
      if (!checked.body.verified) throw new Error(`not verified: ${JSON.stringify(checked)}`);
      return id;
    },
    async stop() {
      await auth.stop();
      await internet.stop();
    },
  };
}

const asList = (value: readonly string[] | string | undefined): readonly string[] =>
  Array.isArray(value) ? (value as readonly string[]) : [];

/** A link's token, as an IT administrator receives it. */
export async function setupToken(server: SsoServer, owner: Person, organizationId: string): Promise<string> {
  const { body } = await server.call<{ url: string }>(owner, `/organizations/${organizationId}/setup-links`, {
    method: 'POST',
  });
  return new URL(body.url).searchParams.get('token') ?? '';
}

/** Answers a SAML request as the identity provider, and returns the response of the server. */
export function answerAs(
  { auth }: SsoServer,
  idp: TestIdp,
  requestUrl: string,
  user: { readonly email: string; readonly nameId?: string; readonly attributes?: string },
) {
  const { id, relayState } = readRequest(requestUrl);
  const xml = buildAnswer({
    acs: `${auth.url}/auth/v1/sso/saml/acs`,
    audience: `${auth.url}/auth/v1/sso/saml/metadata`,
    issuer: idp.entityId,
    inResponseTo: id,
    nameId: user.nameId ?? user.email,
    ...user,
  });
  return postAnswer(auth, signAnswer(idp, xml, 'Assertion'), relayState);
}

export { createIdp };
