/**
 * Violates the constraints of the tables in `auth` over HTTP. Clients must receive an error code, and neither a
 * SQLSTATE nor the values of another account's row.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { createOutgoing } from '../../src/base/shared/network/outgoing.ts';
import { constraintError } from '../../src/services/auth/common/public-errors.ts';
import { type AuthServer, codeOf, linkOf, newEmail, startAuth } from './harness.ts';
import { createIdp } from './saml-idp.ts';

let auth: AuthServer;
beforeAll(async () => {
  auth = await startAuth(
    {
      site_url: 'http://localhost:3000',
      email: { enable_confirmations: true, double_confirm_changes: false },
      sms: { enable_signup: true, enable_confirmations: true, max_frequency: 0 },
      mfa: {
        totp: { enroll_enabled: true, verify_enabled: true },
        phone: { enroll_enabled: true, verify_enabled: true, max_frequency: 0 },
      },
      oauth_server: { enabled: true },
    },
    {
      outgoing: { ...createOutgoing({ mode: 'production' }), requirePublic: async () => undefined },
      plinth: { auth: { saml: { enabled: true } } },
    },
  );
});
afterAll(() => auth.stop());

interface Outcome {
  readonly status: number;
  readonly code: string | undefined;
  readonly text: string;
}

type Method = 'POST' | 'PUT' | 'GET';

/** Sends a request. The default token is the service key. */
async function send(method: Method, path: string, json?: unknown, token = auth.keys.serviceRoleKey) {
  const response = await auth.request(path, { method, token, ...(json === undefined ? {} : { json }) });
  const text = await response.text();
  const location = response.headers.get('location');
  const inUrl = location === null ? null : new URL(location).hash;
  const code = inUrl
    ? (new URLSearchParams(inUrl.slice(1)).get('error_code') ?? undefined)
    : (response.headers.get('x-sb-error-code') ?? undefined);
  return { status: response.status, code, text: text + (location ?? '') } satisfies Outcome;
}

const password = 'correct horse';
let phones = 0;
function newPhone(): string {
  phones += 1;
  return `4915100${String(phones).padStart(5, '0')}`;
}

async function newUser(fields: object = {}): Promise<{ id: string; email: string; token: string }> {
  const email = newEmail();
  const json = { email, password, email_confirm: true, ...fields };
  const made = await auth.request('/admin/users', { token: auth.keys.serviceRoleKey, json });
  const { id } = await made.json<{ id: string }>();
  const response = await auth.request('/token?grant_type=password', { json: { email, password } });
  return { id, email, token: (await response.json<{ access_token: string }>()).access_token };
}

/** Starts the change to a contact that another user gets in the meantime, and returns the change's link or code. */
async function overtaken(contact: { email: string } | { phone: string }) {
  const user = await newUser();
  expect(await send('PUT', '/user', contact, user.token)).toMatchObject({ status: 200 });
  const to = 'email' in contact ? contact.email : contact.phone;
  const [message] = await auth.inbox(to);
  await send('POST', '/admin/users', { ...contact, email_confirm: true });
  return { user, message };
}

/** Returns the first outcome of concurrent requests that isn't a success, or the last outcome. */
async function refusedOf(requests: readonly Promise<Outcome>[]): Promise<Outcome> {
  const outcomes = await Promise.all(requests);
  return outcomes.find(({ status }) => status >= 300) ?? (outcomes.at(-1) as Outcome);
}

const provider = {
  provider_type: 'oauth2',
  name: 'A',
  client_id: 'c',
  client_secret: 's',
  authorization_url: 'https://idp.example/a',
  token_url: 'https://idp.example/t',
  userinfo_url: 'https://idp.example/u',
};
const custom = (fields: object) => () =>
  send('POST', '/admin/custom-providers', { ...provider, identifier: 'custom:one', ...fields });
const longUrl = `https://idp.example/${'a'.repeat(2100)}`;

const client = (fields: object) => () =>
  send('POST', '/admin/oauth/clients', {
    client_name: 'app',
    redirect_uris: ['http://localhost:3000/cb'],
    ...fields,
  });

/** Requests an authorization. The error is sent to the client. */
async function authorize(fields: Record<string, string>): Promise<Outcome> {
  const redirect_uri = 'http://localhost:3000/cb';
  const made = await auth.request('/admin/oauth/clients', {
    token: auth.keys.serviceRoleKey,
    json: { client_name: 'app', redirect_uris: [redirect_uri] },
  });
  const { client_id } = await made.json<{ client_id: string }>();
  const query = new URLSearchParams({
    client_id,
    redirect_uri,
    response_type: 'code',
    code_challenge: 'a'.repeat(43),
    code_challenge_method: 's256',
    ...fields,
  });
  const response = await send('GET', `/oauth/authorize?${query}`);
  return {
    ...response,
    code:
      response.code ??
      new URL(/http\S+/.exec(response.text)?.[0] ?? 'x:').searchParams.get('error') ??
      undefined,
  };
}

const sso = (fields: object) =>
  send('POST', '/admin/sso/providers', { type: 'saml', metadata_xml: createIdp().metadata(), ...fields });

async function phoneFactor(token: string, phone: string): Promise<string> {
  const json = { factor_type: 'phone', friendly_name: phone, phone };
  const response = await auth.request('/factors', { json, token });
  return (await response.json<{ id: string }>()).id;
}

/** Runs the request while a trigger runs these statements, as a concurrent request would. */
async function withTrigger(
  table: string,
  statements: string,
  request: () => Promise<Outcome>,
  event: 'insert' | 'update' = 'insert',
): Promise<Outcome> {
  const db = auth.database.pool('supabase_admin');
  await db.exec(`
    create function public.interfere() returns trigger language plpgsql security definer as $$
    begin ${statements} return new; end $$;
    create trigger interfere before ${event} on auth.${table} for each row execute function public.interfere()`);
  try {
    return await request();
  } finally {
    await db.exec('drop function public.interfere cascade');
  }
}

/** Runs the request while a trigger deletes the row to which the new row refers. */
const orphaned = (table: string, column: string, parent: string, request: () => Promise<Outcome>) =>
  withTrigger(table, `delete from ${parent} where id = new.${column};`, request);

type Provoke = () => Promise<Outcome>;

/** The requests that violate a constraint, with the error code that the client receives. */
const provoked: Record<string, readonly [code: string, provoke: Provoke]> = {
  users_pkey: [
    'user_already_exists',
    async () => send('POST', '/admin/users', { email: newEmail(), id: (await newUser()).id }),
  ],
  users_email_partial_key: [
    'email_exists',
    async () => send('PUT', `/admin/users/${(await newUser()).id}`, { email: (await newUser()).email }),
  ],
  'users_email_partial_key by a link': [
    'email_exists',
    async () => {
      const { message } = await overtaken({ email: newEmail() });
      const { pathname, search } = new URL(linkOf(message));
      const outcome = await send('GET', pathname.replace('/auth/v1', '') + search);
      expect(outcome.status).toBe(303);
      return outcome;
    },
  ],
  'users_email_partial_key by a code': [
    'email_exists',
    async () => {
      const email = newEmail();
      const { message } = await overtaken({ email });
      return send('POST', '/verify', { type: 'email_change', email, token: codeOf(message) });
    },
  ],
  users_phone_key: [
    'phone_exists',
    async () => {
      const phone = newPhone();
      await newUser({ phone });
      return send('PUT', `/admin/users/${(await newUser()).id}`, { phone });
    },
  ],
  'users_phone_key by a code': [
    'phone_exists',
    async () => {
      const phone = newPhone();
      const { message } = await overtaken({ phone });
      return send('POST', '/verify', { type: 'phone_change', phone, token: codeOf(message) });
    },
  ],
  identities_provider_id_provider_unique: [
    'identity_already_exists',
    () =>
      withTrigger(
        'identities',
        `if pg_trigger_depth() = 1 then insert into auth.identities (provider_id, user_id, identity_data, provider)
           values (new.provider_id, new.user_id, '{}', new.provider); end if;`,
        () => send('POST', '/admin/users', { email: newEmail() }),
      ),
  ],
  mfa_factors_user_friendly_name_unique: [
    'mfa_factor_name_conflict',
    async () => {
      const { token } = await newUser();
      const enroll = () => send('POST', '/factors', { factor_type: 'totp', friendly_name: 'same' }, token);
      return refusedOf([enroll(), enroll(), enroll()]);
    },
  ],
  unique_phone_factor_per_user: [
    'mfa_verified_factor_exists',
    async () => {
      const { id, token } = await newUser();
      const [one, other] = [newPhone(), newPhone()];
      await phoneFactor(token, one);
      return send('PUT', `/admin/users/${id}/factors/${await phoneFactor(token, other)}`, { phone: one });
    },
  ],
  saml_providers_entity_id_key: [
    'saml_idp_already_exists',
    async () => {
      const metadata_xml = createIdp().metadata();
      return refusedOf([sso({ metadata_xml }), sso({ metadata_xml }), sso({ metadata_xml })]);
    },
  ],
  sso_domains_domain_idx: [
    'sso_domain_already_exists',
    () => sso({ domains: ['same.example', 'same.example'] }),
  ],
  'domain not empty': ['validation_failed', () => sso({ domains: [''] })],
  sso_providers_resource_id_idx: [
    'conflict',
    () => refusedOf([sso({ resource_id: 'same' }), sso({ resource_id: 'same' })]),
  ],
  custom_oauth_providers_identifier_key: [
    'conflict',
    () => refusedOf([custom({ identifier: 'custom:same' })(), custom({ identifier: 'custom:same' })()]),
  ],
  custom_oauth_providers_identifier_format: ['validation_failed', custom({ identifier: 'custom:A_' })],
  custom_oauth_providers_name_length: ['validation_failed', custom({ name: 'n'.repeat(101) })],
  custom_oauth_providers_client_id_length: ['validation_failed', custom({ client_id: 'c'.repeat(513) })],
  custom_oauth_providers_authorization_url_length: [
    'validation_failed',
    custom({ authorization_url: longUrl }),
  ],
  custom_oauth_providers_token_url_length: ['validation_failed', custom({ token_url: longUrl })],
  custom_oauth_providers_userinfo_url_length: ['validation_failed', custom({ userinfo_url: longUrl })],
  custom_oauth_providers_jwks_uri_length: ['validation_failed', custom({ jwks_uri: longUrl })],
  custom_oauth_providers_oauth2_requires_endpoints: ['validation_failed', custom({ token_url: '' })],
  custom_oauth_providers_token_url_https: [
    'validation_failed',
    custom({ token_url: 'HTTPS://idp.example/t' }),
  ],
  custom_oauth_providers_oidc_requires_issuer: [
    'validation_failed',
    custom({ provider_type: 'oidc', issuer: '' }),
  ],
  custom_oauth_providers_issuer_length: [
    'validation_failed',
    custom({ provider_type: 'oidc', issuer: longUrl }),
  ],
  custom_oauth_providers_discovery_url_length: [
    'validation_failed',
    custom({ provider_type: 'oidc', issuer: 'https://idp.example', discovery_url: longUrl }),
  ],
  oauth_clients_client_name_length: ['validation_failed', client({ client_name: 'n'.repeat(1025) })],
  oauth_clients_client_uri_length: ['validation_failed', client({ client_uri: longUrl })],
  oauth_clients_logo_uri_length: ['validation_failed', client({ logo_uri: longUrl })],
  oauth_clients_token_endpoint_auth_method_check: [
    'validation_failed',
    client({ token_endpoint_auth_method: 'x' }),
  ],
  oauth_authorizations_state_length: ['invalid_request', () => authorize({ state: 's'.repeat(4097) })],
  oauth_authorizations_nonce_length: ['invalid_request', () => authorize({ nonce: 'n'.repeat(256) })],
  oauth_authorizations_resource_length: [
    'invalid_request',
    () => authorize({ resource: `https://a.example/${'a'.repeat(2048)}` }),
  ],
  oauth_authorizations_code_challenge_length: [
    'invalid_request',
    () => authorize({ code_challenge: 'a'.repeat(129) }),
  ],
  identities_user_id_fkey: [
    'user_not_found',
    () =>
      orphaned('identities', 'user_id', 'auth.users', () =>
        send('POST', '/admin/users', { email: newEmail() }),
      ),
  ],
  sessions_user_id_fkey: [
    'user_not_found',
    async () => {
      const { email } = await newUser();
      return orphaned('sessions', 'user_id', 'auth.users', () =>
        send('POST', '/token?grant_type=password', { email, password }),
      );
    },
  ],
  refresh_tokens_session_id_fkey: [
    'session_not_found',
    async () => {
      const { email } = await newUser();
      return orphaned('refresh_tokens', 'session_id', 'auth.sessions', () =>
        send('POST', '/token?grant_type=password', { email, password }),
      );
    },
  ],
  one_time_tokens_user_id_fkey: [
    'user_not_found',
    async () => {
      const { email } = await newUser();
      return orphaned('one_time_tokens', 'user_id', 'auth.users', () =>
        send('POST', '/admin/generate_link', { type: 'recovery', email }),
      );
    },
  ],
  mfa_factors_user_id_fkey: [
    'user_not_found',
    async () => {
      const { token } = await newUser();
      return orphaned('mfa_factors', 'user_id', 'auth.users', () =>
        send('POST', '/factors', { factor_type: 'totp' }, token),
      );
    },
  ],
  mfa_challenges_auth_factor_id_fkey: [
    'mfa_factor_not_found',
    async () => {
      const { token } = await newUser();
      const id = await phoneFactor(token, newPhone());
      return orphaned('mfa_challenges', 'factor_id', 'auth.mfa_factors', () =>
        send('POST', `/factors/${id}/challenge`, undefined, token),
      );
    },
  ],
};

/** Keys whose values the server generates at random. Other unique keys must be violated above. */
const random = new Set([
  ...['confirmation_token_idx', 'recovery_token_idx', 'reauthentication_token_idx'],
  ...['email_change_token_current_idx', 'email_change_token_new_idx', 'refresh_tokens_token_unique'],
  ...['oauth_authorizations_authorization_code_key', 'oauth_authorizations_authorization_id_key'],
]);

/** Keys whose violation the statement itself handles with `on conflict`. */
const handled = new Set([
  'mfa_amr_claims_session_id_authentication_method_pkey',
  'oauth_consents_user_client_unique',
  'one_time_tokens_user_id_token_type_key',
  'webauthn_credentials_credential_id_key',
]);

/** Challenges are created again with another time after a conflict. */
const retried = new Set(['mfa_factors_last_challenged_at_key']);

describe('each constraint', () => {
  test.each(Object.entries(provoked))('%s', async (_name, [code, provoke]) => {
    const outcome = await provoke();
    expect(outcome.text).not.toMatch(/constraint|Key \(/);
    expect(outcome).toMatchObject({ code });
    expect(outcome.status).toBeLessThan(500);
  });

  test('of the catalog has an error for clients', async () => {
    const found = await auth.database
      .pool('supabase_admin')
      .query<{ name: string; type: string; table: string }>(sql`
      select conname as name, contype::text as type, conrelid::regclass::text as table
      from pg_constraint where connamespace = 'auth'::regnamespace and contype in ('u', 'f', 'c')
      union all
      select c.relname, 'u', i.indrelid::regclass::text
      from pg_index i join pg_class c on c.oid = i.indexrelid
      where c.relnamespace = 'auth'::regnamespace and i.indisunique
        and not exists (select from pg_constraint where conindid = i.indexrelid)`);
    expect(found.length).toBeGreaterThan(60);
    const sqlstates: Readonly<Record<string, string>> = { u: '23505', f: '23503', c: '23514' };
    const errors = 'src/services/auth/common/public-errors.ts';
    for (const { name, type, table } of found) {
      const violation = Object.assign(new Error(`violates ${name}`), {
        severity: 'ERROR',
        code: sqlstates[type],
        schema: 'auth',
        constraint: name,
      });
      const error = constraintError(new Error('wrapped', { cause: violation }));
      expect([name, error?.status]).toEqual([name, expect.any(Number)]);
      expect(error?.message).not.toContain('violates');
      if (type === 'f') {
        const advice = `The foreign key ${name} of ${table} has no error. Add its column to \`missing\` in ${errors}, with the code that means that the referenced row was deleted.`;
        expect(error?.code, advice).not.toBe('conflict');
      }
      if (type === 'u' && !random.has(name) && !handled.has(name) && !retried.has(name)) {
        const advice = `No test violates the unique key ${name} of ${table}. Add a request that violates it to \`provoked\`, and the error to \`duplicates\` in ${errors}. If no request can violate it, add the key to \`random\`, \`handled\` or \`retried\`.`;
        expect(Object.keys(provoked), advice).toContain(name);
      }
    }
  });

  test('between challenges of different factors leads to another attempt, and to one text', async () => {
    const { token } = await newUser();
    const phone = newPhone();
    const [one, other] = [await phoneFactor(token, newPhone()), await phoneFactor(token, phone)];
    const challenge = (id: string) => send('POST', `/factors/${id}/challenge`, undefined, token);
    expect(await challenge(one)).toMatchObject({ status: 200 });
    const db = auth.database.pool('supabase_admin');
    await db.exec('create sequence public.attempts');
    const same = `if nextval('public.attempts') = 1 then
      new.last_challenged_at := (select last_challenged_at from auth.mfa_factors where id = '${one}'); end if;`;
    const outcome = await withTrigger('mfa_factors', same, () => challenge(other), 'update');
    const attempts = await db.query<{ n: string }>(sql`select last_value::text as n from public.attempts`);
    await db.exec('drop sequence public.attempts');
    expect([outcome.status, attempts[0]?.n]).toEqual([200, '2']);
    expect(await auth.inbox(phone)).toHaveLength(1);
  });

  test('of the project keeps its error, and a link reports it to the app', async () => {
    const db = auth.database.pool('supabase_admin');
    await db.exec(`
      create table public.names (email text primary key);
      create function public.take_name() returns trigger language plpgsql security definer as $$
      begin insert into public.names values (new.email); return new; end $$;
      create trigger take_name after update of email on auth.users for each row execute function public.take_name()`);
    try {
      const [one, taken] = [await newUser(), newEmail()];
      await db.query(sql`insert into public.names values (${taken})`);
      const direct = await send('PUT', `/admin/users/${one.id}`, { email: taken });
      expect([direct.status, JSON.parse(direct.text).code]).toEqual([500, '23505']);
      await send('PUT', '/user', { email: taken }, one.token);
      const { pathname, search } = new URL(linkOf((await auth.inbox(taken))[0]));
      const link = pathname.replace('/auth/v1', '') + search;
      const refused = await send('GET', link);
      expect([refused.status, refused.code]).toEqual([303, 'unexpected_failure']);
      expect(refused.text).toContain('error=server_error');
      expect(refused.text).toContain('error_description=Error+confirm+email');
      await db.exec('drop function public.take_name cascade');
      // The link still works.
      expect((await send('GET', link)).text).toContain('access_token=');
    } finally {
      await db.exec('drop function if exists public.take_name cascade; drop table public.names');
    }
  });
});
