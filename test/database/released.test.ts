/**
 * Compares each released schema with the schema that its SQL files create now, and an upgraded database with a new one.
 * A database of a release must become the same as a new database, although only files that were added later are applied
 * to it.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import { currentFiles, extensionFiles, withCluster } from '../../scripts/schema/cluster.ts';
import { type Fact, hashesOf } from '../../scripts/schema/describe.ts';
import { nameOf, readReleases, releaseOf } from '../../scripts/schema/released.ts';
import type { MigrationFile } from '../../src/platform/database/migrate/files.ts';

// The timeouts are long, because the tests create clusters.
let files: MigrationFile[];
/** Describes a new database. Computed only if a release has fewer files. */
let fresh: Promise<Fact[]> | undefined;
const describeFresh = (): Promise<Fact[]> => {
  fresh ??= withCluster((cluster) => cluster.apply(files));
  return fresh;
};
beforeAll(async () => {
  files = await currentFiles();
});

/** Returns the definitions of the objects whose hashes differ. */
function differences(found: readonly Fact[], expected: ReadonlyMap<string, string>): string[] {
  const hashes = hashesOf(found);
  const names = [...new Set([...hashes.keys(), ...expected.keys()])];
  return names
    .filter((name) => hashes.get(name) !== expected.get(name))
    .map((name) => {
      const facts = found.filter(({ object }) => object === name);
      const lines = facts.map(({ subject, definition }) => `${subject}: ${definition}`);
      return [name, ...(lines.length === 0 ? ['(missing)'] : lines)].join('\n  ');
    });
}

describe.each(readReleases())('the release $version', (release) => {
  test('its files are unchanged', () => {
    const hashes = new Map([...files, ...extensionFiles()].map((file) => [nameOf(file), file.hash]));
    const changed = [...release.files.keys()].filter((name) => hashes.get(name) !== release.files.get(name));
    expect(
      changed,
      `These files were released in ${release.version} and must not change, because they aren't applied again. Undo the change, and add a file with the next number.`,
    ).toEqual([]);
  });

  test('files that were added later have higher numbers', () => {
    const numberOf = (name: string): string => name.slice(0, name.indexOf('_'));
    const moduleOf = (name: string): string => name.slice(0, name.indexOf('/'));
    const released = [...release.files.keys()];
    const low = files
      .map(nameOf)
      .filter((name) => !release.files.has(name))
      .filter((name) =>
        released.some((other) => moduleOf(other) === moduleOf(name) && numberOf(other) >= numberOf(name)),
      );
    expect(low, 'Give these files the next number of their module.').toEqual([]);
  });

  test('its files create its schema, and later files upgrade the schema to that of a new database', async () => {
    const released = files.filter((file) => release.files.has(nameOf(file)));
    await withCluster(async (cluster) => {
      const found = await cluster.apply(released);
      // Another major version of PostgreSQL can describe the same schema differently.
      if (cluster.major === release.major)
        expect(
          differences(found, release.objects),
          `The files of ${release.version} no longer create these objects as they were released. Databases of ${release.version} still have the released objects.`,
        ).toEqual([]);
      if (released.length === files.length) return;
      const upgraded = await cluster.apply(files);
      expect(
        differences(upgraded, hashesOf(await describeFresh())),
        `A database of ${release.version} that was upgraded differs from a new database. A file must not depend on whether files of other modules were applied before it.`,
      ).toEqual([]);
    });
  });
});

test('an edited file and a changed object are found', () => {
  const file = { module: 'auth', version: '0001', name: 'users', text: '', hash: 'a' };
  const fact = { object: 'relation auth.users', subject: 'column id', definition: '1 uuid' };
  const { files: names, objects } = releaseOf('0.2.0', 18, [file], [fact]);
  expect([...names]).toEqual([['auth/0001_users', 'a']]);
  expect(differences([fact], objects)).toEqual([]);
  expect(differences([{ ...fact, definition: '1 text' }], objects)).toEqual([
    'relation auth.users\n  column id: 1 text',
  ]);
  expect(differences([], objects)).toEqual(['relation auth.users\n  (missing)']);
});
