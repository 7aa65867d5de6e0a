/** Starts two complete servers, and creates a project with data in every service. */
import { createHash } from 'node:crypto';
import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import { sql } from '../../src/base/kernel/sql.ts';
import { totpCode } from '../../src/base/shared/one-time-codes.ts';
import type { Backend } from '../../src/entry/main.ts';
import { createTestBackend } from '../../src/entry/testing.ts';
import type { PartialConfig } from '../../src/platform/config/index.ts';
import {
  type EndOptions,
  type Report,
  type TransferOptions,
  transfer,
} from '../../src/project/migrate/index.ts';
import { type CreationOptions, SoftwareAuthenticator } from '../auth/authenticator.ts';

export const origin = 'https://app.example';
export const password = 'correct horse battery';

const config: PartialConfig = {
  auth: {
    site_url: origin,
    passkey: { enabled: true },
    webauthn: { rp_id: 'app.example', rp_display_name: 'Example', rp_origins: [origin] },
    mfa: { totp: { enroll_enabled: true, verify_enabled: true } },
  },
};

export const startServer = (): Promise<Backend> => createTestBackend({ config });

export const endOf = (backend: Backend, name: string): EndOptions => ({
  name,
  databaseUrl: backend.database.info.projectUrl,
  storage: { projectUrl: backend.url, serviceKey: backend.keys.serviceRoleKey },
});

export function optionsOf(
  from: Backend,
  to: Backend,
  options: Partial<TransferOptions> = {},
): TransferOptions {
  return {
    source: endOf(from, 'the source'),
    target: endOf(to, 'the target'),
    startJobs: false,
    keepGoing: false,
    overwrite: false,
    parallel: 4,
    onProgress: () => {},
    ...options,
  };
}

export const move = (from: Backend, to: Backend, options: Partial<TransferOptions> = {}): Promise<Report> =>
  transfer(optionsOf(from, to, options));

export const clientOf = (backend: Backend, key = backend.keys.anonKey): SupabaseClient =>
  createClient(backend.url, key, {
    auth: {
      autoRefreshToken: false,
      persistSession: false,
      detectSessionInUrl: false,
      storageKey: crypto.randomUUID(),
    },
  });

/** Runs statements as `postgres`. */
export const run = (backend: Backend, text: string): Promise<void> =>
  backend.database.pool('postgres').exec(text);

export async function readValue<T>(backend: Backend, text: string): Promise<T> {
  const [row] = await backend.database.pool('postgres').query<{ value: T }>(sql.raw(text));
  return row?.value as T;
}

/** The data with which a user signs in after the migration. */
export interface Person {
  readonly email: string;
  readonly id: string;
  readonly refreshToken: string;
  readonly totpSecret: string;
  readonly authenticator: SoftwareAuthenticator;
}

export async function post<T>(
  backend: Backend,
  path: string,
  json: unknown,
  token = backend.keys.anonKey,
): Promise<{ status: number; body: T }> {
  const response = await fetch(`${backend.url}/auth/v1${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      apikey: backend.keys.anonKey,
      authorization: `Bearer ${token}`,
    },
    body: JSON.stringify(json),
  });
  return { status: response.status, body: (await response.json()) as T };
}

export const codeNow = (secret: string): string => totpCode(secret, Math.floor(Date.now() / 30_000)) ?? '';

export async function createPerson(backend: Backend, email: string): Promise<Person> {
  const client = clientOf(backend);
  const { data, error } = await client.auth.signUp({ email, password });
  if (error) throw error;
  const token = data.session?.access_token ?? '';
  const authenticator = new SoftwareAuthenticator(origin);
  const { body: asked } = await post<{ challenge_id: string; options: CreationOptions }>(
    backend,
    '/passkeys/registration/options',
    {},
    token,
  );
  const registered = await post(
    backend,
    '/passkeys/registration/verify',
    { challenge_id: asked.challenge_id, credential: authenticator.create(asked.options) },
    token,
  );
  if (registered.status !== 200) throw new Error(JSON.stringify(registered.body));
  const enrolled = await client.auth.mfa.enroll({ factorType: 'totp', friendlyName: 'app' });
  if (enrolled.error) throw enrolled.error;
  const { id, totp } = enrolled.data;
  const verified = await client.auth.mfa.challengeAndVerify({ factorId: id, code: codeNow(totp.secret) });
  if (verified.error) throw verified.error;
  return {
    email,
    id: data.user?.id ?? '',
    refreshToken: verified.data.refresh_token,
    totpSecret: totp.secret,
    authenticator,
  };
}

export const project = `
  create extension if not exists pg_cron;
  create extension if not exists citext with schema extensions;
  create extension if not exists pgmq;
  create schema app;
  create type app.mood as enum ('good', 'bad');
  create table app.notes (
    id bigint generated always as identity primary key,
    owner uuid references auth.users (id) on delete cascade,
    body text, mood app.mood, tag extensions.citext,
    length integer generated always as (length(body)) stored);
  create index on app.notes (owner);
  alter table app.notes enable row level security;
  create policy own on app.notes for all to authenticated using (owner = auth.uid());
  grant usage on schema app to authenticated;
  grant select on app.notes to authenticated;
  create table app.replies (note bigint not null references app.notes (id), n integer, body text, primary key (note, n));
  create table app.log (at timestamptz default now(), line text);
  create table app.parts (a integer primary key, b text) partition by range (a);
  create table app.parts_low partition of app.parts for values from (0) to (100);
  create table app.parts_high partition of app.parts for values from (100) to (200);
  create table public.welcome (id uuid primary key, at timestamptz default now());
  create sequence app.tickets;
  create function public.on_signup() returns trigger language plpgsql security definer set search_path = '' as $$
    begin insert into public.welcome (id) values (new.id); return new; end $$;
  create trigger signup after insert on auth.users for each row execute function public.on_signup();
  create trigger hook after insert on app.notes for each row
    execute function supabase_functions.http_request('http://127.0.0.1:9/hook', 'POST', '{}', '{}', '1000');
  create policy "Own files" on storage.objects for select to authenticated using (owner_id = auth.uid()::text);
  create view app.bad_notes as select id, body from app.notes where mood = 'bad';
  create materialized view app.note_count as select count(*) as notes from app.notes;
  alter publication supabase_realtime add table app.notes;
  create schema if not exists supabase_migrations;
  create table if not exists supabase_migrations.schema_migrations (version text primary key, statements text[], name text);
  insert into supabase_migrations.schema_migrations (version, statements, name) values ('20260101000000', array['select 1'], 'first');
  select cron.schedule('nightly', '0 3 * * *', 'select ''x''');
  select cron.alter_job(cron.schedule('off', '0 4 * * *', 'select 2'), active := false);
  select vault.create_secret('the secret value', 'api_key', 'of a provider');
  select vault.create_secret('nameless');
  select pgmq.create('Mails');
  select pgmq.create_unlogged('scratch');
  select pgmq.send('Mails', jsonb_build_object('n', n), jsonb_build_object('trace', n)) from generate_series(1, 20) n;
  select pgmq.archive('Mails', 3);
  select pgmq.delete('Mails', 20);
  select * from pgmq.read('Mails', 3600, 2);
  insert into app.notes (body, mood, tag) select repeat(n::text, 20), 'good', 'Tag' from generate_series(1, 5000) n;
  insert into app.replies select id, 1, 'reply' from app.notes where id % 10 = 0;
  insert into app.log (line) select 'line ' || n from generate_series(1, 50) n;
  insert into app.parts select n, 'part ' || n from generate_series(1, 150) n;
  select setval('app.tickets', 4711);
  refresh materialized view app.note_count;
  select lo_put(lo_create(70001), 0, decode(repeat('ab', 300000), 'hex'));
`;

export const bodyOf = (index: number): Buffer =>
  Buffer.from(
    `object ${index} ${createHash('sha256')
      .update(String(index))
      .digest('hex')
      .repeat(index % 40)}`,
  );

/** Uploads objects with unusual names, and a large one. */
export async function createObjects(backend: Backend, count: number): Promise<void> {
  const client = clientOf(backend, backend.keys.serviceRoleKey);
  const { error } = await client.storage.createBucket('files', { public: true });
  if (error) throw error;
  const odd = ['a b/c.txt', 'q?x=1&y.txt', 'x;y:2,+$@!*.txt', "it's (1).txt"];
  for (let start = 0; start < count; start += 20) {
    await Promise.all(
      Array.from({ length: Math.min(20, count - start) }, async (_, at) => {
        const index = start + at;
        const name = odd[index] ?? `folder-${index % 7}/object-${index}.bin`;
        const body = index === 5 ? Buffer.alloc(6 * 1024 * 1024, 'large') : bodyOf(index);
        const response = await fetch(
          `${backend.url}/storage/v1/object/files/${name.split('/').map(encodeURIComponent).join('/')}`,
          {
            method: 'POST',
            headers: {
              authorization: `Bearer ${backend.keys.serviceRoleKey}`,
              'content-type': index % 2 === 0 ? 'text/plain' : 'application/octet-stream',
              'cache-control': 'max-age=123',
              'x-metadata': Buffer.from(JSON.stringify({ index })).toString('base64'),
            },
            body: new Uint8Array(body),
          },
        );
        if (!response.ok) throw new Error(`${name}: ${await response.text()}`);
      }),
    );
  }
}
