import type { MigrationSet } from './types.ts';

/** The migrations that run first in every database. They create roles, schemas and guards. */
export const bootstrapSet: MigrationSet = { module: 'database', dir: new URL('./sql/', import.meta.url) };
