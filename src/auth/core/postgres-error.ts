import type { PostgresErrorShape } from '../../database/types.ts';

/** Whether PostgreSQL reported the error. */
export function isPostgresError(error: unknown): error is PostgresErrorShape {
  const { code, severity } = (error ?? {}) as { code?: unknown; severity?: unknown };
  return error instanceof Error && typeof code === 'string' && typeof severity === 'string';
}
