/**
 * Prints the changelog's section about a release. Fails if the tag isn't the version in package.json and in the lock
 * file, or if the changelog doesn't describe the version.
 *
 *   node scripts/release-notes.ts v0.3.0
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const read = (file: string): string =>
  readFileSync(fileURLToPath(new URL(`../${file}`, import.meta.url)), 'utf8');

/** Returns the section about a version. @throws {Error} if the tag doesn't fit */
export function releaseNotes(
  tag: string,
  { versions, changelog }: { readonly versions: readonly string[]; readonly changelog: string },
): string {
  for (const version of versions)
    if (tag !== `v${version}`) throw new Error(`The tag is ${tag}, but package.json contains ${version}.`);
  const sections = changelog.split(/^## /m).slice(1);
  const [, ...lines] = sections.find((each) => each.startsWith(`[${tag.slice(1)}]`))?.split('\n') ?? [];
  const notes = lines.join('\n').trim();
  if (notes === '') throw new Error(`CHANGELOG.md doesn't describe ${tag}.`);
  return notes;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const lock = JSON.parse(read('package-lock.json'));
  const versions = [JSON.parse(read('package.json')).version, lock.version, lock.packages[''].version];
  try {
    console.log(releaseNotes(process.argv[2] ?? '', { versions, changelog: read('CHANGELOG.md') }));
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}
