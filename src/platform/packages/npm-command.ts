/** Finds the user's npm, whose configuration contains the registry, credentials, proxy and certificates. */
import { posix, win32 } from 'node:path';
import type { Environment } from './types.ts';

export interface NpmCommand {
  readonly file: string;
  readonly args: readonly string[];
  /** Whether the command must run in a shell, which is necessary for `npm.cmd` on Windows. */
  readonly shell: boolean;
}

export interface NodeInstallation {
  readonly os: string;
  readonly execPath: string;
  readonly env: Environment;
  readonly exists: (path: string) => boolean;
}

/** Returns the npm that started this process, the npm of this Node installation, or the npm in `PATH`. */
export function findNpm({ os, execPath, env, exists }: NodeInstallation): NpmCommand {
  const path = os === 'win32' ? win32 : posix;
  const folder = path.dirname(execPath);
  // Other package managers also set the variable `npm_execpath`.
  const running = env.npm_execpath;
  const scripts = [
    ...(running !== undefined && /npm-cli\.c?js$/.test(running) ? [running] : []),
    os === 'win32'
      ? path.join(folder, 'node_modules', 'npm', 'bin', 'npm-cli.js')
      : path.join(folder, '..', 'lib', 'node_modules', 'npm', 'bin', 'npm-cli.js'),
  ];
  const script = scripts.find(exists);
  if (script !== undefined) return { file: execPath, args: [script], shell: false };
  return { file: 'npm', args: [], shell: os === 'win32' };
}
