/** The migration for organizations, and the notice for projects that don't have it. */
import { readFileSync } from 'node:fs';
import { sql } from '../../base/kernel/sql.ts';
import type { Backend } from '../main.ts';

/** Returns the SQL that `plinth organizations init` writes. */
export const organizationsMigration = (): string =>
  readFileSync(new URL('../../../templates/organizations/migration.sql', import.meta.url), 'utf8');

/** Returns a sentence that says what to run if the setting is on and the database has no organizations. */
export async function missingOrganizations({
  config,
  database,
}: Pick<Backend, 'config' | 'database'>): Promise<string | undefined> {
  if (!config.plinth.account.organizations) return undefined;
  const [row] = await database
    .pool('postgres')
    .query<{ is_missing: boolean }>(
      sql`select pg_catalog.to_regprocedure('org.token_claims()') is null as is_missing`,
    );
  if (row?.is_missing !== true) return undefined;
  return 'Warning: account.organizations is on, but the database has no organizations. Run "plinth organizations init" and "plinth migration up".';
}
