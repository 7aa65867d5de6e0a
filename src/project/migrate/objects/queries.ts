/** Runs the statements on rows of `storage.objects`. */
import { quoteLiteral, sql } from '../../../base/kernel/sql.ts';
import { placesLiteral, type SharedTable } from '../core/row-text.ts';
import { inTransaction } from '../ends.ts';
import type { End } from '../types.ts';

/** A row of the source's `storage.objects`. `json` is the row's text, which the target parses unchanged. */
export interface SourceObject {
  readonly json: string;
  readonly bucket: string;
  readonly name: string;
  readonly version: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
}

export async function readSourceObjects(
  { session }: End,
  { columns, table }: SharedTable,
  places: readonly string[],
): Promise<SourceObject[]> {
  const rows = await session.query<{
    json: string;
    bucket: string;
    name: string;
    version: string | null;
    metadata: unknown;
  }>(
    sql.raw(`select pg_catalog.to_jsonb(r)::text as json, r.bucket_id as bucket, r.name, r.version, r.metadata
      from (select ${columns.join(', ')} from only ${table} t where t.ctid = any (${placesLiteral(places)})) r`),
  );
  return rows.map(({ metadata, ...row }) => ({
    ...row,
    metadata: typeof metadata === 'object' && metadata !== null ? (metadata as Record<string, unknown>) : {},
  }));
}

export interface TargetObject {
  readonly eTag: string | null;
  readonly size: string | null;
  readonly lastModified: string | null;
}

const keyOf = (bucket: string, name: string): string => JSON.stringify([bucket, name]);

/** Returns the target's rows for these objects, indexed by {@link objectKey}. */
export async function readTargetObjects(
  { session }: End,
  objects: readonly SourceObject[],
): Promise<ReadonlyMap<string, TargetObject>> {
  const rows = await session.query<TargetObject & { bucket: string; name: string }>(sql`
    select o.bucket_id as bucket, o.name, o.metadata ->> 'eTag' as "eTag", o.metadata ->> 'size' as size,
      o.metadata ->> 'lastModified' as "lastModified"
    from storage.objects o
    join unnest(${objects.map(({ bucket }) => bucket)}::text[], ${objects.map(({ name }) => name)}::text[]) w (bucket, name)
      on o.bucket_id = w.bucket and o.name = w.name`);
  return new Map(rows.map(({ bucket, name, ...row }) => [keyOf(bucket, name), row]));
}

export const objectKey = ({ bucket, name }: Pick<SourceObject, 'bucket' | 'name'>): string =>
  keyOf(bucket, name);

/** Columns that the target's server sets itself. */
const serverColumns = new Set(['version', 'bucket_id', 'name']);

/** Sets the IDs, owners, times and metadata of uploaded objects to those of the source. */
export async function updateTargetObjects(
  target: End,
  { columns }: SharedTable,
  objects: readonly SourceObject[],
): Promise<void> {
  if (objects.length === 0) return;
  const assignments = columns
    .filter((column) => !serverColumns.has(column))
    .map((column) => `${column} = s.${column}`);
  const json = quoteLiteral(`[${objects.map((object) => object.json).join(',')}]`);
  await inTransaction(target, () =>
    target.session.exec(
      `update storage.objects o set ${assignments.join(', ')}
       from pg_catalog.jsonb_populate_recordset(null::storage.objects, ${json}::pg_catalog.jsonb) s
       where o.bucket_id = s.bucket_id and o.name = s.name`,
    ),
  );
}

/** Returns the target's objects that no longer exist on the source. */
export async function readDeletedObjects({ session }: End): Promise<{ bucket: string; name: string }[]> {
  return await session.query<{ bucket: string; name: string }>(sql`
    select o.bucket_id as bucket, o.name from storage.objects o
    where o.ctid = any (array(select target from pg_temp.plinth_delta where source is null))`);
}
