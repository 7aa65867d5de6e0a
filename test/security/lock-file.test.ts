/** What npm installs is what was reviewed: every package of the lock file is named by its version and its checksum. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

interface LockEntry {
  readonly version?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly link?: boolean;
  readonly optional?: boolean;
}

const lock = JSON.parse(readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8')) as {
  readonly packages: Readonly<Record<string, LockEntry>>;
};
const packages = Object.entries(lock.packages).filter(([path, entry]) => path !== '' && entry.link !== true);

/**
 * Deno for other platforms than the one whose package was at hand: the registry that this lock file was written with has no
 * 2.9.6 of them. Older versions are no way out: from 2.8.3 to 2.9.5 an answer could hang (docs/decisions/0002-functions.md).
 * By version, so that the next one needs its checksums.
 */
const withoutChecksum = [
  'node_modules/@deno/darwin-arm64 2.9.6',
  'node_modules/@deno/darwin-x64 2.9.6',
  'node_modules/@deno/linux-arm64-glibc 2.9.6',
  'node_modules/@deno/win32-x64 2.9.6',
];

it('every package has a SHA-512 checksum', () => {
  const missing = packages.filter(([, { integrity }]) => !/^sha512-[\w+/]{86}==$/.test(integrity ?? ''));
  expect(missing.map(([path, { version }]) => `${path} ${version}`)).toEqual(withoutChecksum);
});

it('no package comes from a place of its own: the registry is the choice of whoever installs', () => {
  expect(packages.filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
});
