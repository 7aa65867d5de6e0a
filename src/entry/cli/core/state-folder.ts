/** Finds the folder in which the running projects of a user are recorded. */
import { posix, win32 } from 'node:path';

export interface User {
  readonly os: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * Returns the path to the state folder according to the operating system's conventions. An absolute XDG_STATE_HOME
 * takes precedence on every system.
 *
 * @example stateFolder({ os: 'linux', home: '/home/ada', env: {} }); // '/home/ada/.local/state/plinth'
 */
export function stateFolder({ os, home, env }: User): string {
  const { join, isAbsolute } = os === 'win32' ? win32 : posix;
  // According to the XDG specification, a relative path is invalid and must be ignored.
  const chosen = env.XDG_STATE_HOME;
  if (chosen !== undefined && isAbsolute(chosen)) return join(chosen, 'plinth');
  if (os === 'win32') return join(env.LOCALAPPDATA || join(home, 'AppData', 'Local'), 'plinth', 'State');
  if (os === 'darwin') return join(home, 'Library', 'Application Support', 'plinth');
  return join(home, '.local', 'state', 'plinth');
}
