/** Tests that a start converts the SQL-only extension `vector` of Plinth 0.2 to pgvector. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Logger } from '../../src/base/kernel/log.ts';
import { sql } from '../../src/base/kernel/sql.ts';
import { createDatabase, type Database, type Row } from '../../src/platform/database/index.ts';
import { copyTemplateFolder } from '../../src/platform/database/testing/template-folder.ts';
import { missingPack } from '../support/packs.ts';
import { writeFormerExtension } from './former-vector.ts';
import { killEverything, temporaryFolder } from './helpers.ts';

let folder: ReturnType<typeof temporaryFolder>;
let database: Database | undefined;
const progress: string[] = [];

async function start(): Promise<Database> {
  await database?.stop();
  progress.length = 0;
  database = await createDatabase({
    dataDir: folder.path,
    durable: false,
    onProgress: (message) => progress.push(message),
  });
  return database;
}

beforeEach(async () => {
  folder = temporaryFolder();
  await copyTemplateFolder(folder.path);
  await start();
});
afterEach(async () => {
  await database?.stop();
  database = undefined;
  killEverything(folder.path);
  folder.remove();
});

const exec = (text: string) => database?.pool('postgres').exec(text);
const rows = async (text: string): Promise<Row[]> =>
  (await database?.pool('postgres').query(sql.raw(text))) ?? [];

/** Returns a description of all objects of the extension. */
const members = () =>
  rows(`select pg_describe_object(d.classid, d.objid, 0) as object,
      p.prosrc, p.probin, p.proisstrict, p.provolatile, p.proparallel,
      t.typinput::regproc::text, t.typoutput::regproc::text, t.typreceive::regproc::text, t.typsend::regproc::text, t.typstorage,
      o.oprcode::text, o.oprrest::text, o.oprjoin::text, o.oprcanhash, m.amhandler::text,
      (select array_agg(format('%s %s', amopstrategy, amopopr::regoperator) order by 1) from pg_amop where amopfamily = c.opcfamily)::text as operators,
      (select array_agg(format('%s %s', amprocnum, amproc::regprocedure) order by 1) from pg_amproc where amprocfamily = c.opcfamily)::text as functions
    from pg_depend d join pg_extension e on e.oid = d.refobjid
    left join pg_proc p on d.classid = 'pg_proc'::regclass and p.oid = d.objid
    left join pg_type t on d.classid = 'pg_type'::regclass and t.oid = d.objid
    left join pg_operator o on d.classid = 'pg_operator'::regclass and o.oid = d.objid
    left join pg_am m on d.classid = 'pg_am'::regclass and m.oid = d.objid
    left join pg_opclass c on d.classid = 'pg_opclass'::regclass and c.oid = d.objid
    where d.refclassid = 'pg_extension'::regclass and d.deptype = 'e' and e.extname = 'vector' order by 1`);

describe.skipIf(await missingPack('vector'))('converting vector', () => {
  test('columns, indexes and all other objects that use the types work as before', async () => {
    writeFormerExtension(folder.path);
    await exec(`create extension vector with schema extensions;
      create table items (id int primary key, note text, dropped int, embedding extensions.vector(3) default '[1,1,1]',
        h extensions.halfvec(2), s extensions.sparsevec(4), list extensions.vector(2)[], any_size extensions.vector);
      alter table items drop column dropped;
      insert into items (id, embedding, h, s, list, any_size)
      select n, array[n, 1, 0]::extensions.vector, '[1, 2]', '{2:1.5}/4', array['[1,2]', '[3, 4]']::extensions.vector(2)[], '[ 1,2,3,4 ]'
      from generate_series(1, 10000) n;
      insert into items (id) values (0);
      alter table items add column added extensions.vector(2) default '[5, 6]';
      create index near on items using hnsw (embedding extensions.vector_l2_ops);
      create index unsized on items using hnsw (any_size extensions.vector_l2_ops);
      create index by_cast on items using hnsw ((any_size::extensions.vector(4)) extensions.vector_l2_ops);
      create index equal on items (h);
      create domain embedding as extensions.vector(2);
      create table parts (id int, e embedding) partition by range (id);
      create table parts_1 partition of parts for values from (0) to (10);
      create table parts_2 partition of parts for values from (10) to (20);
      create index on parts using hnsw ((e::extensions.vector(2)) extensions.vector_cosine_ops);
      insert into parts values (1, '[1,2]'), (11, '[3,4]');
      create view shown with (security_invoker = true) as
        select id, embedding::text as text, note::extensions.vector(3) as noted, embedding from items where embedding <> '[9,9,9]'::extensions.vector;
      create view above as select id, embedding <-> '[0,0,0]' as distance, text from shown;
      create materialized view kept as select id, embedding, embedding::text as text from items where id < 5;
      alter table items enable row level security;
      create policy near_ones on items to authenticated using ((embedding operator(extensions.<->) '[1,1,0]'::extensions.vector(3)) < 2);
      grant select on items, above, shown to authenticated;
      create function match(query extensions.vector(3), amount int default 2) returns setof int language sql stable as $$
        select id from items order by embedding operator(extensions.<->) query limit amount $$;
      create function first_text(v extensions.vector default '[7,8]') returns text language sql immutable return v::text`);
    const second = await start();
    expect(progress).toContain('Converting the extension vector, its columns and its indexes to pgvector');
    expect(progress.at(-1)).toMatch(
      /^pgvector doesn't support these indexes, so they were dropped: .*unsized \(column does not have dimensions\)$/,
    );
    expect(
      await rows(
        `select embedding::text, h::text, s::text, list::text, any_size::text, added::text from items where id = 7`,
      ),
    ).toEqual([
      {
        embedding: '[7,1,0]',
        h: '[1,2]',
        s: '{2:1.5}/4',
        list: '{"[1,2]","[3,4]"}',
        any_size: '[1,2,3,4]',
        added: '[5,6]',
      },
    ]);
    expect(await rows('select count(*)::int, sum(vector_dims(embedding))::int as dims from items')).toEqual([
      { count: 10001, dims: 30003 },
    ]);
    expect(
      await rows(`select format_type(atttypid, atttypmod) as type from pg_attribute
      where attrelid = 'items'::regclass and attnum > 0 and not attisdropped order by attnum`),
    ).toEqual(
      [
        'integer',
        'text',
        'vector(3)',
        'halfvec(2)',
        'sparsevec(4)',
        'vector(2)[]',
        'vector',
        'vector(2)',
      ].map((type) => ({ type })),
    );
    expect(
      await rows(
        `select (embedding <-> '[3,1,0]')::int as d, id from items order by embedding <-> '[3,1,0]' limit 2`,
      ),
    ).toMatchObject([{ d: 0, id: 3 }, { d: 1 }]);
    const plan = await rows(`explain select id from items order by embedding <-> '[3,1,0]' limit 1`);
    expect(JSON.stringify(plan)).toContain('near on items');
    expect(await rows('select e::text from parts order by id')).toEqual([{ e: '[1,2]' }, { e: '[3,4]' }]);
    await expect(rows(`insert into parts values (2, '[1]')`)).rejects.toThrow('expected 2 dimensions, not 1');
    expect(await rows('select * from above where id = 2')).toEqual([
      { id: 2, distance: Math.sqrt(5), text: '[2,1,0]' },
    ]);
    expect(await rows('select text from kept where id = 3')).toEqual([{ text: '[3,1,0]' }]);
    await exec('refresh materialized view kept');
    expect(await rows(`select match('[1,1,0]', 1) as id`)).toEqual([{ id: 1 }]);
    expect(await rows('select first_text() as text')).toEqual([{ text: '[7,8]' }]);
    await exec('insert into items (id) values (-1)');
    expect(await rows('select embedding::text, added::text from items where id = -1')).toEqual([
      { embedding: '[1,1,1]', added: '[5,6]' },
    ]);
    const visible = await second.asRequest({ role: 'authenticated', settings: [] }, (tx) =>
      tx.query(sql`select id from public.items where id > 0 order by id`),
    );
    expect(visible).toEqual([{ id: 1 }, { id: 2 }]);
    const converted = await members();
    await start();
    expect(progress.filter((line) => line.includes('Converting'))).toEqual([]);
    await exec('drop extension vector cascade; create extension vector with schema extensions');
    expect(converted).toEqual(await members());
  });

  test('values in composite types, arrays of them and rows of other tables are converted', async () => {
    writeFormerExtension(folder.path);
    await exec(`create extension vector with schema extensions;
      create domain label as text not null;
      create type place as (name label, at vector(2));
      create type trip as (id int, stops place[], start place);
      create table places (id int, place place default '(home,"[0,0]")', trip trip, many place[]);
      create table rows_of (id int, row places);
      insert into places values
        (1, '(a,"[1,2]")', row(7, array[row('b', '[3,4]')::place], row('c', '[5,6]')::place)::trip,
          array[row('d', '[7,8]')::place, null]),
        (2, null, null, null);
      insert into rows_of select id, p from places p;
      create index by_place on places (place);
      create view starts as select (trip).start.at <-> '[5,6]'::vector as distance from places where id = 1;
      create function at_of(p place default '(x,"[9,9]")') returns text language sql immutable return (p).at::text`);
    const before = await rows('select id, place::text, trip::text, many::text from places order by id');
    expect(before[0]).toMatchObject({ place: '(a,"[1,2]")', many: expect.stringContaining('[7,8]') });
    await start();
    expect(progress.at(-1)).toBe('Converting the extension vector, its columns and its indexes to pgvector');
    expect(await rows('select id, place::text, trip::text, many::text from places order by id')).toEqual(
      before,
    );
    expect(await rows('select (row).place::text, (row).trip::text from rows_of where id = 1')).toEqual([
      { place: before[0]?.place, trip: before[0]?.trip },
    ]);
    expect(await rows('select vector_dims((trip).stops[1].at) as dims from places where id = 1')).toEqual([
      { dims: 2 },
    ]);
    expect(await rows('select distance from starts')).toEqual([{ distance: 0 }]);
    await exec('insert into places (id) values (3)');
    expect(await rows('select at_of(), (place).at::text as at from places where id = 3')).toEqual([
      { at_of: '[9,9]', at: '[0,0]' },
    ]);
    await expect(rows(`select '(a,"[1]")'::place`)).rejects.toThrow('expected 2 dimensions, not 1');
    expect(await rows(`select indisvalid from pg_index where indexrelid = 'by_place'::regclass`)).toEqual([
      { indisvalid: true },
    ]);
  });

  test('a superuser doesn’t evaluate checks of domains in composite types, nor converts ranges', async () => {
    writeFormerExtension(folder.path);
    await exec(`create extension vector with schema extensions;
      create table callers (name text);
      create function record_caller(text) returns boolean language plpgsql as $$ begin
        insert into public.callers values (current_user); return true; end $$;
      create domain checked as text check (record_caller(value));
      create type place as (name checked, at vector(2));
      create table places (place place);
      insert into places values ('(a,"[1,2]")');
      create type span as range (subtype = vector)`);
    await start();
    expect(progress.at(-1)).toMatch(
      /couldn't be converted: these objects depend on it: .*type public.checked, .*type public.span/,
    );
    expect(await rows('select distinct name from callers')).toEqual([{ name: 'postgres' }]);
    expect(await rows('select place::text from places')).toEqual([{ place: '(a,"[1,2]")' }]);
  });

  test('a start that is killed while it creates the indexes is continued by the next start', async () => {
    writeFormerExtension(folder.path);
    await exec(`create extension vector with schema extensions;
      create table items (id int, embedding vector(2));
      insert into items select n, array[n, 1]::vector from generate_series(1, 100) n;
      create function slowly(v vector) returns vector language plpgsql immutable as $$ begin
        if current_setting('conversion_test.waits', true) = 'on' then
          raise log 'the index is being created';
          perform pg_sleep(3600);
        end if;
        return v;
      end $$;
      create index first_index on items using hnsw (embedding vector_l2_ops);
      create index slow_index on items using hnsw ((slowly(embedding)::vector(2)) vector_l2_ops)`);
    await database?.stop();
    const reached = Promise.withResolvers<void>();
    const hear = (_fields: object, message: string): void => {
      if (message.includes('the index is being created')) reached.resolve();
    };
    const log: Logger = { debug: hear, info: hear, warn: hear, error: hear, child: () => log };
    const killed = createDatabase({
      dataDir: folder.path,
      durable: false,
      dbSettings: { 'conversion_test.waits': 'on', restart_after_crash: false },
      log,
    });
    killed.catch(() => undefined);
    await reached.promise;
    killEverything(folder.path);
    await expect(killed).rejects.toThrow();
    await start();
    expect(progress.filter((line) => line.includes('Converting'))).toEqual([]);
    expect(
      await rows(`select c.relname as name, i.indisvalid as valid from pg_index i join pg_class c on c.oid = i.indexrelid
        where i.indrelid = 'items'::regclass order by 1`),
    ).toEqual([
      { name: 'first_index', valid: true },
      { name: 'slow_index', valid: true },
    ]);
    expect(await rows(`select to_regclass('_plinth.vector_indexes') as pending`)).toEqual([
      { pending: null },
    ]);
    expect(await rows(`select id from items order by embedding <-> '[7,1]' limit 1`)).toEqual([{ id: 7 }]);
  });

  test('nothing is changed if an object can’t be converted', async () => {
    writeFormerExtension(folder.path);
    await exec(`create extension vector with schema extensions;
      create table items (embedding vector(3), dims int generated always as (vector_dims(embedding)) stored);
      insert into items values ('[1,2,3]')`);
    await start();
    expect(progress.at(-1)).toMatch(
      /couldn't be converted: these objects depend on it: default value for column dims of table/,
    );
    expect(
      await rows(`select embedding::text, dims, (embedding <-> '[1,2,4]')::int as d from items`),
    ).toEqual([{ embedding: '[1,2,3]', dims: 3, d: 1 }]);
  });
});
