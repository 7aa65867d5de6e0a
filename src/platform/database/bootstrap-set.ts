import type { MigrationSet } from './types.ts';

/** The migrations that are applied first in every database. These migrations create roles, schemas and guards. */
export const bootstrapSet: MigrationSet = {
  module: 'database',
  dir: new URL('./sql/', import.meta.url),
  second: '0010',
};
