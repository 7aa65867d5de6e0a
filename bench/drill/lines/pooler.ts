/** Users read and write their own rows through PgBouncer in transaction mode. */
import { tokenOf, userId } from '../../realtime/server.ts';
import type { Line } from '../report.ts';
import { ownsPort } from '../sockets.ts';
import { inWorld, type World } from '../world.ts';

const users = 12;
const seconds = 20;

const schema = `
  create table public.notes (
    id bigint generated always as identity primary key,
    owner uuid not null default auth.uid(),
    text text not null);
  create index on public.notes (owner, id);
  alter table public.notes enable row level security;
  create policy own on public.notes to authenticated using (owner = (select auth.uid()));
  grant all on public.notes to authenticated;
  create function public.keep_setting(value text) returns text language sql volatile
    as $$ select set_config('request.jwt.claims', value, false) $$;
  notify pgrst, 'reload schema'`;

interface Seen {
  requests: number;
  foreignRows: number;
  wrongCounts: number;
  errors: string[];
}

/** Writes and reads as one user, on all nodes in turn, until the time is over. */
async function act({ nodes, keys }: World, user: number, seen: Seen): Promise<void> {
  const headers = {
    apikey: keys.PUBLISHABLE_KEY,
    authorization: `Bearer ${tokenOf(keys.JWT_SECRET, user)}`,
    'content-type': 'application/json',
  };
  const until = performance.now() + seconds * 1000;
  let written = 0;
  for (let turn = user; performance.now() < until; turn++) {
    const url = `${nodes[turn % nodes.length]?.url}/rest/v1`;
    const call = async (path: string, body?: object): Promise<unknown> => {
      seen.requests++;
      const init = body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) };
      const response = await fetch(`${url}${path}`, init);
      const text = await response.text();
      if (!response.ok) seen.errors.push(`${response.status} ${text.slice(0, 200)}`);
      else if (path === '/notes') written++;
      return response.ok && text !== '' ? JSON.parse(text) : undefined;
    };
    // A function that sets the claims of the session must not affect the next request of another user.
    if (turn % 7 === 0) await call('/rpc/keep_setting', { value: JSON.stringify({ sub: userId(user) }) });
    await call('/notes', { text: 'a note' });
    const rows = ((await call('/notes?select=owner')) ?? []) as { owner: string }[];
    seen.foreignRows += rows.filter(({ owner }) => owner !== userId(user)).length;
    if (rows.length !== Math.min(written, 1000)) seen.wrongCounts++;
  }
}

export const pooler: Line = {
  name: 'pooler',
  title: `${users} users read and write through PgBouncer in transaction mode`,
  run: (check) =>
    inWorld({ pooler: true, nats: true, schema }, async (world) => {
      const seen: Seen = { requests: 0, foreignRows: 0, wrongCounts: 0, errors: [] };
      await Promise.all(Array.from({ length: users }, (_, user) => act(world, user, seen)));
      check({
        name: 'rows',
        figure:
          `${seen.requests} requests: ${seen.foreignRows} rows of other users, ${seen.wrongCounts} wrong counts, ` +
          `${seen.errors.length} errors ${seen.errors[0] ?? ''}`,
        limit: 'no rows of other users, no wrong counts, no errors',
        isMet: seen.foreignRows === 0 && seen.wrongCounts === 0 && seen.errors.length === 0,
      });
      // Only the sessions that receive notifications connect directly.
      const client = await world.connect();
      const { rows } = await client.query(
        `select client_port as port from pg_stat_activity where usename = 'authenticator' and query !~* '^listen'`,
      );
      const pid = world.pooler?.pid as number;
      const direct = rows.filter(({ port }) => !ownsPort(pid, port)).length;
      check({
        name: "sessions of requests that aren't PgBouncer's",
        figure: `${direct} of ${rows.length}`,
        limit: '0',
        isMet: direct === 0 && rows.length > 0,
      });
    }),
};
