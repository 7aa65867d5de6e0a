import { describe, expect, it } from 'vitest';
import { cacheFolder } from './cache-folder.ts';

describe('cacheFolder', () => {
  const linux = { os: 'linux', home: '/home/ada' };

  it('follows the conventions of each operating system', () => {
    expect(cacheFolder({ ...linux, env: {} })).toBe('/home/ada/.cache/plinth');
    expect(cacheFolder({ os: 'darwin', home: '/Users/ada', env: {} })).toBe(
      '/Users/ada/Library/Caches/plinth',
    );
    expect(
      cacheFolder({
        os: 'win32',
        home: 'C:\\Users\\ada',
        env: { LOCALAPPDATA: 'C:\\Users\\ada\\AppData\\Local' },
      }),
    ).toBe('C:\\Users\\ada\\AppData\\Local\\plinth\\Cache');
    expect(cacheFolder({ os: 'win32', home: 'C:\\Users\\ada', env: {} })).toBe(
      'C:\\Users\\ada\\AppData\\Local\\plinth\\Cache',
    );
  });

  it('uses XDG_CACHE_HOME on Linux only if it is absolute', () => {
    expect(cacheFolder({ ...linux, env: { XDG_CACHE_HOME: '/var/cache/ada' } })).toBe(
      '/var/cache/ada/plinth',
    );
    expect(cacheFolder({ ...linux, env: { XDG_CACHE_HOME: 'cache' } })).toBe('/home/ada/.cache/plinth');
    expect(cacheFolder({ os: 'darwin', home: '/Users/ada', env: { XDG_CACHE_HOME: '/x' } })).toBe(
      '/Users/ada/Library/Caches/plinth',
    );
  });

  it('prefers PLINTH_CACHE_DIR', () => {
    for (const os of ['linux', 'darwin', 'win32'])
      expect(cacheFolder({ os, home: '/h', env: { PLINTH_CACHE_DIR: '/opt/plinth' } })).toBe('/opt/plinth');
  });
});
