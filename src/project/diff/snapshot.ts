/** Reads the schema of a database in three parts: objects that pg-delta models, other objects, and other properties. */
import { extract } from '@supabase/pg-delta/extract';
import pg from 'pg';
import { quoteIdentifier, sql } from '../../base/kernel/sql.ts';
import { type CatalogObject, isManaged, readCatalog, sessionSettings } from '../../operations/dump/index.ts';
import {
  type ConnectionOptions,
  type CopySession,
  inspectionTarget,
  openCopySession,
} from '../../platform/database/index.ts';
import { isUnmodeled } from './core/extras.ts';
import { normalizeFacts } from './core/normalize.ts';
import { refOf } from './core/refs.ts';
import {
  readExtensionComments,
  readMemberships,
  readProperties,
  readScriptedMembers,
  readVirtualColumns,
} from './properties.ts';
import type { Snapshot } from './types.ts';

export async function readSnapshot(target: ConnectionOptions): Promise<Snapshot> {
  const session = await openCopySession(await inspectionTarget(target));
  try {
    await session.exec(begin);
    const { factBase } = await extract(poolOf(session));
    const catalog = await readCatalog(session, { includes: () => true });
    return {
      serverVersion: session.serverVersion,
      facts: normalizeFacts(factBase, {
        memberships: await readMemberships(session),
        extensionComments: await readExtensionComments(session),
      }),
      extras: {
        objects: catalog.objects.filter((object) => isUnmodeled(object) && !isManaged(object.schema ?? '')),
        comments: new Map(catalog.comments.map(({ key, text }) => [key, text])),
        dependencies: catalog.dependencies,
        refs: new Map(catalog.objects.flatMap(namesByKey)),
      },
      virtualColumns: await readVirtualColumns(session),
      scriptedMembers: await readScriptedMembers(session),
      properties: (await readProperties(session)).filter(({ schema }) => !isManaged(schema ?? '')),
      placeholders: new Map(catalog.objects.flatMap(placeholderByName)),
    };
  } finally {
    session.destroy();
  }
}

/**
 * All parts are read in one transaction with a single snapshot. The database may be hostile, so its search path must
 * not determine which functions and operators the queries call. The database's settings must not change the format of
 * definitions.
 */
const begin = `${sessionSettings};begin isolation level repeatable read read only;set local search_path = pg_catalog, pg_temp`;

function placeholderByName({ schema, name, placeholder }: CatalogObject): [string, string][] {
  if (schema === undefined || placeholder === undefined) return [];
  const query = placeholder.slice(placeholder.indexOf(' AS\n') + ' AS\n'.length);
  return [[`${quoteIdentifier(schema)}.${quoteIdentifier(name)}`, query]];
}

/** The keys of row types, array types and multiranges refer to the table or type to which they belong. */
const namesByKey = (object: CatalogObject): [string, string][] =>
  [object.key, ...(object.aliases ?? [])].map((key) => [key, refOf(object)]);

type Extract = typeof extract;
type ExtractPool = Parameters<Extract>[0];

/**
 * Returns a pool for pg-delta's `extract`, which runs statements without parameters on one client. The pool decodes
 * values like node-postgres. The session is already in a transaction, which must not end before the other parts are
 * read.
 */
function poolOf(session: CopySession): ExtractPool {
  const query = async (text: string) => {
    if (/^(BEGIN|COMMIT|ROLLBACK)\b/i.test(text)) return { rows: [] };
    const { columns, rows } = await session.queryText(sql.raw(text));
    const parsers = columns.map(({ typeOid }) => pg.types.getTypeParser(typeOid, 'text'));
    return {
      rows: rows.map((row) =>
        Object.fromEntries(
          columns.map(({ name }, index) => {
            const text = row[index] ?? null;
            return [name, text === null ? null : parsers[index]?.(text)];
          }),
        ),
      ),
    };
  };
  return { query, connect: async () => ({ query, release: () => {} }) } as unknown as ExtractPool;
}
