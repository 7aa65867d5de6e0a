/**
 * Determines the database that a command reads or changes: this project's database, the linked database, or a database
 * specified by a URL.
 */
import { shellEnvironment } from '../../platform/config/index.ts';
import { type ConnectionOptions, parseConnectionString } from '../../platform/database/index.ts';
import { type Input, type Option, UsageError } from './command.ts';
import { findRunning } from './control.ts';
import { linkedUrl } from './linked.ts';
import { say } from './output.ts';
import type { ProjectLocation } from './project-location.ts';
import { incompleteDatabase, requireProject, withBackend } from './remote-calls.ts';

export const targetOptions = {
  local: { type: 'boolean', help: "Uses this project's database (default)." },
  linked: { type: 'boolean', help: 'Uses the linked database.' },
  'db-url': { type: 'string', value: 'URL', help: 'Uses another database.' },
  password: {
    type: 'string',
    short: 'p',
    value: 'PASSWORD',
    help: 'Password, if the URL has none. Default: the SUPABASE_DB_PASSWORD environment variable.',
  },
} as const satisfies Record<string, Option>;

export interface TargetAccess {
  readonly password?: string | undefined;
  /** Whether the command is also useful if this project's first start failed. A warning is then printed. */
  readonly allowsIncomplete?: boolean;
}

/**
 * Runs `work` with the selected database. Starts this project's database if Plinth isn't running.
 *
 * @throws {CommandError} if no project exists, or its database is incomplete and `allowsIncomplete` isn't set
 */
export async function withTarget<T>(
  location: ProjectLocation,
  input: Input,
  work: (target: ConnectionOptions) => Promise<T>,
  access: TargetAccess = {},
): Promise<T> {
  const named = ['db-url', 'linked', 'local'].filter((name) => input.text(name) !== undefined);
  if (named.length > 1)
    throw new UsageError(`${named.map((name) => `--${name}`).join(' and ')} can't be used together`);
  const url = input.text('db-url');
  const target = url !== undefined ? { url } : input.flag('linked') ? 'linked' : 'local';
  return await withTargetNamed(location, target, work, { password: input.text('password'), ...access });
}

/** Like {@link withTarget}, but selects the database by `target` instead of the command's options. */
export async function withTargetNamed<T>(
  location: ProjectLocation,
  target: 'local' | 'linked' | { readonly url: string },
  work: (target: ConnectionOptions) => Promise<T>,
  access: TargetAccess = {},
): Promise<T> {
  const password = access.password ?? shellEnvironment().SUPABASE_DB_PASSWORD;
  const optionsOf = (url: string): ConnectionOptions => ({
    ...parseConnectionString(url, { password }),
    applicationName: 'plinth',
  });
  if (target !== 'local')
    return await work(optionsOf(target === 'linked' ? linkedUrl(location) : target.url));
  const running = await findRunning(location.dataDir);
  if (running !== undefined) return await work(optionsOf(await running.call<string>('databaseUrl')));
  requireProject(location);
  return await withBackend(location, say, async (backend) => {
    const incomplete = await incompleteDatabase(backend, location);
    if (incomplete !== undefined && access.allowsIncomplete !== true) throw incomplete;
    if (incomplete !== undefined) say(`WARNING: ${incomplete.message}`);
    return await work(optionsOf(backend.database.info.url));
  });
}
