/**
 * Starts a complete backend to attack, with a table with RLS, a view, functions, two users, buckets and Deno functions.
 */
import { createHmac } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Backend } from '../../src/entry/main.ts';
import { createTestBackend, type TestBackendOptions } from '../../src/entry/testing.ts';

export const alice = '11111111-1111-4111-8111-111111111111';
export const bob = '22222222-2222-4222-8222-222222222222';

const sql = `
  create table public.notes (
    id int generated always as identity primary key,
    owner uuid not null default auth.uid(),
    body text not null,
    doc jsonb not null default '{}'
  );
  alter table public.notes enable row level security;
  create policy own on public.notes for all to authenticated
    using (owner = auth.uid()) with check (owner = auth.uid());
  create table public.books (id int primary key, title text, note_id int references public.notes);
  create view public.notes_seen with (security_invoker = true) as select * from public.notes;
  insert into public.notes (owner, body, doc) values
    ('${alice}', 'of alice', '{"a": {"secret": 1}}'), ('${bob}', 'of bob', '{"a": {"secret": 2}}');
  insert into public.books values (1, 'first', 1), (2, 'second', 2);
  create function public.whoami() returns json language sql stable as $$
    select json_build_object('role', current_user, 'sub', auth.uid(), 'claims', current_setting('request.jwt.claims', true)::json)
  $$;
  create function public.sent_headers() returns text language sql stable as $$ select current_setting('request.headers', true) $$;
  create function public.say(value text) returns text language sql immutable as $$ select value $$;
  create function public.answer_with(value text) returns void language plpgsql as $$
    begin perform set_config('response.headers', value, true); end $$;
  create function public.keep_setting() returns void language plpgsql as $$
    begin perform set_config('request.jwt.claims', '{"role":"service_role","sub":"${bob}"}', false); end $$;
  insert into storage.buckets (id, name, public) values ('open', 'open', true), ('closed', 'closed', false);
  create policy own_files on storage.objects for all to authenticated
    using (bucket_id = 'closed' and owner_id = auth.uid()::text) with check (bucket_id = 'closed');
  create policy own_topic on realtime.messages for all to authenticated
    using (realtime.topic() = 'user:' || auth.uid()) with check (realtime.topic() = 'user:' || auth.uid());
`;

export interface World {
  readonly backend: Backend;
  readonly port: number;
  /** Returns a token signed with Plinth's key. */
  token(claims: Record<string, unknown>): string;
  user(sub: string, claims?: Record<string, unknown>): string;
  call(path: string, init?: CallInit): Promise<Answer>;
  stop(): Promise<void>;
}

export interface CallInit extends Omit<RequestInit, 'headers'> {
  readonly token?: string;
  readonly json?: unknown;
  readonly headers?: Record<string, string>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read responses of every shape
  readonly body: any;
}

export async function startWorld(
  options: { functions?: Record<string, string> } & TestBackendOptions = {},
): Promise<World> {
  const projectDir = mkdtempSync(join(tmpdir(), 'plinth-world-'));
  for (const [slug, source] of Object.entries(options.functions ?? {})) {
    mkdirSync(join(projectDir, 'supabase', 'functions', slug), { recursive: true });
    writeFileSync(join(projectDir, 'supabase', 'functions', slug, 'index.ts'), source);
  }
  mkdirSync(join(projectDir, 'supabase'), { recursive: true });
  const { functions: _, ...given } = options;
  const backend = await createTestBackend({ projectDir, sql, config: {}, ...given });
  const token = (claims: Record<string, unknown>): string =>
    backend.keys.sign({ exp: inAnHour(), ...claims });
  return {
    backend,
    port: Number(new URL(backend.url).port),
    token,
    user: (sub, claims = {}) => token({ sub, role: 'authenticated', ...claims }),
    async call(path, { token: bearer, json, headers, ...init } = {}) {
      const response = await backend.fetch(path, {
        redirect: 'manual',
        ...(json === undefined ? {} : { method: 'POST', body: JSON.stringify(json) }),
        ...init,
        headers: {
          ...(json === undefined ? {} : { 'content-type': 'application/json' }),
          ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
          ...headers,
        },
      });
      const text = await response.text();
      return { status: response.status, headers: response.headers, text, body: parse(text) };
    },
    async stop() {
      await backend.stop();
      rmSync(projectDir, { recursive: true, force: true });
    },
  };
}

export const inAnHour = (): number => Math.floor(Date.now() / 1000) + 3600;

export const part = (value: unknown): string =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');

/** Creates a token with the given header and claims, signed by HMAC with the given secret. */
export function handMade(header: object, claims: object, secret: string | Buffer, hash = 'sha256'): string {
  const data = `${part(header)}.${part(claims)}`;
  return `${data}.${createHmac(hash, secret).update(data).digest('base64url')}`;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
