/** The options for an external PostgreSQL server and a pooler in front of it. */
import { type Input, UsageError } from './command.ts';

/** Other users of the machine can see the arguments of a process, but not its environment. */
const urlVariable = 'PLINTH_DATABASE_URL';

export const databaseUrlOption = {
  type: 'string',
  value: 'URL',
  help: `Uses this PostgreSQL server (15 or newer) instead of the embedded one. Default: $${urlVariable}.`,
} as const;

export const directUrlOption = {
  type: 'string',
  value: 'URL',
  help: 'URL of the PostgreSQL server itself, if --database-url is the URL of a pooler in transaction mode.',
} as const;

interface DatabaseUrls {
  readonly databaseUrl?: string;
  readonly databaseDirectUrl?: string;
}

/** @throws {UsageError} */
export function databaseUrlsOf(input: Input): DatabaseUrls {
  // An empty variable is the same as none, as in the files that set the environment of a service.
  const databaseUrl = input.text('database-url') ?? (process.env[urlVariable] || undefined);
  const databaseDirectUrl = input.text('database-direct-url');
  if (databaseUrl === undefined) {
    if (databaseDirectUrl === undefined) return {};
    throw new UsageError('--database-direct-url: --database-url is also required');
  }
  return databaseDirectUrl === undefined ? { databaseUrl } : { databaseUrl, databaseDirectUrl };
}
