/**
 * Saved queries. A private query is visible only to its owner. A shared query is visible to all operators. The text and
 * parameters of a private query are encrypted (private-text.ts). The name and folder aren't encrypted. Owners can
 * change their queries. Operators with the `own` permission can also change shared queries.
 */
import { type Sql, sql } from '../../../base/kernel/sql.ts';
import { isPostgresError } from '../../../base/shared/errors.ts';
import type { Queryable } from '../../../platform/database/types.ts';
import type { Audit } from '../audit.ts';
import { may, type OperatorRole } from '../core/roles.ts';
import { ConsoleError } from '../errors.ts';
import { type AddRoute, parseAs } from '../routes/api.ts';
import type { contract, QueryView, SavedRow } from './contract.ts';
import { openSaved, type PrivateStore, sealOlderRows, sealSaved } from './private-text.ts';
import * as queries from './queries.ts';

/** The operator who reads or changes the query library. */
interface Reader {
  readonly id: string;
  readonly name: string;
  readonly role: OperatorRole;
}

interface SavedInput {
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
  owner_name as owner, saved_by as "savedBy", saved_at as "savedAt", ${mayChange(reader)} as "mayChange", sealed`;

type StoredRow = SavedRow & { readonly sealed: Buffer | null };

/**
 * Decrypts a row. Only the owner can read a private row, so the reader is always the operator for whom the row was
 * encrypted.
 */
const opened = ({ seal }: PrivateStore, reader: Reader, { sealed, ...row }: StoredRow): SavedRow =>
  sealed === null ? row : { ...row, ...openSaved(seal, reader.id, sealed) };

async function listSaved(store: PrivateStore, reader: Reader): Promise<SavedRow[]> {
  const rows = await store.db.query<StoredRow>(sql`
    select ${fields(reader)} from _plinth.saved_queries where is_shared or ${isOwn(reader)}
    order by lower(folder), lower(name), saved_at`);
  return rows.map((row) => opened(store, reader, row));
}

interface StoredText {
  readonly text: string;
  readonly view: QueryView;
  readonly sealed: Buffer | null;
}

const stored = ({ seal }: PrivateStore, reader: Reader, { text, view, isShared }: SavedInput): StoredText =>
  isShared
    ? { text, view, sealed: null }
    : { text: '', view: {}, sealed: sealSaved(seal, reader.id, { text, view }) };

/**
 * Creates a query.
 *
 * @throws {ConsoleError} taken if the operator already has a query with this name in this folder, refused if the
 * operator already has the maximum number of queries
 */
async function createSaved(store: PrivateStore, reader: Reader, input: SavedInput): Promise<SavedRow> {
  const { text, view, sealed } = stored(store, reader, input);
  const [row] = await unlessTaken(() =>
    store.db.transaction(async (tx) => {
      // Locks the operator's row, so that concurrent requests can't exceed the limit.
      await tx.query(sql`select from _plinth.operators where id = ${reader.id}::uuid for no key update`);
      return tx.query<StoredRow>(sql`
        insert into _plinth.saved_queries (name, folder, is_shared, text, view, sealed, owner_id, owner_name, saved_by)
        select ${input.name}, ${input.folder}, ${input.isShared}::boolean, ${text}, ${view}::jsonb, ${sealed}::bytea,
          ${reader.id}::uuid, ${reader.name}, ${reader.name}
        where (select count(*) from _plinth.saved_queries where owner_id = ${reader.id}::uuid) < ${maxSaved}::int
        returning ${fields(reader)}`);
    }),
  );
  if (row === undefined)
    throw new ConsoleError('refused', {
      message: `You have ${maxSaved} saved queries, which is the limit. Delete some of them first.`,
    });
  return opened(store, reader, row);
}

/**
 * Changes a query.
 *
 * @throws {ConsoleError} taken, not_found if the query isn't visible to the operator, forbidden if the query belongs to
 * another operator
 */
async function changeSaved(
  store: PrivateStore,
  reader: Reader,
  id: string,
  input: SavedInput,
): Promise<SavedRow> {
  // Only the owner can change the visibility of a query, because other operators can no longer see the query after it
  // becomes private.
  const own = stored(store, reader, input);
  const [row] = await unlessTaken(() =>
    store.db.query<StoredRow>(sql`
      update _plinth.saved_queries set name = ${input.name}, folder = ${input.folder}, saved_by = ${reader.name},
        saved_at = now(),
        text = case when ${isOwn(reader)} then ${own.text} else ${input.text} end,
        view = case when ${isOwn(reader)} then ${own.view}::jsonb else ${input.view}::jsonb end,
        sealed = case when ${isOwn(reader)} then ${own.sealed}::bytea end,
        is_shared = case when ${isOwn(reader)} then ${input.isShared}::boolean else is_shared end
      where id = ${id}::uuid and ${mayChange(reader)}
      returning ${fields(reader)}`),
  );
  return row === undefined ? rejected(store.db, reader, id) : opened(store, reader, row);
}

/** Deletes a saved query and returns its name. @throws {ConsoleError} not_found, forbidden */
async function removeSaved(store: PrivateStore, reader: Reader, id: string): Promise<SavedRow> {
  const [row] = await store.db.query<StoredRow>(sql`
    delete from _plinth.saved_queries where id = ${id}::uuid and ${mayChange(reader)} returning ${fields(reader)}`);
  return row === undefined ? rejected(store.db, reader, id) : opened(store, reader, row);
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

const historyShown = 100;

/** The routes for saved queries and for the history of an operator's statements. */
export function libraryRoutes(route: AddRoute<typeof contract>, store: PrivateStore, audit: Audit): void {
  void sealOlderRows(store).catch(() => undefined);
  route('GET /sql/history', 'read', async ({ operator }) => ({
    entries: await queries.listHistory(store, operator.id, historyShown),
  }));
  route('DELETE /sql/history', 'read', async ({ operator }) => queries.clearHistory(store.db, operator.id), {
    changes: 'own session',
  });
  route('GET /sql/saved', 'read', async ({ operator }) => ({ saved: await listSaved(store, operator) }));
  route('POST /sql/saved', 'write', async (call) => {
    const saved = await createSaved(store, call.operator, await call.body());
    await audit(call, 'query.save', saved.isShared ? saved.name : '', { shared: saved.isShared });
    return saved;
  });
  route('PUT /sql/saved/:id', 'write', async (call) => {
    const saved = await changeSaved(store, call.operator, await idOf(call.request.params), await call.body());
    await audit(call, 'query.change', saved.isShared ? saved.name : '', {
      shared: saved.isShared,
      owner: saved.owner,
    });
    return saved;
  });
  route('DELETE /sql/saved/:id', 'write', async (call) => {
    const { name, owner, isShared } = await removeSaved(
      store,
      call.operator,
      await idOf(call.request.params),
    );
    await audit(call, 'query.remove', isShared ? name : '', { shared: isShared, owner });
  });
}

async function idOf(params: unknown): Promise<string> {
  return (await parseAs((await import('./contract.ts')).savedQueryParams, params)).id;
}
