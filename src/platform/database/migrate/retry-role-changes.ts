/**
 * Retries changes to roles and to other objects that all databases of a server share. These objects belong to the whole server, but advisory locks belong to one database, so processes
 * that prepare different databases of one server can change the same role at the same time. PostgreSQL doesn't make
 * such changes wait for each other: one of them fails.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { PostgresErrorShape } from '../types.ts';

const maxTries = 20;
const firstPauseMs = 10;
const maxPauseMs = 250;

/**
 * Runs `work` again if another session has created or changed the same role in the meantime. `work` must leave no open
 * transaction and must have the same effect however often it runs.
 */
export async function retryRoleChanges<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (tries === maxTries || !isRoleConflict(error as PostgresErrorShape)) throw error;
      await sleep(Math.min(maxPauseMs, firstPauseMs * 2 ** (tries - 1)));
    }
  }
}

/** Whether the error means that another session changed the same row of a catalog that all databases share. */
function isRoleConflict({ code, message, routine, schema, table }: PostgresErrorShape): boolean {
  switch (code) {
    // Internal errors without a specific code, which CREATE, ALTER, GRANT and COMMENT report for a concurrent change.
    case 'XX000':
      return /^tuple concurrently (updated|deleted)$/.test(message);
    case '42710':
      return routine === 'CreateRole';
    case '23505':
      return schema === 'pg_catalog' && /^pg_(auth|db_role|parameter_acl|sh)/.test(table ?? '');
    case '40P01':
      return true;
    default:
      return false;
  }
}
