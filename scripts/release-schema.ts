/**
 * Writes the description of the schema that this version creates, when the version is released. From then on, its SQL
 * files must not change (test/database/released.test.ts).
 *
 *   node scripts/release-schema.ts
 */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { installedVersion } from '../src/base/shared/files.ts';
import { currentFiles, extensionFiles, withCluster } from './schema/cluster.ts';
import { printRelease, releaseFolder, releaseOf } from './schema/released.ts';

const version = installedVersion();
const path = new URL(`${version}.txt`, releaseFolder);
if (existsSync(path)) {
  console.error(`The schema of ${version} was released. Increase the version in package.json first.`);
  process.exit(1);
}
const files = await currentFiles();
const release = await withCluster(async (cluster) =>
  releaseOf(version, cluster.major, [...files, ...extensionFiles()], await cluster.apply(files)),
);
mkdirSync(releaseFolder, { recursive: true });
writeFileSync(path, printRelease(release));
console.log(`Described ${release.objects.size} objects of ${release.files.size} files.`);
