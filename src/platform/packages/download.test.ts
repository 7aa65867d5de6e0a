import { describe, expect, it } from 'vitest';
import { findNpm } from './download.ts';

describe('the search for npm', () => {
  const unix = { os: 'linux', execPath: '/opt/node/bin/node' };
  const ownNpm = '/opt/node/lib/node_modules/npm/bin/npm-cli.js';
  const windows = { os: 'win32', execPath: 'C:\\node\\node.exe' };
  const windowsNpm = 'C:\\node\\node_modules\\npm\\bin\\npm-cli.js';

  it('uses the npm that started the process', () => {
    const env = { npm_execpath: '/usr/lib/npm/bin/npm-cli.js' };
    expect(findNpm({ ...unix, env, exists: () => true })).toEqual({
      file: '/opt/node/bin/node',
      args: ['/usr/lib/npm/bin/npm-cli.js'],
      shell: false,
    });
  });

  it("uses Node's own npm if another package manager started the process", () => {
    const env = { npm_execpath: '/usr/lib/pnpm/bin/pnpm.cjs' };
    expect(findNpm({ ...unix, env, exists: (path) => path === ownNpm }).args).toEqual([ownNpm]);
    expect(findNpm({ ...windows, env: {}, exists: (path) => path === windowsNpm }).args).toEqual([
      windowsNpm,
    ]);
  });

  it('otherwise searches PATH, and uses a shell on Windows because npm is a script there', () => {
    expect(findNpm({ ...unix, env: {}, exists: () => false })).toEqual({
      file: 'npm',
      args: [],
      shell: false,
    });
    expect(findNpm({ ...windows, env: {}, exists: () => false })).toEqual({
      file: 'npm',
      args: [],
      shell: true,
    });
  });
});
