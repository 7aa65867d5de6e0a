/** Starts a backend with sample tables, and defines operators who call the Console's API as its pages do. */
import { createTestBackend } from '../../src/entry/testing.ts';

export type Backend = Awaited<ReturnType<typeof createTestBackend>>;

const tables = `
  create type public.mood as enum ('calm', 'busy');
  create table public.tasks (
    id bigint generated always as identity primary key,
    title text not null default 'untitled',
    note text,
    mood public.mood,
    done boolean not null default false,
    priority int check (priority between 1 and 5),
    data jsonb
  );
  insert into public.tasks (title, note, mood, priority, data)
    select 'Task ' || i, case i % 3 when 0 then null when 1 then '' else 'note ' || i end, 'calm', 1 + i % 5,
           jsonb_build_object('n', i)
    from generate_series(1, 350) i;
  update public.tasks set note = repeat('long ', 200) where id = 5;
  create table public."We""ird; --" ("col""umn; drop" int primary key, "a'b" text);
  insert into public."We""ird; --" values (1, 'x');
  create table public.keyless (name text);
  insert into public.keyless values ('a');
  create table public.frozen (id int primary key, name text);
  insert into public.frozen values (1, 'ice');
  create function public.keep() returns trigger language plpgsql as $$ begin return null; end $$;
  create trigger keep before update on public.frozen for each row execute function public.keep();
  create function public.write_log() returns int language plpgsql volatile as
    $$ begin insert into public.keyless values ('written by a view'); return 1; end $$;
  create view public.sly as select public.write_log() as n;
`;

/** A server with a Console, in this process or in another one. */
export interface WithConsole {
  readonly console: { fetch(path: string, init?: RequestInit): Promise<Response> };
  consoleLink(operator?: string): Promise<string>;
}

export const startBackend = (options: Parameters<typeof createTestBackend>[0] = {}): Promise<Backend> =>
  createTestBackend({ sql: tables, ...options });

/** Returns the secret of a new sign-in link. */
export async function linkToken(backend: WithConsole, operator?: string): Promise<string> {
  const link = new URL(await backend.consoleLink(operator));
  return new URLSearchParams(link.hash.slice(1)).get('token') ?? '';
}

export function signIn(
  backend: WithConsole,
  token: string,
  headers: Record<string, string> = {},
): Promise<Response> {
  return backend.console.fetch('/console/api/sign-in', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-plinth-request': '1', ...headers },
    body: JSON.stringify({ token }),
  });
}

export interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests read responses of every shape
  readonly body: any;
  readonly headers: Headers;
}

export interface Operator {
  readonly cookie: string;
  readonly csrfToken: string;
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
}

export async function operator(backend: WithConsole, name?: string): Promise<Operator> {
  return operatorOf(backend, await linkToken(backend, name));
}

/** Signs in with a link and returns the operator. */
export async function operatorOf(backend: WithConsole, token: string): Promise<Operator> {
  const response = await signIn(backend, token);
  const cookie = (response.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  const { csrfToken } = (await response.json()) as { csrfToken: string };
  return {
    cookie,
    csrfToken,
    async call(method, path, body, headers = {}) {
      const answer = await backend.console.fetch(`/console/api${path}`, {
        method,
        headers: {
          cookie,
          'x-plinth-csrf': csrfToken,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await answer.text();
      const isJson = answer.headers.get('content-type')?.startsWith('application/json') ?? false;
      return { status: answer.status, body: isJson ? JSON.parse(text) : text, headers: answer.headers };
    },
  };
}

export const rowsPath = (table: string, params: Record<string, unknown> = {}): string =>
  `/tables/public/${encodeURIComponent(table)}/rows?${new URLSearchParams(
    Object.entries(params).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  )}`;

export interface UserAndOperators {
  readonly backend: Backend;
  readonly owner: Operator;
  /** The user's ID. */
  readonly userId: string;
}

/** Starts a backend with a read-only operator named `looker` and a confirmed user. */
export async function startWithUser(email = 'ada@example.com'): Promise<UserAndOperators> {
  const backend = await startBackend();
  await backend.operators.createOperator('looker', 'read-only');
  const owner = await operator(backend);
  const user = { email, password: 'a-Good-password-1', confirmed: true };
  const made = await owner.call('POST', '/users', user);
  return { backend, owner, userId: made.body.id };
}
