/** The options for an external PostgreSQL server and a pooler in front of it. */
import { type Input, UsageError } from './command.ts';

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
  const databaseUrl = input.text('database-url');
  const databaseDirectUrl = input.text('database-direct-url');
  if (databaseUrl === undefined) {
    if (databaseDirectUrl === undefined) return {};
    throw new UsageError('--database-direct-url: --database-url is also required');
  }
  return databaseDirectUrl === undefined ? { databaseUrl } : { databaseUrl, databaseDirectUrl };
}
