import { describe, expect, it } from 'vitest';
import { supportedPlatform } from './platform.ts';

describe('the check for supported platforms', () => {
  it('names the platforms that have binaries', () => {
    for (const [os, arch] of [
      ['linux', 'x64'],
      ['linux', 'arm64'],
      ['darwin', 'x64'],
      ['darwin', 'arm64'],
      ['win32', 'x64'],
    ] as const)
      expect(supportedPlatform({ os, arch, isMusl: false })).toBe(`${os}-${arch}`);
  });

  it('explains which image to use instead of Alpine', () => {
    expect(() => supportedPlatform({ os: 'linux', arch: 'x64', isMusl: true })).toThrow(
      expect.objectContaining({
        message: 'Plinth has no binaries for Linux with musl (Alpine).',
        advice: ['Use an image with glibc, such as node:24-slim.'],
      }),
    );
  });

  it('rejects other machines', () => {
    for (const [os, arch] of [
      ['freebsd', 'x64'],
      ['win32', 'arm64'],
      ['linux', 'riscv64'],
    ] as const)
      expect(() => supportedPlatform({ os, arch, isMusl: false })).toThrow(`no binaries for ${os}-${arch}`);
  });
});
