/**
 * Lists the contents of a folder by size. The storage service can sort only by name and time, so this function reads
 * the storage tables directly.
 */

import { sql } from '../../../base/kernel/sql.ts';
import type { Pool } from '../../../platform/database/types.ts';
import { ConsoleError } from '../errors.ts';
import type { FolderEntry, FolderPage } from './contract.ts';

const pageLimit = 200;
/** Folders have no size, so all folders are on the first page. */
const maxFolders = 10_000;
const timeoutMs = 60_000;

export interface SizeQuery {
  readonly prefix: string;
  readonly cursor?: string | undefined;
  readonly order: 'asc' | 'desc';
}

type SizedEntry = FolderEntry & { readonly size_text: string };

/** @throws {ConsoleError} bad_request if the cursor is invalid */
export async function listBySize(
  db: Pool,
  bucket: string,
  { prefix, cursor, order }: SizeQuery,
): Promise<FolderPage> {
  const folder = prefix.slice(0, prefix.lastIndexOf('/') + 1);
  const after = cursor === undefined ? undefined : decodeCursor(cursor);
  const [direction, comparison] = order === 'asc' ? [sql`asc`, sql`>`] : [sql`desc`, sql`<`];
  const inPrefix = sql`bucket_id = ${bucket} and starts_with(name, ${prefix})`;
  const rest = sql`substr(name, length(${folder}::text) + 1)`;
  return db.transaction(
    async (tx) => {
      const folders =
        after === undefined
          ? await tx.query<{ name: string }>(sql`
              select distinct ${folder}::text || split_part(${rest}, '/', 1) || '/' collate "C" as name
              from storage.objects where ${inPrefix} and strpos(${rest}, '/') > 0
              order by 1 limit ${maxFolders}::int`)
          : [];
      const objects = await tx.query<SizedEntry>(sql`
        select name, id, updated_at, metadata, size::text as size_text from (
          select name collate "C" as name, id, updated_at, metadata,
                 case when metadata ->> 'size' ~ '^[0-9]{1,15}$' then (metadata ->> 'size')::int8 else 0 end as size
          from storage.objects where ${inPrefix} and strpos(${rest}, '/') = 0
        ) file
        where ${after === undefined ? sql`true` : sql`(size, name) ${comparison} (${after.size}::int8, ${after.name})`}
        order by size ${direction}, name ${direction} limit ${pageLimit + 1}::int`);
      const page = objects.slice(0, pageLimit);
      const last = page.at(-1);
      return {
        hasNext: objects.length > pageLimit,
        ...(objects.length > pageLimit && last !== undefined ? { nextCursor: encodeCursor(last) } : {}),
        folders: folders.map(({ name }) => ({ name, id: null, updated_at: null })),
        objects: page.map(({ size_text: _size, ...entry }) => entry),
      };
    },
    { readOnly: true, settings: [['statement_timeout', String(timeoutMs)]] },
  );
}

const encodeCursor = ({ size_text, name }: SizedEntry): string => `${size_text}:${name}`;

function decodeCursor(cursor: string): { size: string; name: string } {
  const [, size, name] = /^(\d{1,15}):([^\0]*)$/s.exec(cursor) ?? [];
  if (size === undefined || name === undefined)
    throw new ConsoleError('bad_request', { message: 'The cursor is invalid. Reload the list.' });
  return { size, name };
}
