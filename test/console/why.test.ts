/**
 * Why: for each case the explanation has to come to what the database really does, which is asked here in another way:
 * through REST, with a token that this project signed.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/kernel/sql.ts';
import { type Backend, type Operator, operator, startBackend } from './harness.ts';

let backend: Backend;
let owner: Operator;

const ada = '11111111-1111-4111-8111-111111111111';
const eve = '22222222-2222-4222-8222-222222222222';

const schema = `
  create table public.plain (id int primary key, body text);
  insert into public.plain values (1, 'a');

  create table public.closed (id int primary key, body text);
  alter table public.closed enable row level security;
  insert into public.closed values (1, 'a');

  create table public.notes (id int primary key, owner uuid default auth.uid(), body text, public boolean not null default false,
    locked boolean not null default false, level int);
  alter table public.notes enable row level security;
  insert into public.notes values (1, '${ada}', 'hers', false, false, 1), (2, '${eve}', 'another''s', false, false, null),
    (3, '${eve}', 'for all', true, false, 3), (4, '${ada}', 'locked', false, true, 4), (5, null, 'nobody''s', false, false, 5);
  create policy "read own or public" on public.notes for select using (owner = auth.uid() or public);
  create policy "write own" on public.notes for insert to authenticated with check (owner = (select auth.uid()));
  create policy "change own" on public.notes for update to authenticated using (owner = auth.uid()) with check (owner = auth.uid() and level < 10);
  create policy "remove own" on public.notes for delete to authenticated using (owner = auth.uid());
  create policy "locked stays" on public.notes as restrictive for update using (not locked);
  create policy "editors" on public.notes for update to why_editor using (true) with check (body <> 'no');

  create table public.members (room int, who uuid);
  alter table public.members enable row level security;
  create policy "see own" on public.members for select using (who = auth.uid());
  insert into public.members values (1, '${ada}'), (2, '${eve}');
  create table public.rooms (id int primary key, name text);
  alter table public.rooms enable row level security;
  insert into public.rooms values (1, 'a'), (2, 'b');
  create policy "members" on public.rooms using (exists (select 1 from public.members m where m.room = rooms.id and m.who = auth.uid()));

  create table public.hidden_members (room int, who uuid);
  revoke all on public.hidden_members from anon, authenticated, service_role;
  create table public.halls (id int primary key);
  alter table public.halls enable row level security;
  insert into public.halls values (1);
  create policy "members" on public.halls using (exists (select 1 from public.hidden_members m where m.room = halls.id));

  create function public.is_staff() returns boolean language sql stable security definer set search_path = '' as
    $$ select coalesce(auth.jwt() -> 'app_metadata' ->> 'staff', 'false')::boolean $$;
  create table public.staff_notes (id int primary key, body text);
  alter table public.staff_notes enable row level security;
  insert into public.staff_notes values (1, 'x');
  create policy "staff" on public.staff_notes using (public.is_staff());

  create function public.no_entry() returns boolean language sql stable as $$ select true $$;
  revoke execute on function public.no_entry() from public, anon, authenticated, service_role;
  create table public.barred (id int primary key);
  alter table public.barred enable row level security;
  insert into public.barred values (1);
  create policy "barred" on public.barred using (public.no_entry());

  create table public.ungranted (id int primary key, body text);
  insert into public.ungranted values (1, 'x');
  revoke all on public.ungranted from anon, authenticated, service_role;
  grant select (id) on public.ungranted to authenticated;

  create schema inner_rooms;
  create table public.serial_notes (id serial primary key, body text);
  revoke all on sequence public.serial_notes_id_seq from anon, authenticated, service_role;
  create table public.identity_notes (id int generated always as identity primary key, body text);

  create table public.forced (id int primary key, body text);
  alter table public.forced owner to why_landlord;
  insert into public.forced values (1, 'x');
  create table public.owned (id int primary key, body text);
  insert into public.owned values (1, 'x');
  alter table public.owned owner to why_landlord;
  grant select on public.owned, public.forced to authenticated;
  alter table public.owned enable row level security;
  alter table public.forced enable row level security;
  alter table public.forced force row level security;

  create table public.stamped (id int primary key, owner uuid, body text);
  alter table public.stamped enable row level security;
  create function public.stamp() returns trigger language plpgsql as $$ begin new.owner = auth.uid(); return new; end $$;
  create trigger stamp before insert on public.stamped for each row execute function public.stamp();
  create policy "stamped" on public.stamped for insert with check (owner = auth.uid());

  create table public.only_restrictive (id int primary key);
  alter table public.only_restrictive enable row level security;
  insert into public.only_restrictive values (1);
  create policy "r" on public.only_restrictive as restrictive using (true);

  create table public.faulty (id int primary key, n int);
  alter table public.faulty enable row level security;
  insert into public.faulty values (1, 0);
  create policy "f" on public.faulty using (10 / n > 1);

  create table public."We""ird" (id int primary key, "ow""ner" uuid, "a and b" boolean);
  alter table public."We""ird" enable row level security;
  insert into public."We""ird" values (1, '${ada}', true);
  create policy "p""q" on public."We""ird" using ("ow""ner" = auth.uid() and "a and b");

  create view public.notes_view as select * from public.notes;
  create view public.notes_invoker with (security_invoker) as select * from public.notes;
  grant select on public.notes_view, public.notes_invoker to anon, authenticated;

  create table public.typed (id int primary key, t text[], j jsonb, r int4range, n numeric);
  alter table public.typed enable row level security;
  insert into public.typed values (1, array['a,b','c"d'], '{"k": null}', '[1,5)', 1.50);
  create policy "t" on public.typed using (t @> array['a,b'] and (j ? 'k') and r @> 3 and n = 1.5);
  create function public.whole(t public.typed) returns boolean language sql stable as $$ select t.n > 1 $$;
  create policy "whole" on public.typed as restrictive using (public.whole(typed));
`;

beforeAll(async () => {
  backend = await startBackend();
  owner = await operator(backend);
  // Roles belong to the cluster, which other tests share: their names are those of this file.
  await backend.database.pool('supabase_admin').exec(`
    create role why_editor nologin; grant why_editor to authenticator; grant authenticated to why_editor;
    create role why_auditor nologin bypassrls; grant why_auditor to authenticator;
    create role why_landlord nologin; grant why_landlord to authenticator, postgres;
    grant usage, create on schema public to why_landlord;
    set role postgres; ${schema}; reset role; notify pgrst, 'reload schema'`);
  // REST knows the tables once it has heard of them.
  while ((await rest('typed', 'GET')).status !== 200) await new Promise((resolve) => setTimeout(resolve, 50));
});
afterAll(async () => {
  await backend?.database
    .pool('supabase_admin')
    .exec(
      'drop owned by why_landlord, why_editor, why_auditor cascade; drop role why_editor, why_auditor, why_landlord',
    )
    .catch(() => undefined);
  await backend?.stop();
});

type Cells = Record<string, string | null>;
interface Case {
  readonly what: string;
  /** Claims; undefined: anon. */
  readonly as?: Record<string, unknown>;
  readonly operation: 'select' | 'insert' | 'update' | 'delete';
  readonly table: string;
  readonly key?: Cells;
  readonly values?: Cells;
  readonly returned?: string[];
  readonly verdict: 'allowed' | 'hidden' | 'refused';
  readonly reason: string;
  /** The explanation knows nothing of constraints. */
  readonly disagrees?: true;
}

const user = (sub: string, more: object = {}) => ({ role: 'authenticated', sub, ...more });
const row = (id: number) => ({ key: { id: String(id) } });

const cases: readonly Case[] = [
  {
    what: 'no row-level security',
    operation: 'select',
    table: 'plain',
    ...row(1),
    verdict: 'allowed',
    reason: 'not-secured',
  },
  {
    what: 'a row that is not there',
    operation: 'select',
    table: 'plain',
    ...row(9),
    verdict: 'hidden',
    reason: 'no-row',
  },
  {
    what: 'row-level security without a policy',
    operation: 'select',
    table: 'closed',
    ...row(1),
    verdict: 'hidden',
    reason: 'no-policy',
  },
  {
    what: 'inserting where there is no policy',
    operation: 'insert',
    table: 'closed',
    values: { id: '5' },
    as: user(ada),
    verdict: 'refused',
    reason: 'no-policy',
  },
  {
    what: 'the service role bypasses',
    operation: 'select',
    table: 'closed',
    ...row(1),
    as: { role: 'service_role' },
    verdict: 'allowed',
    reason: 'not-secured',
  },
  {
    what: 'her own row',
    operation: 'select',
    table: 'notes',
    ...row(1),
    as: user(ada),
    verdict: 'allowed',
    reason: 'passes',
  },
  {
    what: 'another’s row',
    operation: 'select',
    table: 'notes',
    ...row(2),
    as: user(ada),
    verdict: 'hidden',
    reason: 'policy',
  },
  {
    what: 'a public row',
    operation: 'select',
    table: 'notes',
    ...row(3),
    as: user(ada),
    verdict: 'allowed',
    reason: 'passes',
  },
  {
    what: 'a public row, anonymously: NULL or true',
    operation: 'select',
    table: 'notes',
    ...row(3),
    verdict: 'allowed',
    reason: 'passes',
  },
  {
    what: 'a private row, anonymously: NULL',
    operation: 'select',
    table: 'notes',
    ...row(1),
    verdict: 'hidden',
    reason: 'policy',
  },
  {
    what: 'a row of nobody: NULL',
    operation: 'select',
    table: 'notes',
    ...row(5),
    as: user(ada),
    verdict: 'hidden',
    reason: 'policy',
  },
  {
    what: 'inserting her own',
    operation: 'insert',
    table: 'notes',
    values: { id: '10', owner: ada },
    as: user(ada),
    verdict: 'allowed',
    reason: 'passes',
  },
  {
    what: 'inserting with the default',
    operation: 'insert',
    table: 'notes',
    values: { id: '11' },
    as: user(ada),
    verdict: 'allowed',
    reason: 'passes',
  },
  {
    what: 'inserting for somebody else',
    operation: 'insert',
    table: 'notes',
    values: { id: '12', owner: eve },
    as: user(ada),
    verdict: 'refused',
    reason: 'policy',
  },
  {
    what: 'inserting anonymously: no policy for anon',
    operation: 'insert',
    table: 'notes',
    values: { id: '13' },
    verdict: 'refused',
    reason: 'no-policy',
  },
  {
    what: 'inserting and wanting it back',
    operation: 'insert',
    table: 'notes',
    values: { id: '14', owner: ada },
    returned: ['id'],
    as: user(ada),
    verdict: 'allowed',
    reason: 'passes',
  },
  {
    what: 'changing her own',
    operation: 'update',
    table: 'notes',
    ...row(1),
    values: { body: 'x' },
    as: user(ada),
    verdict: 'allowed',
    reason: 'passes',
  },
  {
    what: 'changing another’s',
    operation: 'update',
    table: 'notes',
    ...row(2),
    values: { body: 'x' },
    as: user(ada),
    verdict: 'hidden',
    reason: 'policy',
  },
  {
    what: 'changing what is public but not hers',
    operation: 'update',
    table: 'notes',
    ...row(3),
    values: { body: 'x' },
    as: user(ada),
    verdict: 'hidden',
    reason: 'policy',
  },
  {
    what: 'changing what is locked: restrictive',
    operation: 'update',
    table: 'notes',
    ...row(4),
    values: { body: 'x' },
    as: user(ada),
    verdict: 'hidden',
    reason: 'restrictive',
  },
  {
    what: 'locking it: the restrictive USING is the check',
    operation: 'update',
    table: 'notes',
    ...row(1),
    values: { locked: 'true' },
    as: user(ada),
    verdict: 'refused',
    reason: 'restrictive',
  },
  {
    what: 'giving it away',
    operation: 'update',
    table: 'notes',
    ...row(1),
    values: { owner: eve },
    as: user(ada),
    verdict: 'refused',
    reason: 'policy',
  },
  {
    what: 'a new value the check refuses',
    operation: 'update',
    table: 'notes',
    ...row(1),
    values: { level: '50' },
    as: user(ada),
    verdict: 'refused',
    reason: 'policy',
  },
  {
    what: 'a new value the check answers with NULL',
    operation: 'update',
    table: 'notes',
    ...row(1),
    values: { level: null },
    as: user(ada),
    verdict: 'refused',
    reason: 'policy',
  },
  {
    what: 'a role that inherits another’s policies',
    operation: 'update',
    table: 'notes',
    ...row(1),
    values: { body: 'x' },
    as: { role: 'why_editor', sub: ada },
    verdict: 'allowed',
    reason: 'passes',
  },
  {
    what: 'editors pass by one policy or the other',
    operation: 'update',
    table: 'notes',
    ...row(1),
    values: { body: 'no' },
    as: { role: 'why_editor', sub: ada },
    verdict: 'allowed',
    reason: 'passes',
  },
  {
    what: 'editors change only what they see',
    operation: 'update',
    table: 'notes',
    ...row(2),
    values: { body: 'x' },
    as: { role: 'why_editor', sub: ada },
    verdict: 'hidden',
    reason: 'policy',
  },
  {
    what: 'editors: what is public is theirs to change',
    operation: 'update',
    table: 'notes',
    ...row(3),
    values: { body: 'x' },
    as: { role: 'why_editor', sub: ada },
    verdict: 'allowed',
    reason: 'passes',
  },
  {
    what: 'removing her own',
    operation: 'delete',
    table: 'notes',
    ...row(1),
    as: user(ada),
    verdict: 'allowed',
    reason: 'passes',
  },
  {
    what: 'removing another’s',
    operation: 'delete',
    table: 'notes',
    ...row(2),
    as: user(ada),
    verdict: 'hidden',
    reason: 'policy',
  },
  {
    what: 'removing what is public but not hers',
    operation: 'delete',
    table: 'notes',
    ...row(3),
    as: user(ada),
    verdict: 'hidden',
    reason: 'policy',
  },
  {
    what: 'removing anonymously',
    operation: 'delete',
    table: 'notes',
    ...row(3),
    verdict: 'hidden',
    reason: 'no-policy',
  },
  {
    what: 'a subselect that finds a member',
    operation: 'select',
    table: 'rooms',
    ...row(1),
    as: user(ada),
    verdict: 'allowed',
    reason: 'passes',
  },
  {
    what: 'a subselect whose own policies hide the member',
    operation: 'select',
    table: 'rooms',
    ...row(2),
    as: user(ada),
    verdict: 'hidden',
    reason: 'policy',
  },
  {
    what: 'a subselect on a table without a grant',
    operation: 'select',
    table: 'halls',
    ...row(1),
    as: user(ada),
    verdict: 'refused',
    reason: 'evaluation',
  },
  {
    what: 'a security definer function says yes',
    operation: 'select',
    table: 'staff_notes',
    ...row(1),
    as: user(ada, { app_metadata: { staff: true } }),
    verdict: 'allowed',
    reason: 'passes',
  },
  {
    what: 'a security definer function says no',
    operation: 'select',
    table: 'staff_notes',
    ...row(1),
    as: user(ada),
    verdict: 'hidden',
    reason: 'policy',
  },
  {
    what: 'a function that may not be called',
    operation: 'select',
    table: 'barred',
    ...row(1),
    as: user(ada),
    verdict: 'refused',
    reason: 'grant',
  },
  {
    what: 'no grant at all',
    operation: 'select',
    table: 'ungranted',
    ...row(1),
    returned: ['id'],
    verdict: 'refused',
    reason: 'grant',
  },
  {
    what: 'a grant on the column',
    operation: 'select',
    table: 'ungranted',
    ...row(1),
    returned: ['id'],
    as: user(ada),
    verdict: 'allowed',
    reason: 'not-secured',
  },
  {
    what: 'no grant on another column',
    operation: 'select',
    table: 'ungranted',
    ...row(1),
    returned: ['id', 'body'],
    as: user(ada),
    verdict: 'refused',
    reason: 'grant',
  },
  {
    what: 'no grant to write',
    operation: 'update',
    table: 'ungranted',
    ...row(1),
    values: { body: 'x' },
    as: user(ada),
    verdict: 'refused',
    reason: 'grant',
  },
  {
    what: 'no grant to delete',
    operation: 'delete',
    table: 'ungranted',
    ...row(1),
    as: user(ada),
    verdict: 'refused',
    reason: 'grant',
  },
  {
    what: 'no grant on the sequence of a default',
    operation: 'insert',
    table: 'serial_notes',
    values: { body: 'x' },
    as: user(ada),
    verdict: 'refused',
    reason: 'grant',
  },
  {
    what: 'the sequence is not needed when the value is given',
    operation: 'insert',
    table: 'serial_notes',
    values: { id: '900', body: 'x' },
    as: user(ada),
    verdict: 'allowed',
    reason: 'not-secured',
  },
  {
    what: 'an identity column needs none',
    operation: 'insert',
    table: 'identity_notes',
    values: { body: 'x' },
    as: user(ada),
    verdict: 'allowed',
    reason: 'not-secured',
  },
  {
    what: 'the owner of a table',
    operation: 'select',
    table: 'owned',
    ...row(1),
    as: { role: 'why_landlord' },
    verdict: 'allowed',
    reason: 'not-secured',
  },
  {
    what: 'the owner where it is forced',
    operation: 'select',
    table: 'forced',
    ...row(1),
    as: { role: 'why_landlord' },
    verdict: 'hidden',
    reason: 'no-policy',
  },
  {
    what: 'a trigger sets what the check wants',
    operation: 'insert',
    table: 'stamped',
    values: { id: '1', owner: eve },
    as: user(ada),
    verdict: 'allowed',
    reason: 'passes',
  },
  {
    what: 'the trigger has nothing to set',
    operation: 'insert',
    table: 'stamped',
    values: { id: '1', owner: eve },
    verdict: 'refused',
    reason: 'policy',
  },
  {
    what: 'the new row is wanted back and no policy shows it',
    operation: 'insert',
    table: 'stamped',
    values: { id: '1' },
    returned: ['id'],
    as: user(ada),
    verdict: 'refused',
    reason: 'no-policy',
  },
  {
    what: 'restrictive policies alone admit nothing',
    operation: 'select',
    table: 'only_restrictive',
    ...row(1),
    as: user(ada),
    verdict: 'hidden',
    reason: 'no-policy',
  },
  {
    what: 'a condition that fails',
    operation: 'select',
    table: 'faulty',
    ...row(1),
    as: user(ada),
    verdict: 'refused',
    reason: 'evaluation',
  },
  {
    what: 'names that need quotes',
    operation: 'select',
    table: 'We"ird',
    ...row(1),
    as: user(ada),
    verdict: 'allowed',
    reason: 'passes',
  },
  {
    what: 'names that need quotes, another’s',
    operation: 'select',
    table: 'We"ird',
    ...row(1),
    as: user(eve),
    verdict: 'hidden',
    reason: 'policy',
  },
  {
    what: 'a row of every type, whole',
    operation: 'select',
    table: 'typed',
    ...row(1),
    as: user(ada),
    verdict: 'allowed',
    reason: 'passes',
  },
  {
    what: 'a role that bypasses, without a grant',
    operation: 'select',
    table: 'ungranted',
    ...row(1),
    returned: ['id'],
    as: { role: 'why_auditor' },
    verdict: 'refused',
    reason: 'grant',
  },
  {
    what: 'a view asks as its owner',
    operation: 'select',
    table: 'notes_view',
    ...row(2),
    verdict: 'allowed',
    reason: 'not-secured',
  },
  {
    what: 'a constraint stands behind the policies',
    operation: 'insert',
    table: 'notes',
    values: { id: '1', owner: ada },
    as: user(ada),
    verdict: 'refused',
    reason: 'passes',
    disagrees: true,
  },
  {
    what: 'a view that asks as whoever uses it shows her own',
    operation: 'select',
    table: 'notes_invoker',
    ...row(1),
    as: user(ada),
    verdict: 'allowed',
    reason: 'passes',
  },
  {
    what: 'a view that asks as whoever uses it hides another’s',
    operation: 'select',
    table: 'notes_invoker',
    ...row(2),
    as: user(ada),
    verdict: 'hidden',
    reason: 'policy',
  },
];

const address = (claims: object | undefined): string =>
  claims === undefined ? 'anon' : `claims:${Buffer.from(JSON.stringify(claims)).toString('base64url')}`;

const ask = ({ as, operation, table, key = {}, values = {}, returned = [] }: Case) =>
  owner.call('POST', '/why', { schema: 'public', table, as: address(as), operation, key, values, returned });

const state = async (): Promise<unknown> =>
  (
    await backend.database.pool('supabase_admin').query<{ all: string }>(sql`
      select md5(string_agg(n::text, '|' order by n::text)) as all from (
        select n::text from public.notes n union all select s::text from public.stamped s
        union all select s::text from public.serial_notes s union all select i::text from public.identity_notes i) x (n)`)
  )[0]?.all;

const rest = (path: string, method: string, init: RequestInit = {}): Promise<Response> =>
  backend.fetch(`/rest/v1/${path}`, {
    ...init,
    method,
    headers: { apikey: backend.keys.publishableKey, ...(init.headers as Record<string, string>) },
  });

/** What a client of the project meets, and what it leaves is put back. */
async function byRest({ as, operation, table, key = {}, values = {}, returned = [] }: Case): Promise<string> {
  const token = as === undefined ? undefined : backend.keys.sign(as);
  const query = new URLSearchParams(Object.entries(key).map(([name, value]) => [name, `eq.${value}`]));
  if (returned.length > 0) query.set('select', returned.join(','));
  const method = { select: 'GET', insert: 'POST', update: 'PATCH', delete: 'DELETE' }[operation];
  const answer = await rest(`${encodeURIComponent(table)}?${query}`, method, {
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      'content-type': 'application/json',
      prefer: `return=${returned.length > 0 ? 'representation' : 'minimal'},count=exact`,
    },
    ...(operation === 'insert' || operation === 'update' ? { body: JSON.stringify(values) } : {}),
  });
  const text = await answer.text();
  if (!answer.ok) {
    // Refused by the database, and not by REST itself.
    expect((JSON.parse(text) as { code: string }).code).toMatch(/^(?:42501|22012|23505)$/);
    return 'refused';
  }
  if (operation === 'select') return (JSON.parse(text) as unknown[]).length > 0 ? 'allowed' : 'hidden';
  if (operation === 'insert') return 'allowed';
  return answer.headers.get('content-range')?.endsWith('/0') ? 'hidden' : 'allowed';
}

/** REST commits: the tables are as they were after each case. */
async function restoring<T>(work: () => Promise<T>): Promise<T> {
  const admin = backend.database.pool('supabase_admin');
  const tables = ['notes', 'stamped', 'serial_notes', 'identity_notes', 'closed'];
  await admin.exec(
    tables.map((name) => `create table _plinth.kept_${name} as select * from public.${name}`).join(';'),
  );
  try {
    return await work();
  } finally {
    await admin.exec(
      tables
        .map(
          (name) =>
            `delete from public.${name}; insert into public.${name} overriding system value select * from _plinth.kept_${name}; drop table _plinth.kept_${name}`,
        )
        .join(';'),
    );
  }
}

describe('the explanation comes to what the database does', () => {
  test.each(cases.map((each) => [each.what, each] as const))('%s', async (_what, each) => {
    const before = await state();
    const { status, body } = await ask(each);
    expect([status, body.message]).toEqual([200, undefined]);
    expect(await state()).toBe(before);
    const met = await restoring(() => byRest(each));
    expect({ met, truth: body.truth.verdict }).toEqual({ met: each.verdict, truth: each.verdict });
    expect({
      explained: body.explanation.verdict,
      reason: body.explanation.reason,
      agrees: body.agrees,
    }).toEqual({
      explained: each.disagrees ? 'allowed' : each.verdict,
      reason: each.reason,
      agrees: each.disagrees !== true,
    });
  });

  test('and there are enough of them', () => {
    expect(cases.length).toBeGreaterThanOrEqual(40);
  });
});

describe('an answer', () => {
  const find = (what: string): Case => {
    const found = cases.find((each) => each.what === what);
    if (found === undefined) throw new Error(what);
    return found;
  };

  test('has each part of a condition with its value and what was compared', async () => {
    const { body } = await ask(find('another’s row'));
    const [gate] = body.gates;
    expect(gate).toMatchObject({ clause: 'using', command: 'select', effect: 'hides', passes: false });
    expect(gate.policies[0]).toMatchObject({ name: 'read own or public', applies: true, value: false });
    expect(gate.policies[0].tree).toMatchObject({
      kind: 'or',
      value: false,
      parts: [
        {
          text: 'owner = auth.uid()',
          value: false,
          operands: [
            { text: 'owner', value: eve },
            { text: 'auth.uid()', value: ada },
          ],
        },
        { text: 'public', value: false },
      ],
    });
  });

  test('says what grant is missing, and giving it helps', async () => {
    const missing = find('no grant on the sequence of a default');
    const { body } = await ask(missing);
    const [need] = body.needs.filter(({ held }: { held: boolean }) => !held);
    expect(need).toMatchObject({
      kind: 'sequence',
      fix: 'grant usage on sequence public.serial_notes_id_seq to authenticated;',
    });
    await backend.database.pool('postgres').exec(need.fix);
    expect((await ask(missing)).body.truth.verdict).toBe('allowed');
    await backend.database
      .pool('postgres')
      .exec('revoke usage on sequence public.serial_notes_id_seq from authenticated');
  });

  test('says what runs with the rights of another', async () => {
    const { body } = await ask(find('a security definer function says no'));
    expect(body.gates[0].policies[0].functions).toEqual([
      { name: 'public.is_staff()', securityDefiner: true, owner: 'postgres', mayExecute: true },
    ]);
    const view = await ask(find('a view asks as its owner'));
    expect(view.body.through).toMatchObject([
      { name: 'notes', role: 'postgres', security: 'owner', mayRead: true },
    ]);
  });

  test('of a role that no request may have is what the database says', async () => {
    const { body } = await ask({ ...find('no row-level security'), as: { role: 'supabase_admin' } });
    expect(body.truth).toMatchObject({ verdict: 'refused', sqlstate: '42501' });
    const nobody = await ask({ ...find('no row-level security'), as: { role: 'no one' } });
    expect([nobody.status, nobody.body.roleExists]).toEqual([200, false]);
  });

  test.each([
    'her own row',
    'another’s row',
    'giving it away',
    'inserting her own',
    'no grant at all',
    'removing another’s',
  ])('is a pgTAP test that passes: %s', async (what) => {
    const { as, operation, table, key = {}, values = {}, returned = [] } = find(what);
    const { body } = await owner.call('POST', '/why/pgtap', {
      schema: 'public',
      table,
      as: address(as),
      operation,
      key,
      values,
      returned,
    });
    expect(body.text).toMatch(/^begin;\nselect plan\(1\);/);
    const pool = backend.database.pool('supabase_admin');
    await pool.exec(tapInMiniature);
    const lines = await pool.transaction(
      async (tx) => {
        const found: string[] = [];
        for (const statement of body.text.split(/;\n/).slice(1, -1)) {
          const { rows } = await tx.queryText(sql.raw(statement.replace(/^\s*--.*$/gm, '')));
          found.push(...rows.map(([cell]) => cell ?? ''));
        }
        return found;
      },
      { end: 'rollback' },
    );
    expect(lines.filter((line) => /^(not )?ok/.test(line))).toEqual([expect.stringMatching(/^ok 1/)]);
  });
});

/** The few functions of pgTAP that are used, so that the tests can be run where the extension is not installed. */
const tapInMiniature = `
  create or replace function public.plan(int) returns text language sql as $$ select '1..' || $1 $$;
  create or replace function public.finish() returns setof text language sql as $$ select null::text where false $$;
  create or replace function public.isnt_empty(q text, d text) returns text language plpgsql as
    $$ declare r record; begin execute q into r; return case when r is null then 'not ok 1 - ' else 'ok 1 - ' end || d; end $$;
  create or replace function public.is_empty(q text, d text) returns text language plpgsql as
    $$ declare r record; begin execute q into r; return case when r is null then 'ok 1 - ' else 'not ok 1 - ' end || d; end $$;
  create or replace function public.throws_ok(q text, s text, m text, d text) returns text language plpgsql as
    $$ begin execute q; return 'not ok 1 - ' || d; exception when others then
       return case when sqlstate = s then 'ok 1 - ' else 'not ok 1 - ' end || d; end $$;
`;

describe('as an attacker', () => {
  const notes = { schema: 'public', table: 'notes', as: 'anon', operation: 'select', key: { id: '1' } };
  const call = (body: object, who = owner) => who.call('POST', '/why', { ...notes, ...body });

  test('SQL in names and values is text', async () => {
    expect((await call({ table: 'notes; drop table public.notes' })).status).toBe(404);
    expect((await call({ key: { 'id = 1 or true --': '1' } })).status).toBe(400);
    expect((await call({ returned: ['id, (select 1)'] })).status).toBe(400);
    expect((await call({ operation: 'update', values: { 'body = now()': 'x' } })).status).toBe(400);
    const { body } = await call({
      operation: 'insert',
      as: 'operator',
      values: { id: '70', body: `'); drop table public.notes; --` },
    });
    expect(body.truth.verdict).toBe('allowed');
    expect((await call({ key: { id: `1'; drop table public.notes; --` } })).body.code).toBe('database');
    expect((await call({})).status).toBe(200);
  });

  test('our own tables are not there, and secrets take the permission for them', async () => {
    await backend.operators.createOperator('looker', 'read-only');
    const looker = await operator(backend, 'looker');
    expect((await call({ schema: '_plinth', table: 'operators' })).status).toBe(404);
    expect((await call({ schema: 'pg_catalog', table: 'pg_authid' })).status).toBe(404);
    expect((await call({ schema: 'auth', table: 'users' }, looker)).status).toBe(403);
    expect((await call({}, looker)).status).toBe(200);
    for (const operation of ['insert', 'update', 'delete'])
      expect((await call({ operation, values: { id: '1' } }, looker)).status).toBe(403);
  });

  test('a policy that writes leaves nothing behind', async () => {
    await backend.database.pool('postgres').exec(`
      create function public.note_it() returns boolean language plpgsql security definer as
        $$ begin insert into public.keyless values ('by a policy'); return true; end $$;
      create table public.watched (id int primary key);
      alter table public.watched enable row level security;
      insert into public.watched values (1);
      create policy w on public.watched using (public.note_it());
    `);
    for (const operation of ['select', 'delete']) {
      const { body } = await call({ table: 'watched', operation });
      expect(body.truth.verdict).toMatch(/allowed|refused/);
    }
    const [row] = await backend.database
      .pool('postgres')
      .query<{ n: number }>(sql`select count(*)::int as n from public.keyless where name = 'by a policy'`);
    expect(row?.n).toBe(0);
  });
});
