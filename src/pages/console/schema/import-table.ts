/**
 * Creates a table from an uploaded file and inserts the file's rows in the same transaction. The request body begins
 * with a line of JSON that defines the table. The rest of the body is the file. The table definition isn't in the URL,
 * because the length of a URL is limited.
 */
import { Readable } from 'node:stream';
import type { Pool } from '../../../platform/database/types.ts';
import type { Audit } from '../audit.ts';
import { ConsoleError } from '../errors.ts';
import { type Api, parseAs } from '../routes/api.ts';
import { findRelation } from '../tables/catalog.ts';
import type { ImportReport } from '../tables/contract.ts';
import { inferColumns } from '../tables/core/infer-types.ts';
import { importRows } from '../tables/import.ts';
import { readSource } from '../tables/import-source.ts';
import { bodyOf, Faulty, type ImportProgress } from '../tables/transfer-routes.ts';
import { applyChanges, statementsOf, type WriteMigration } from './apply.ts';

const maxDefinitionBytes = 2_000_000;
/** The number of rows from which the column types are inferred. */
const inferredRows = 2000;
const shownRows = 5;

export interface ImportTableDeps {
  readonly pool: Pool;
  readonly audit: Audit;
  readonly writeMigration: WriteMigration;
  readonly progress: ImportProgress;
}

export function importTableRoutes(
  api: Api,
  { pool, audit, writeMigration, progress }: ImportTableDeps,
): void {
  const route = api.feature(() => import('./contract.ts'));

  route('POST /schema/import/head', 'write', async (call) => {
    const { format, delimiter } = await call.query();
    const names = new Set<string>();
    const rows: Readonly<Record<string, unknown>>[] = [];
    try {
      for await (const { values, fault } of readSource(bodyOf(call), format, delimiter)) {
        if (fault === undefined) rows.push(values);
        for (const name of Object.keys(values)) names.add(name);
        if (rows.length >= inferredRows) break;
      }
    } catch (error) {
      // The request contains only the beginning of the file, so a truncated row at the end of the request isn't an
      // error.
      if (!(error instanceof ConsoleError) || rows.length === 0) throw error;
    }
    return { columns: inferColumns([...names], rows), sample: rows.slice(0, shownRows), rows: rows.length };
  });

  route('POST /schema/import', 'write', async (call) => {
    const { id } = await call.query();
    const { line, rest } = await takeLine(bodyOf(call));
    const { importDefinition } = await import('./contract.ts');
    const definition = await parseAs(importDefinition, line);
    const { change, mapping, format, delimiter, dry, skip, migration } = definition;
    const statements = statementsOf([change]);
    const progressId = `${call.operator.id} ${id}`;
    let report: ImportReport | undefined;
    try {
      const file = await applyChanges(
        pool,
        statements,
        migration === undefined || dry ? undefined : { name: migration, write: writeMigration },
        {
          end: dry ? 'rollback' : 'commit',
          fill: async (tx) => {
            const relation = await findRelation(tx, change.schema, change.table);
            if (relation === undefined) throw new ConsoleError('not_found');
            const found = await importRows(
              tx,
              relation,
              { mapping, skip },
              {
                source: readSource(rest, format, delimiter),
                onRows: (rows) => progress.set(progressId, rows),
              },
            );
            if (!found.mayWrite) throw new Faulty(found.report);
            report = found.report;
          },
        },
      );
      if (report === undefined) throw new ConsoleError('not_found');
      if (!dry)
        await audit(call, 'schema.change', `${change.schema}.${change.table}`, {
          changes: [change.kind],
          statements,
          count: report.rows - report.invalid,
          ...(file === undefined ? {} : { migration: file }),
        });
      return { ...report, written: !dry, file: file ?? null };
    } catch (error) {
      if (error instanceof Faulty) return { ...error.report, written: false, file: null };
      throw error;
    } finally {
      progress.delete(progressId);
    }
  });
}

/** Splits the request body into its first line and the rest. @throws {ConsoleError} bad_request */
async function takeLine(body: Readable): Promise<{ readonly line: unknown; readonly rest: Readable }> {
  const chunks = body[Symbol.asyncIterator]() as AsyncIterableIterator<Buffer>;
  const head: Buffer[] = [];
  let size = 0;
  for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) {
    const chunk = next.value;
    const end = chunk.indexOf(newline);
    head.push(end < 0 ? chunk : chunk.subarray(0, end));
    size += chunk.length;
    if (end >= 0)
      return {
        line: parsed(Buffer.concat(head)),
        rest: Readable.from(after(chunk.subarray(end + 1), chunks)),
      };
    if (size > maxDefinitionBytes) break;
  }
  throw new ConsoleError('bad_request', {
    message: "The request doesn't begin with the table's definition.",
  });
}

const newline = 0x0a;

async function* after(first: Buffer, chunks: AsyncIterableIterator<Buffer>): AsyncGenerator<Buffer> {
  if (first.length > 0) yield first;
  yield* chunks;
}

function parsed(text: Buffer): unknown {
  try {
    return JSON.parse(text.toString('utf8'));
  } catch {
    throw new ConsoleError('bad_request', { message: "The table's definition isn't valid JSON." });
  }
}
