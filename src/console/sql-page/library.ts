/**
 * Saved queries. A private query is listed only for its owner, and a shared one for all operators. A private query isn't
 * secret, because SQL that runs as `postgres` can read all tables. A query can be changed by its owner, and a shared one
 * also by operators with the permission `own`.
 */
import type { Queryable } from '../../database/types.ts';
import { type Sql, sql } from '../../kernel/sql.ts';
import { isPostgresError } from '../../shared/postgres-error.ts';
import { may, type OperatorRole } from '../core/roles.ts';
import { ConsoleError } from '../errors.ts';
import type { QueryView, SavedRow } from './contract.ts';

/** The operator whose view of the library is read or changed. */
export interface Reader {
  readonly id: string;
  readonly name: string;
  readonly role: OperatorRole;
}

export interface SavedInput {
  readonly name: string;
  readonly folder: string;
  readonly isShared: boolean;
  readonly text: string;
  readonly view: QueryView;
}

/** The maximum number of saved queries per operator. */
const maxSaved = 1000;

const isOwn = (reader: Reader): Sql => sql`(owner_id is not distinct from ${reader.id}::uuid)`;
const mayChange = (reader: Reader): Sql =>
  sql`(${isOwn(reader)} or (is_shared and ${may(reader.role, 'own')}::boolean)) and ${may(reader.role, 'write')}::boolean`;
const fields = (reader: Reader): Sql => sql`id, name, folder, text, is_shared as "isShared", view,
  owner_name as owner, saved_by as "savedBy", saved_at as "savedAt", ${mayChange(reader)} as "mayChange"`;

export const listSaved = (db: Queryable, reader: Reader): Promise<SavedRow[]> =>
  db.query<SavedRow>(sql`
    select ${fields(reader)} from _plinth.saved_queries where is_shared or ${isOwn(reader)}
    order by lower(folder), lower(name), saved_at`);

/** @throws {ConsoleError} taken, if the operator has a query with this name in this folder; refused, at the limit */
export async function createSaved(db: Queryable, reader: Reader, input: SavedInput): Promise<SavedRow> {
  const [row] = await unlessTaken(() =>
    db.query<SavedRow>(sql`
      insert into _plinth.saved_queries (name, folder, is_shared, text, view, owner_id, owner_name, saved_by)
      select ${input.name}, ${input.folder}, ${input.isShared}::boolean, ${input.text}, ${input.view}::jsonb,
        ${reader.id}::uuid, ${reader.name}, ${reader.name}
      where (select count(*) from _plinth.saved_queries where owner_id = ${reader.id}::uuid) < ${maxSaved}::int
      returning ${fields(reader)}`),
  );
  if (row === undefined)
    throw new ConsoleError('refused', {
      message: `You have ${maxSaved} saved queries, which is the limit. Delete some of them first.`,
    });
  return row;
}

/** @throws {ConsoleError} taken; not_found, if the query isn't visible; forbidden, if another operator owns it */
export async function changeSaved(
  db: Queryable,
  reader: Reader,
  id: string,
  input: SavedInput,
): Promise<SavedRow> {
  // Only the owner can change who sees the query, because the other operators couldn't see a private one anymore.
  const [row] = await unlessTaken(() =>
    db.query<SavedRow>(sql`
      update _plinth.saved_queries set name = ${input.name}, folder = ${input.folder}, text = ${input.text},
        view = ${input.view}::jsonb, saved_by = ${reader.name}, saved_at = now(),
        is_shared = case when ${isOwn(reader)} then ${input.isShared}::boolean else is_shared end
      where id = ${id}::uuid and ${mayChange(reader)}
      returning ${fields(reader)}`),
  );
  return row ?? rejected(db, reader, id);
}

/** Deletes a query and returns its name. @throws {ConsoleError} not_found; forbidden */
export async function removeSaved(db: Queryable, reader: Reader, id: string): Promise<SavedRow> {
  const [row] = await db.query<SavedRow>(sql`
    delete from _plinth.saved_queries where id = ${id}::uuid and ${mayChange(reader)} returning ${fields(reader)}`);
  return row ?? rejected(db, reader, id);
}

async function rejected(db: Queryable, reader: Reader, id: string): Promise<never> {
  const seen = await db.query(
    sql`select from _plinth.saved_queries where id = ${id}::uuid and (is_shared or ${isOwn(reader)})`,
  );
  if (seen.length === 0)
    throw new ConsoleError('not_found', { message: "This query doesn't exist anymore." });
  throw new ConsoleError('forbidden', {
    message: 'Another operator owns this query. Save a copy of it instead.',
  });
}

async function unlessTaken<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isPostgresError(error) && error.code === '23505')
      throw new ConsoleError('taken', {
        message: 'You already have a query with this name in this folder. Enter another name.',
      });
    throw error;
  }
}
