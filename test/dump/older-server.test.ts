/**
 * Tests that a dump of a PostgreSQL 15 database with every kind of object can be restored into the embedded version.
 */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { catalogQueries } from '../../src/operations/upgrade/verify.ts';
import { Client } from '../../src/platform/database/wire/index.ts';
import {
  copyOldPrograms,
  missingOldVersion,
  type OldCluster,
  startOldCluster,
} from '../upgrade/old-cluster.ts';
import { createEmptyDatabase, dumpText, type EmptyDatabase, everyKind, restoreText } from './helpers.ts';

// The timeouts are long, because the test copies the programs of the old version, creates a cluster with them and
// restores every kind of object.
let folder: string;
let source: OldCluster;
let copy: EmptyDatabase;

describe.skipIf(missingOldVersion !== undefined)(
  `a dump of PostgreSQL 15${missingOldVersion === undefined ? '' : `: ${missingOldVersion}`}`,
  () => {
    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), 'plinth-dump-'));
      chmodSync(folder, 0o711);
      source = await startOldCluster(copyOldPrograms(folder), folder, join(folder, 'postgres'));
      const client = await Client.connect(source.target('postgres'));
      await client.exec(
        'create role anon; create role authenticated; create role service_role; create role postgres',
      );
      await client.exec(everyKind(15));
      await client.connection.close();
      copy = await createEmptyDatabase();
    });
    afterAll(async () => {
      await copy?.drop();
      await source?.stop();
      if (folder) rmSync(folder, { recursive: true, force: true });
    });

    test('is restored to the same objects in the embedded version', async () => {
      await restoreText(copy.target, await dumpText(source.target('postgres')));
      const before = await Client.connect(source.target('postgres'));
      const [expected, found] = [await factsOf(before), await copy.run(factsOf)];
      await before.connection.close();
      expect(found).toEqual(expected);
      expect(expected.length).toBeGreaterThan(200);
    });
  },
);

/** Returns facts about the database, in a text form that is the same in both versions. */
async function factsOf(client: Client): Promise<string[]> {
  await client.exec("set search_path = ''");
  const facts: string[] = [];
  for (const [subject, query] of Object.entries(catalogQueries)) {
    for (const { fact } of await client.query<{ fact: string }>(query)) facts.push(`${subject} ${fact}`);
  }
  return facts.sort();
}
