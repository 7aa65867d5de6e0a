/**
 * Tests that a dump of a database with every kind of object can be restored into an empty database, and that both
 * databases are then equal.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readFingerprint } from './fingerprint.ts';
import {
  createEmptyDatabase,
  dumpText,
  type EmptyDatabase,
  everyKind,
  restoreText,
  withoutLabels,
} from './helpers.ts';

// The timeouts are long, because every kind of object is restored into new databases.
let source: EmptyDatabase;
let copy: EmptyDatabase;
beforeAll(async () => {
  source = await createEmptyDatabase();
  copy = await createEmptyDatabase();
  await source.run((client) => client.exec(everyKind(18)));
});
afterAll(async () => {
  await source?.drop();
  await copy?.drop();
});

test('the restored database has the same text, catalogs and rows', async () => {
  const text = await dumpText(source.target);
  expect(text).toContain(`SECURITY LABEL FOR "kinds" ON COLUMN kinds.items.id IS ''a column''`);
  expect(text).not.toContain('password=');
  await restoreText(copy.target, text);
  expect(withoutLabels(await dumpText(copy.target))).toEqual(withoutLabels(text));
  const [before, after] = [await source.run(readFingerprint), await copy.run(readFingerprint)];
  expect(after).toEqual(before);
  expect(Object.entries(before).filter(([, rows]) => rows.length === 0)).toEqual([]);
});
