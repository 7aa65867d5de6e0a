/**
 * Determines the database whose migration history a command reads or changes: either this project's database or another
 * database.
 */
import { shellEnvironment } from '../../platform/config/index.ts';
import { openOtherDatabase, type Pool } from '../../platform/database/index.ts';
import { type Input, type Option, UsageError } from './command.ts';
import { linkedUrl } from './linked.ts';
import type { ProjectLocation } from './project-location.ts';

export const historyOptions = {
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

/** Returns the URL of the other database, or undefined for this project's database. @throws {UsageError} */
export function otherUrl(location: ProjectLocation, input: Input): string | undefined {
  const named = ['db-url', 'linked', 'local'].filter((name) => input.text(name) !== undefined);
  if (named.length > 1)
    throw new UsageError(`${named.map((name) => `--${name}`).join(' and ')} can't be used together`);
  return input.text('db-url') ?? (input.flag('linked') ? linkedUrl(location) : undefined);
}

export async function withOther<T>(url: string, input: Input, work: (pool: Pool) => Promise<T>): Promise<T> {
  const password = input.text('password') ?? shellEnvironment().SUPABASE_DB_PASSWORD;
  const other = await openOtherDatabase(url, { password, session: 'inspect' });
  try {
    return await work(other.pool);
  } finally {
    await other.stop();
  }
}
