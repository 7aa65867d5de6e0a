/** Defines tables, functions and requests for the tests of the request path. */

import { sql } from '../../src/base/kernel/sql.ts';
import { createRequestPath, type RequestPathOptions } from '../../src/platform/database/path/index.ts';
import { createTestDatabase, type TestDatabase, testTarget } from '../../src/platform/database/testing.ts';
import type { PathRequest, PathResult, RequestPath } from '../../src/platform/database/types.ts';
import type { ConnectionOptions } from '../../src/platform/database/wire/index.ts';

const SCHEMA = `
  create table public.notes (id int primary key, owner text not null);
  insert into public.notes select i, 'user' || i % 20 from generate_series(1, 200) i;
  alter table public.notes enable row level security;
  create policy own on public.notes to anon, authenticated using (owner = current_setting('request.jwt.claim.sub', true));
  create table public.parents (id int primary key);
  create table public.children (
    id int primary key,
    parent int references public.parents deferrable initially deferred
  );
  grant all on public.notes, public.parents, public.children to anon, authenticated, service_role;

  -- Does everything to its session that a user's function can do.
  create function public.mess_up() returns text language plpgsql as $$
  begin
    perform set_config('role', 'service_role', false);
    perform set_config('request.jwt.claim.sub', 'user7', false);
    perform set_config('request.jwt.claims', '{"sub":"user7"}', false);
    perform set_config('search_path', 'elsewhere', false);
    perform set_config('statement_timeout', '1h', false);
    perform pg_catalog.pg_advisory_lock(4711);
    execute 'create temp table left_over (a int)';
    execute 'prepare left_over as select 1';
    execute 'listen left_over';
    return 'done';
  end $$;`;

export interface Fixture {
  readonly db: TestDatabase;
  target(): ConnectionOptions;
  open(options?: Partial<RequestPathOptions>): RequestPath;
  /**
   * Terminates the connections of all request paths that the fixture opened, and returns the number of terminated
   * connections.
   */
  terminate(): Promise<number>;
  /** Returns the number of connections with this application name. */
  backends(applicationName: string): Promise<number>;
  /** Resolves as soon as the server runs `pg_sleep` for one of the request paths. */
  asleep(): Promise<void>;
  close(): Promise<void>;
}

export async function startFixture(): Promise<Fixture> {
  const db = await createTestDatabase('path', (database) => database.pool('postgres').exec(SCHEMA));
  const paths: RequestPath[] = [];
  const admin = db.database.pool('supabase_admin');
  const target = () => ({ ...testTarget(db, 'authenticator'), applicationName: 'path test' });
  return {
    db,
    target,
    open(options) {
      const path = createRequestPath({ connectOptions: target, ...options });
      paths.push(path);
      return path;
    },
    async terminate() {
      const rows = await admin.query(sql`
        select pg_terminate_backend(pid) from pg_stat_activity
        where application_name = 'path test' and datname = current_database()`);
      return rows.length;
    },
    async backends(applicationName) {
      const rows = await admin.query(sql`
        select from pg_stat_activity where application_name = ${applicationName} and datname = current_database()`);
      return rows.length;
    },
    async asleep() {
      for (let rows: unknown[] = []; rows.length === 0; ) {
        rows = await admin.query(sql`
          select from pg_stat_activity where application_name = 'path test' and datname = current_database()
            and state = 'active' and wait_event = 'PgSleep'`);
      }
    },
    async close() {
      await Promise.all(paths.map((path) => path.stop()));
      await db.drop();
    },
  };
}

/** Returns a request like those of the REST service, signed in as `sub` or anonymous. */
export function request(sub: string | undefined, text: string, rest: Partial<PathRequest> = {}): PathRequest {
  const role = sub === undefined ? 'anon' : 'authenticated';
  return {
    role,
    settings: [
      ['role', role],
      ['search_path', 'public'],
      ['request.jwt.claims', JSON.stringify(sub === undefined ? { role } : { role, sub })],
      ...(sub === undefined ? [] : [['request.jwt.claim.sub', sub] as const]),
    ],
    statement: { key: text, text },
    params: [],
    access: 'read only',
    lane: 'shared',
    ...rest,
  };
}

export function texts(result: PathResult): (string | null)[][] {
  return result.rows.map((row) => row.map((cell) => cell?.toString() ?? null));
}

export const WHO = `select current_user, session_user, coalesce(current_setting('request.jwt.claim.sub', true), '')`;
