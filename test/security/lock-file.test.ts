/**
 * Tests that the lock file contains each package's version and checksum, so that npm installs exactly the expected
 * packages.
 */
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

it('every package has a SHA-512 checksum', () => {
  const missing = packages.filter(([, { integrity }]) => !/^sha512-[\w+/]{86}==$/.test(integrity ?? ''));
  expect(missing.map(([path, { version }]) => `${path} ${version}`)).toEqual([]);
});

it('packages don’t have a fixed source, so each user chooses the registry', () => {
  expect(packages.filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
});
