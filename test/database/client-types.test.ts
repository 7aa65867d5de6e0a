/** Compares the output of `gen types` for every language with files that follow the rules of upstream's generator. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { generateTypes } from '../../src/platform/database/index.ts';
import { createTestDatabase, type TestDatabase } from '../../src/platform/database/testing.ts';

const read = (name: string) => readFileSync(new URL(`client-types/${name}`, import.meta.url), 'utf8');

let other: TestDatabase;
let url: string;
beforeAll(async () => {
  other = await createTestDatabase('client_types');
  url = other.database.info.projectUrl;
  await other.database.pool('postgres').exec(read('schema.sql'));
});
afterAll(() => other?.drop());

test.each([
  ['typescript', 'shop.ts.txt'],
  ['go', 'shop.go.txt'],
  ['python', 'shop.py.txt'],
  ['swift', 'shop.swift.txt'],
] as const)('%s', async (language, file) => {
  const types = await generateTypes(url, ['shop'], { language });
  // For Python, the generator includes the enums of all schemas.
  const ownTypes = types.replaceAll(/^(?!Shop)\w+: TypeAlias = .*\n\n/gm, '');
  expect(`${ownTypes.trimEnd()}\n`).toBe(read(file));
});

test('a unique foreign key is a one-to-one relationship, except for PostgREST 9', async () => {
  const relationship = (types: string) => /"orders_customer_fkey"[\s\S]*?isOneToOne: (\w+)/.exec(types)?.[1];
  expect(relationship(await generateTypes(url, ['shop']))).toBe('true');
  const old = await generateTypes(url, ['shop'], { detectsOneToOne: false });
  expect(old).toContain('"orders_customer_fkey"');
  expect(old).not.toContain('isOneToOne');
});

test('relationships in schemas and tables whose names need quotes are complete', async () => {
  const names = ['MySchema', 'we ird', 'my-app', 'da.ta', `it's "q"`, 'user'];
  const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;
  await other.database.pool('postgres').exec(
    names
      .map(
        (name) => `create schema ${quoted(name)};
        create table ${quoted(name)}.p (id int primary key);
        create table ${quoted(name)}.c (p int unique references ${quoted(name)}.p);
        create view ${quoted(name)}.v as select p from ${quoted(name)}.c;`,
      )
      .join('\n'),
  );
  const types = await generateTypes(url, names);
  const relationships = types.match(/foreignKeyName: "c_p_fkey"[^}]*/g) ?? [];
  // The table has a relationship with the other table. The view has the same relationship.
  expect(relationships).toHaveLength(2 * names.length);
  for (const relationship of relationships) {
    expect(relationship).toContain('columns: ["p"]');
    expect(relationship).toContain('isOneToOne: true');
    expect(relationship).toContain('referencedColumns: ["id"]');
  }
});

test('Swift types are public on request', async () => {
  const types = await generateTypes(url, ['shop'], { language: 'swift', swiftAccess: 'public' });
  expect(types).toContain('public enum ShopSchema');
  expect(types).not.toContain('internal');
});

test('a missing password is added to the URL, and a slow database is reported', async () => {
  const bare = new URL(url);
  const { password } = bare;
  bare.password = '';
  expect(
    await generateTypes(bare.href, ['shop'], { language: 'go', password: decodeURIComponent(password) }),
  ).toContain('type ShopOrdersSelect struct');
  const pool = other.database.pool('postgres');
  // The generator reads the size of each table, so it waits until the lock on the table is released.
  await pool.transaction(async (tx) => {
    await tx.query(sql`lock table shop.orders in access exclusive mode`);
    await expect(generateTypes(url, ['shop'], { timeoutMs: 300 })).rejects.toThrow(
      "The database didn't respond within 0.3 seconds.",
    );
  });
});

test('connection strings with several hosts and in keyword form work', async () => {
  const { hostname, port, username, password, pathname } = new URL(url);
  const database = pathname.slice(1);
  const several = `postgresql://${username}:${password}@127.0.0.1:1,${hostname}:${port}/${database}?target_session_attrs=primary`;
  const expected = await generateTypes(url, ['shop'], { language: 'go' });
  expect(await generateTypes(several, ['shop'], { language: 'go' })).toBe(expected);
  const keywords = `host=${hostname} port=${port} user=${username} dbname=${database}`;
  const options = { language: 'go', password: decodeURIComponent(password) } as const;
  expect(await generateTypes(keywords, ['shop'], options)).toBe(expected);
});
