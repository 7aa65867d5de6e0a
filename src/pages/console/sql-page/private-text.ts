/**
 * Encrypts data that only the operator who created it may read: private queries with their parameters, and the history.
 * SQL from other operators runs as `postgres` and can read the tables, but not the key, which is in a file on the
 * server.
 */

import { sql } from '../../../base/kernel/sql.ts';
import type { Seal } from '../../../base/shared/seal.ts';
import type { Pool, Queryable } from '../../../platform/database/types.ts';
import type { QueryView } from './contract.ts';

/** The pool for reading the tables, and the key for the encrypted columns. */
export interface PrivateStore {
  readonly db: Pool;
  readonly seal: Seal;
}

export interface SavedText {
  readonly text: string;
  readonly view: QueryView;
}

export interface RunText {
  readonly text: string;
  readonly error: string | null;
}

/** The number of rows, written by earlier versions, that are encrypted at a time. */
const batchRows = 500;

const aboutSaved = (owner: string): string => `saved query ${owner}`;
const aboutRun = (operator: string): string => `sql history ${operator}`;

/**
 * Encrypts a saved query.
 *
 * @param owner the ID of the operator, which is also required to decrypt the text
 */
export const sealSaved = (seal: Seal, owner: string, { text, view }: SavedText): Buffer =>
  seal.close(JSON.stringify({ text, view }), aboutSaved(owner));

export const openSaved = (seal: Seal, owner: string, sealed: Buffer): SavedText => {
  const opened = seal.open(sealed, aboutSaved(owner));
  return opened === undefined ? { text: unreadable, view: {} } : (JSON.parse(opened) as SavedText);
};

export const sealRun = (seal: Seal, operator: string, { text, error }: RunText): Buffer =>
  seal.close(JSON.stringify({ text, error }), aboutRun(operator));

export const openRun = (seal: Seal, operator: string, sealed: Buffer): RunText => {
  const opened = seal.open(sealed, aboutRun(operator));
  return opened === undefined ? { text: unreadable, error: null } : (JSON.parse(opened) as RunText);
};

/** Displayed if the key is missing, for example because the database was moved to another server without the key. */
const unreadable = '-- This text can’t be decrypted because the Console’s key was replaced.';

/** Encrypts rows that earlier versions of Plinth stored as plain text. */
export async function sealOlderRows({ db, seal }: PrivateStore): Promise<void> {
  while ((await sealSavedBatch(db, seal)) === batchRows || (await sealRunBatch(db, seal)) === batchRows);
}

async function sealSavedBatch(db: Queryable, seal: Seal): Promise<number> {
  const rows = await db.query<{ id: string; owner: string; text: string; view: QueryView }>(sql`
    select id, owner_id as owner, text, view from _plinth.saved_queries
    where not is_shared and sealed is null and owner_id is not null limit ${batchRows}::int`);
  for (const { id, owner, ...content } of rows)
    await db.query(sql`
      update _plinth.saved_queries set text = '', view = '{}', sealed = ${sealSaved(seal, owner, content)}
      where id = ${id}::uuid and not is_shared and sealed is null and text = ${content.text}`);
  return rows.length;
}

async function sealRunBatch(db: Queryable, seal: Seal): Promise<number> {
  const rows = await db.query<{ id: number; operator: string; text: string; error: string | null }>(sql`
    select id, operator_id as operator, text, error from _plinth.sql_history
    where sealed is null limit ${batchRows}::int`);
  for (const { id, operator, ...content } of rows)
    await db.query(sql`
      update _plinth.sql_history set text = '', error = null, sealed = ${sealRun(seal, operator, content)}
      where id = ${id}::bigint`);
  return rows.length;
}
