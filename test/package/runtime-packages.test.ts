/**
 * Tests which packages an installation downloads on each platform, including platforms on which the tests can't run.
 */
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { binaryPackage } from '../../src/platform/database/embedded/binaries.ts';
import { supportedPlatform } from '../../src/platform/packages/index.ts';
import { type PackageManifest, platforms } from '../../src/platform/packages/types.ts';
import { denoPackage } from '../../src/services/functions/deno/binary.ts';

const script = new URL('../../scripts/package/runtime-packages.mjs', import.meta.url);
const { runtimePackages } = (await import(script.href)) as {
  runtimePackages: (lockFile: string) => PackageManifest['platforms'];
};
const list = runtimePackages(fileURLToPath(new URL('../../package-lock.json', import.meta.url)));

/** The parts of package names that identify an operating system. */
const systems = { linux: /linux/, darwin: /darwin/, win32: /win(dows|32)?-/ } as const;
const architectures = { x64: /x64/, arm64: /arm64/ } as const;

it.each([...platforms])('%s has only packages of this platform, with hashes', (platform) => {
  const [os, arch] = platform.split('-') as [keyof typeof systems, keyof typeof architectures];
  const groups = list[platform];
  expect(Object.keys(groups)).toEqual(['server', 'functions', 'images', 'types', 'node']);
  for (const packages of Object.values(groups)) {
    expect(packages.length).toBeGreaterThan(0);
    for (const { name, version, integrity } of packages) {
      expect(integrity, name).toMatch(/^sha512-/);
      expect(version, name).toMatch(/^\d/);
    }
    const native = packages.filter(({ name }) => /linux|darwin|win(dows|32)?-/.test(name));
    expect(native.length).toBeGreaterThan(0);
    for (const { name } of native) {
      expect(name).toMatch(architectures[arch]);
      // The name "darwin" also contains "win".
      const others = Object.entries(systems).filter(([other]) => other !== os);
      for (const [, pattern] of others)
        expect(name.replace('darwin', os === 'darwin' ? '' : '$&')).not.toMatch(pattern);
      expect(name).not.toMatch(/musl/);
    }
  }
});

it.each([...platforms])('%s finds the programs in the packages that it downloads', (platform) => {
  const [os = '', arch = ''] = platform.split('-');
  expect(supportedPlatform({ os, arch, isMusl: false })).toBe(platform);
  const names = (group: 'server' | 'functions') => list[platform][group].map(({ name }) => name);
  expect(names('server')).toContain(binaryPackage(os, arch));
  expect(names('functions')).toEqual([denoPackage(os, arch)]);
});
