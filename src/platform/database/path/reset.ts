/** Resets a session to its initial state, except for the prepared statements of this process. */
import { runScript } from '../wire/index.ts';
import type { Lane } from './lane.ts';

/**
 * The statements that DISCARD ALL runs, except DEALLOCATE ALL, because preparing this process's statements again would
 * cost more than the request. If SQL in a function has prepared statements, all prepared statements are deallocated
 * afterward. The role and `search_path` are reset first, so that nothing that a function left behind can interfere with
 * the remaining statements.
 */
const RESET = [
  'set session authorization default',
  'reset role',
  'reset all',
  'close all',
  'unlisten *',
  'discard temp',
  'discard sequences',
  `select pg_catalog.pg_advisory_unlock_all(),
     (select pg_catalog.count(*) from pg_catalog.pg_prepared_statements where from_sql)`,
].join('; ');

export async function resetSession(lane: Lane): Promise<void> {
  const results = await runScript(lane.connection, RESET);
  const foreign = results.at(-1)?.rows[0]?.[1];
  if (foreign === '0') return;
  lane.statements.clear();
  await runScript(lane.connection, 'deallocate all');
}
