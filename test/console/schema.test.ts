/** Tests the Console's schema changes: the displayed SQL, and the resulting catalog. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { createTestBackend } from '../../src/entry/testing.ts';
import { expressionFault } from '../../src/pages/console/schema/core/expression.ts';
import { type Backend, type Operator, operator } from './harness.ts';

let backend: Backend;
let owner: Operator;
const projectDir = mkdtempSync(join(tmpdir(), 'plinth-schema-'));
beforeAll(async () => {
  backend = await createTestBackend({ projectDir });
  owner = await operator(backend);
});
afterAll(async () => {
  await backend?.stop();
  rmSync(projectDir, { recursive: true, force: true });
});

const pool = () => backend.database.pool('postgres');
const run = (text: string) => pool().query(sql.raw(text));
const apply = (changes: readonly object[], more: object = {}) =>
  owner.call('POST', '/schema/apply', { changes, ...more });
const preview = (changes: readonly object[]) => owner.call('POST', '/schema/preview', { changes });
const structure = async (table: string) =>
  (await owner.call('GET', `/tables/public/${encodeURIComponent(table)}/structure`)).body;
const relation = async (table: string) =>
  (await owner.call('GET', `/tables/public/${encodeURIComponent(table)}`)).body;
const of = (table: string) => ({ schema: 'public', table });
const column = (name: string, type: string, more: object = {}) => ({
  name,
  type: { name: type },
  nullable: true,
  ...more,
});

describe('the effect of each change', () => {
  test('a table can have every supported property', async () => {
    const enums = { kind: 'create_enum', schema: 'public', name: 'stage', values: ['draft', "it's live"] };
    const parent = {
      kind: 'create_table',
      ...of('authors'),
      columns: [column('id', 'uuid', { nullable: false, default: 'gen_random_uuid()' })],
      constraints: [{ kind: 'primary key', columns: ['id'] }],
      rls: true,
    };
    const table = {
      kind: 'create_table',
      ...of('posts'),
      columns: [
        column('id', 'bigint', { nullable: false, identity: 'always' }),
        column('author', 'uuid', {
          references: { schema: 'public', table: 'authors', columns: ['id'], onDelete: 'cascade' },
        }),
        column('title', 'text', { nullable: false, check: "title <> ''", comment: "the writer's words" }),
        column('shout', 'text', { generated: 'upper(title)' }),
        column('price', 'numeric', { type: { name: 'numeric', modifiers: [10, 2] }, default: '0' }),
        { name: 'tags', type: { name: 'text', array: true }, nullable: true },
        { name: 'stage', type: { schema: 'public', name: 'stage' }, nullable: false, default: "'draft'" },
      ],
      constraints: [
        { kind: 'primary key', columns: ['id'], name: 'posts_key' },
        { kind: 'unique', columns: ['author', 'title'], nullsNotDistinct: true },
      ],
      rls: true,
      comment: 'all that is written',
    };
    const { status, body } = await apply([enums, parent, table]);
    expect([status, body.file]).toEqual([200, null]);
    expect(body.statements[0]).toBe(`create type "public"."stage" as enum ('draft', 'it''s live')`);
    const made = await relation('posts');
    expect(made).toMatchObject({ rls: true, comment: 'all that is written' });
    expect(Object.fromEntries(made.columns.map((each: { name: string }) => [each.name, each]))).toMatchObject(
      {
        id: { type: 'bigint', nullable: false, identity: 'always', primary_key: true },
        author: { type: 'uuid', references: { schema: 'public', table: 'authors', column: 'id' } },
        title: { nullable: false, comment: "the writer's words" },
        shout: { generated: true },
        price: { type: 'numeric(10,2)', default: '0' },
        tags: { type: 'text[]' },
        stage: { type: 'stage', default: "'draft'::stage", enum_values: ['draft', "it's live"] },
      },
    );
    const { constraints } = await structure('posts');
    const posts = Object.fromEntries(
      constraints.map((each: { name: string; definition: string }) => [each.name, each.definition]),
    );
    expect(posts).toMatchObject({
      posts_key: 'PRIMARY KEY (id)',
      posts_author_title_key: 'UNIQUE NULLS NOT DISTINCT (author, title)',
      posts_author_fkey: 'FOREIGN KEY (author) REFERENCES authors(id) ON DELETE CASCADE',
      posts_title_check: "CHECK ((title <> ''::text))",
    });
  });

  test('columns can be added, altered in all possible ways, and dropped', async () => {
    await run('create table public.things (id int primary key, size text, note text)');
    await run(`insert into public.things values (1, '10', 'a'), (2, '20', null)`);
    await apply([
      { kind: 'add_column', ...of('things'), column: column('born', 'date', { default: 'now()' }) },
    ]);
    const altered = await apply([
      {
        kind: 'alter_column',
        ...of('things'),
        column: 'size',
        name: 'length',
        type: { to: { name: 'integer' }, using: 'size::integer' },
        nullable: false,
        default: '7',
        comment: 'in mm',
      },
    ]);
    expect(altered.body.statements).toEqual([
      'alter table "public"."things" alter column "size" drop default,\n' +
        '  alter column "size" type integer using (size::integer),\n' +
        '  alter column "size" set default (7),\n  alter column "size" set not null',
      `comment on column "public"."things"."size" is 'in mm'`,
      'alter table "public"."things" rename column "size" to "length"',
    ]);
    const columns = async () => (await relation('things')).columns;
    expect((await columns()).find(({ name }: { name: string }) => name === 'length')).toMatchObject({
      type: 'integer',
      nullable: false,
      default: '7',
      comment: 'in mm',
    });
    await apply([
      { kind: 'alter_column', ...of('things'), column: 'id', identity: { action: 'add', as: 'always' } },
    ]);
    await apply([
      { kind: 'alter_column', ...of('things'), column: 'id', identity: { action: 'set', as: 'by default' } },
    ]);
    expect((await columns())[0].identity).toBe('by default');
    await apply([{ kind: 'alter_column', ...of('things'), column: 'id', identity: { action: 'drop' } }]);
    await apply([{ kind: 'alter_column', ...of('things'), column: 'length', default: null, comment: null }]);
    expect((await columns()).find(({ name }: { name: string }) => name === 'length')).toMatchObject({
      default: null,
      comment: null,
    });
    const dropped = { kind: 'drop_column', ...of('things'), column: 'note' };
    expect((await apply([dropped])).status).toBe(400);
    expect((await apply([dropped], { confirmed: 'note' })).status).toBe(200);
    expect((await columns()).map(({ name }: { name: string }) => name)).toEqual(['id', 'length', 'born']);
  });

  test('keys, indexes and triggers can be created and dropped', async () => {
    await run('create table public.left_side (a int, b int, data jsonb, title text)');
    await run('create table public.right_side (x int, y int, primary key (x, y))');
    await run(
      'create function public.stamp() returns trigger language plpgsql as $$ begin return new; end $$',
    );
    const { status } = await apply([
      {
        kind: 'add_constraint',
        ...of('left_side'),
        name: 'pair',
        constraint: {
          kind: 'foreign key',
          columns: ['a', 'b'],
          references: {
            schema: 'public',
            table: 'right_side',
            columns: ['x', 'y'],
            onDelete: 'set null',
            onUpdate: 'cascade',
          },
          deferrable: true,
        },
      },
      {
        kind: 'add_constraint',
        ...of('left_side'),
        name: 'positive',
        constraint: { kind: 'check', expression: 'a > 0' },
      },
      {
        kind: 'create_index',
        ...of('left_side'),
        name: 'by_title',
        method: 'btree',
        unique: true,
        parts: [{ expression: 'lower(title)', descending: true }, { column: 'a' }],
        include: ['b'],
        where: 'a is not null',
      },
      {
        kind: 'create_index',
        ...of('left_side'),
        name: 'by_data',
        method: 'gin',
        unique: false,
        parts: [{ column: 'data', operatorClass: 'jsonb_path_ops' }],
      },
      {
        kind: 'create_trigger',
        ...of('left_side'),
        name: 'stamped',
        timing: 'before',
        events: ['insert', 'update'],
        columns: ['a', 'title'],
        forEach: 'row',
        when: 'new.a > 1',
        function: { schema: 'public', name: 'stamp' },
        arguments: ["it's", 'two'],
      },
    ]);
    expect(status).toBe(200);
    const made = await structure('left_side');
    expect(made.constraints).toEqual([
      {
        name: 'pair',
        kind: 'foreign key',
        columns: ['a', 'b'],
        definition:
          'FOREIGN KEY (a, b) REFERENCES right_side(x, y) ON UPDATE CASCADE ON DELETE SET NULL DEFERRABLE INITIALLY DEFERRED',
        references: { schema: 'public', table: 'right_side', columns: ['x', 'y'] },
      },
      { name: 'positive', kind: 'check', columns: ['a'], definition: 'CHECK ((a > 0))', references: null },
    ]);
    expect(made.indexes).toMatchObject([
      {
        name: 'by_data',
        method: 'gin',
        unique: false,
        definition: expect.stringContaining('jsonb_path_ops'),
      },
      {
        name: 'by_title',
        unique: true,
        constraint: null,
        definition:
          'CREATE UNIQUE INDEX by_title ON public.left_side USING btree (lower(title) DESC, a) INCLUDE (b) WHERE (a IS NOT NULL)',
      },
    ]);
    expect(made.triggers).toMatchObject([
      {
        name: 'stamped',
        enabled: true,
        function: { schema: 'public', name: 'stamp' },
        definition:
          "CREATE TRIGGER stamped BEFORE INSERT OR UPDATE OF a, title ON public.left_side FOR EACH ROW WHEN ((new.a > 1)) EXECUTE FUNCTION stamp('it''s', 'two')",
      },
    ]);
    await apply([{ kind: 'set_trigger', ...of('left_side'), name: 'stamped', enabled: false }]);
    expect((await structure('left_side')).triggers[0].enabled).toBe(false);
    await apply([
      { kind: 'drop_trigger', ...of('left_side'), name: 'stamped' },
      { kind: 'drop_index', ...of('left_side'), name: 'by_title' },
      { kind: 'drop_index', ...of('left_side'), name: 'by_data' },
      { kind: 'drop_constraint', ...of('left_side'), name: 'pair' },
      { kind: 'drop_constraint', ...of('left_side'), name: 'positive' },
    ]);
    expect(await structure('left_side')).toMatchObject({ constraints: [], indexes: [], triggers: [] });
  });

  test('enums can be extended, renamed and dropped, and the list contains the columns that use them', async () => {
    await apply([{ kind: 'create_enum', schema: 'public', name: 'size', values: ['small', 'large'] }]);
    await run('create table public.shirts (id int primary key, size public.size, others public.size[])');
    await apply([
      { kind: 'add_enum_value', schema: 'public', name: 'size', value: 'medium', before: 'large' },
      { kind: 'rename_enum_value', schema: 'public', name: 'size', value: 'small', to: "s'mall" },
      { kind: 'rename_enum', schema: 'public', name: 'size', to: 'shirt_size' },
    ]);
    const { body } = await owner.call('GET', '/enums');
    expect(body.enums.find(({ name }: { name: string }) => name === 'shirt_size')).toEqual({
      schema: 'public',
      name: 'shirt_size',
      values: ["s'mall", 'medium', 'large'],
      columns: [
        { schema: 'public', table: 'shirts', column: 'size' },
        { schema: 'public', table: 'shirts', column: 'others' },
      ],
    });
    const refused = await apply([{ kind: 'drop_enum', schema: 'public', name: 'shirt_size' }], {
      confirmed: 'shirt_size',
    });
    expect([refused.status, refused.body.sqlstate]).toEqual([422, '2BP01']);
  });

  test('row-level security, comments, names and schemas can be changed, and tables dropped', async () => {
    await run('create table public.brief (id int primary key)');
    await apply([
      { kind: 'set_rls', ...of('brief'), enabled: true },
      { kind: 'comment_table', ...of('brief'), comment: 'short' },
      { kind: 'create_schema', name: 'side' },
      { kind: 'rename_table', ...of('brief'), name: 'longer' },
    ]);
    expect(await relation('longer')).toMatchObject({ rls: true, comment: 'short' });
    expect((await owner.call('GET', '/schema')).body.schemas).toContain('side');
    await apply([
      { kind: 'set_rls', ...of('longer'), enabled: false },
      { kind: 'comment_table', ...of('longer'), comment: null },
    ]);
    expect(await relation('longer')).toMatchObject({ rls: false, comment: null });
    await apply([{ kind: 'drop_table', ...of('longer') }], { confirmed: 'longer' });
    expect((await owner.call('GET', '/tables/public/longer')).status).toBe(404);
  });
});

describe('the preview', () => {
  test('counts the data that would be lost without changing anything', async () => {
    await run('create table public.stock (id int primary key, amount text, note text)');
    await run(`insert into public.stock values (1, '1.5', 'a'), (2, '2', null), (3, null, null)`);
    const toInteger = {
      kind: 'alter_column',
      ...of('stock'),
      column: 'amount',
      type: { to: { name: 'integer' }, using: 'amount::numeric::integer' },
    };
    const { body } = await preview([
      { kind: 'drop_column', ...of('stock'), column: 'note' },
      toInteger,
      { kind: 'alter_column', ...of('stock'), column: 'note', nullable: false },
      { kind: 'set_rls', ...of('stock'), enabled: false },
      { kind: 'drop_table', ...of('stock') },
    ]);
    expect(body.confirm).toBe('stock');
    expect(body.warnings).toEqual([
      { kind: 'values', on: 'public.stock', column: 'note', rows: 1, exact: true, cascade: false },
      { kind: 'converted', on: 'public.stock', column: 'amount', rows: 2, exact: true, changed: 1 },
      { kind: 'nulls', on: 'public.stock', column: 'note', rows: 2, exact: true },
      { kind: 'unprotected', on: 'public.stock', rows: 3, exact: true },
      { kind: 'rows', on: 'public.stock', rows: 3, exact: true, cascade: false },
    ]);
    const failing = await preview([
      { ...toInteger, type: { to: { name: 'integer' }, using: 'amount::integer' } },
    ]);
    expect(failing.body.warnings[0].fault).toContain('invalid input syntax for type integer');
    expect((await relation('stock')).columns).toHaveLength(3);
  });

  test('doesn’t contain a warning for a change without data loss', async () => {
    const { body } = await preview([
      { kind: 'alter_column', ...of('stock'), column: 'amount', type: { to: { name: 'varchar' } } },
      { kind: 'alter_column', ...of('stock'), column: 'id', nullable: false },
    ]);
    expect(body.warnings).toEqual([]);
  });
});

describe('a change', () => {
  test('is rolled back completely, with its migration, if one statement fails', async () => {
    const { status, body } = await apply(
      [
        { kind: 'create_table', ...of('half'), columns: [], rls: true },
        { kind: 'add_column', ...of('half'), column: column('a', 'integer', { default: "'x'" }) },
      ],
      { migration: 'half' },
    );
    expect([status, body.sqlstate]).toEqual([422, '22P02']);
    expect((await owner.call('GET', '/tables/public/half')).status).toBe(404);
    expect(migrationFiles()).toEqual([]);
  });

  test('doesn’t block other transactions for long', async () => {
    await run('create table public.busy (id int primary key)');
    const session = await pool().connect();
    await session.exec('begin; lock table public.busy');
    const { status, body } = await apply([
      { kind: 'add_column', ...of('busy'), column: column('a', 'integer') },
    ]);
    await session.exec('rollback');
    session.release();
    expect([status, body.sqlstate]).toEqual([422, '55P03']);
  });

  test('is stored as an applied migration', async () => {
    const { body } = await apply(
      [{ kind: 'create_table', ...of('kept'), columns: [column('id', 'integer')], rls: true }],
      { migration: 'create_kept' },
    );
    expect(body.file).toMatch(/^supabase\/migrations\/\d{14}_create_kept\.sql$/);
    expect(migrationFiles()).toEqual([body.file.split('/').at(-1)]);
    expect(readFileSync(join(projectDir, body.file), 'utf8')).toBe(
      `create table "public"."kept" (\n  "id" integer\n);\n\nalter table "public"."kept" enable row level security;\n`,
    );
    const [applied] = await pool().query<{ version: string; name: string; statements: string[] }>(
      sql`select version, name, statements from supabase_migrations.schema_migrations`,
    );
    expect(body.file).toContain(`${applied?.version}_${applied?.name}.sql`);
    expect(applied?.statements).toHaveLength(2);
    const second = await apply([{ kind: 'comment_table', ...of('kept'), comment: 'x' }], {
      migration: 'comment',
    });
    expect(second.body.file > body.file).toBe(true);
  });

  test('is in the audit log', async () => {
    const [entry] = await backend.database
      .pool('supabase_admin')
      .query<{ action: string; target: string }>(
        sql`select action, target from _plinth.audit_log order by id desc limit 1`,
      );
    expect(entry).toEqual({ action: 'schema.change', target: 'public.kept' });
  });
});

const migrationFiles = (): string[] => {
  try {
    return readdirSync(join(projectDir, 'supabase', 'migrations'));
  } catch {
    return [];
  }
};

describe('an attacker', () => {
  test.each([
    ['another statement', '1); drop table public.things; --'],
    ['another action', '1, drop column size'],
    ['a closed parenthesis', "1), add column evil text default ('x'"],
    ['a comment', '1 -- '],
  ])('can’t put %s into an expression', async (_what, text) => {
    await run('drop table if exists public.target');
    await run('create table public.target (size int)');
    const { status } = await apply([
      { kind: 'add_column', ...of('target'), column: column('a', 'integer', { default: text }) },
    ]);
    expect([400, 422]).toContain(status);
    expect((await relation('target')).columns).toHaveLength(1);
  });

  test.each([
    ['a migration name with a path', { migration: '../../evil' }],
    ['a hidden migration name', { migration: '.evil' }],
  ])('can’t use %s', async (_what, more) => {
    expect((await apply([{ kind: 'create_schema', name: 'never' }], more)).status).toBe(400);
  });

  test.each([
    [{ kind: 'create_schema', name: 'x'.repeat(64) }],
    [{ kind: 'create_schema', name: 'a\0b' }],
    [{ kind: 'create_schema', name: '' }],
    [{ kind: 'add_column', ...of('things'), column: column('a', 'text; drop table things') }],
    [
      {
        kind: 'create_index',
        ...of('things'),
        method: 'btree (id); --',
        unique: false,
        parts: [{ column: 'id' }],
      },
    ],
    [{ kind: 'run_sql', text: 'drop table things' }],
    [{ kind: 'create_schema', name: 'x', text: 'more' }],
  ])('can’t send %j as a schema change', async (change) => {
    expect((await apply([change])).status).toBe(400);
    expect((await preview([change])).status).toBe(400);
  });

  test('with read access can’t change or preview changes', async () => {
    await backend.operators.createOperator('looker', 'read-only');
    const looker = await operator(backend, 'looker');
    const changes = [{ kind: 'create_schema', name: 'looked' }];
    for (const path of ['/schema/apply', '/schema/preview'])
      expect((await looker.call('POST', path, { changes })).status).toBe(403);
    const forged = await owner.call('POST', '/schema/apply', { changes }, { 'x-plinth-csrf': 'guess' });
    expect([forged.status, forged.body.code]).toEqual([403, 'csrf']);
    expect((await owner.call('GET', '/schema')).body.schemas).not.toContain('looked');
  });

  test('can’t change the services’ own schemas', async () => {
    const { status, body } = await apply(
      [{ kind: 'drop_table', schema: 'auth', table: 'users', cascade: true }],
      {
        confirmed: 'users',
      },
    );
    expect([status, body.sqlstate]).toEqual([422, '42501']);
  });
});

/** Generates names and strings with every character that could end a quoted text. */
const nasty = fc.string({
  unit: fc.constantFrom('a', 'Z', '"', "'", '\\', '$', ';', '-', ' ', '.', '(', ')', '%', 'é', '😀', '\n'),
  minLength: 1,
  maxLength: 15,
});

test('every name and text is stored unchanged in the catalog', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(nasty, { minLength: 3, maxLength: 6 }),
      fc.uniqueArray(nasty, { minLength: 1, maxLength: 4 }),
      nasty,
      async (names, values, comment) => {
        const [table = '', type = '', ...columns] = names;
        const at = { schema: 'public', table: `t${table}` };
        const made = await apply([
          { kind: 'create_enum', schema: 'public', name: `e${type}`, values },
          {
            kind: 'create_table',
            ...at,
            comment,
            columns: columns.map((name) => ({
              name,
              type: { schema: 'public', name: `e${type}` },
              nullable: true,
              comment,
            })),
            constraints: [{ kind: 'unique', columns, name: `u${table}` }],
            rls: false,
          },
        ]);
        expect([made.status, made.body.message]).toEqual([200, undefined]);
        const { body } = await owner.call('GET', `/tables/public/${encodeURIComponent(at.table)}`);
        expect(body.comment).toBe(comment);
        expect(body.columns.map((each: { name: string }) => each.name)).toEqual(columns);
        for (const each of body.columns) expect([each.enum_values, each.comment]).toEqual([values, comment]);
        expect((await structure(at.table)).constraints).toMatchObject([{ name: `u${table}`, columns }]);
        await apply([{ kind: 'drop_table', ...at }], { confirmed: at.table });
        await apply([{ kind: 'drop_enum', schema: 'public', name: `e${type}` }], { confirmed: `e${type}` });
      },
    ),
    { numRuns: 40 },
  );
});

/** Generates expressions from parts that open or close something, quote or start a comment. */
const pieces = fc.array(
  fc.constantFrom(
    "'",
    "''",
    '"',
    '(',
    ')',
    '[',
    ']',
    '$$',
    '$a$',
    'E',
    'é',
    '\\',
    '\n',
    ' ',
    ';',
    '--',
    '/*',
    '*/',
    '1',
    'x',
    ',',
    '||',
    'as',
  ),
  { minLength: 1, maxLength: 12 },
);

test('any accepted expression stays within its parentheses', async () => {
  const session = await pool().connect();
  try {
    await fc.assert(
      fc.asyncProperty(pieces, async (parts) => {
        const text = parts.join('');
        if (expressionFault(text) !== undefined) return;
        const result = await session
          .queryText(sql.raw(`select 1 as before, (${text}) as inside, 2 as after`))
          .catch(() => undefined);
        // PostgreSQL may reject the expression. If PostgreSQL accepts it, the columns before and after the expression
        // must be unchanged.
        if (result === undefined) return;
        expect([result.columns.map(({ name }) => name), result.rows.length]).toEqual([
          ['before', 'inside', 'after'],
          1,
        ]);
      }),
      { numRuns: 3000 },
    );
  } finally {
    session.release();
  }
});
