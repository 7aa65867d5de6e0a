/** The routes that export and import rows. */
import type { Readable } from 'node:stream';
import { attachment } from '../../../base/shared/http/header-text.ts';
import type { Database, Transaction, TransactionWork } from '../../../platform/database/types.ts';
import type { Audit } from '../audit.ts';
import { disconnected } from '../core/disconnect.ts';
import { ConsoleError } from '../errors.ts';
import { asIdentity } from '../persona/act.ts';
import type { Api, Call } from '../routes/api.ts';
import { type Access, nameOf } from './access.ts';
import type { ImportReport } from './contract.ts';
import { exportRows } from './export.ts';
import { importRows } from './import.ts';
import { readSource } from './import-source.ts';
import { undoOf } from './journal-hints.ts';
import { readingLong, writingLong } from './timing.ts';

export interface TransferDeps {
  readonly database: Database;
  readonly access: Access;
  readonly audit: Audit;
  readonly progress: ImportProgress;
}

/** The number of rows read so far by each running import, by operator and import ID. */
export type ImportProgress = Map<string, number>;

const contentTypes = { csv: 'text/csv; charset=utf-8', json: 'application/json; charset=utf-8' } as const;
/** The number of rows that are shown in the preview of a file. */
const sampleRows = 5;

/** Thrown to roll back an import whose rows have errors. */
export class Faulty extends Error {
  readonly report: ImportReport;
  constructor(report: ImportReport) {
    super('the import has errors');
    this.report = report;
  }
}

export function transferRoutes(api: Api, { database, access, audit, progress }: TransferDeps): void {
  const route = api.feature(() => import('./contract.ts'));

  route('GET /tables/:schema/:table/export', 'read', async (call) => {
    const query = await call.query();
    const relation = await access.readable(call);
    const identity = await access.identity(call);
    const signal = disconnected(call.reply.raw);
    const run = <T>(work: TransactionWork<T>): Promise<T> =>
      asIdentity(database, identity, work, { ...readingLong, signal });
    const file = await exportRows(run, relation, query, signal);
    return call.reply
      .headers({
        'content-type': contentTypes[query.format],
        'content-disposition': attachment(`${relation.name}.${query.format}`),
      })
      .send(file);
  });

  route('POST /tables/:schema/:table/import/head', 'write', async (call) => {
    const { format, delimiter } = await call.query();
    const columns = new Set<string>();
    const sample: Readonly<Record<string, unknown>>[] = [];
    try {
      for await (const { values, fault } of readSource(bodyOf(call), format, delimiter)) {
        if (fault === undefined) sample.push(values);
        for (const name of Object.keys(values)) columns.add(name);
        if (sample.length >= sampleRows) break;
      }
    } catch (error) {
      // The request contains only the beginning of the file, so a truncated row at the end of the request isn't an
      // error.
      if (!(error instanceof ConsoleError) || sample.length === 0) throw error;
    }
    return { columns: [...columns], sample };
  });

  route('POST /tables/:schema/:table/import', 'write', async (call) => {
    const { format, delimiter, mapping, fixed, dry, skip, id } = await call.query();
    const relation = await access.relation(call);
    const progressId = `${call.operator.id} ${id}`;
    try {
      const work = async (tx: Transaction): Promise<ImportReport> => {
        const source = readSource(bodyOf(call), format, delimiter);
        const { report, mayWrite } = await importRows(
          tx,
          relation,
          { mapping, fixed, skip, isTrial: dry },
          { source, onRows: (rows) => progress.set(progressId, rows) },
        );
        if (!mayWrite) throw new Faulty(report);
        return report;
      };
      const { result: report, undo } = dry
        ? { result: await access.run(call, work, { ...writingLong, end: 'rollback' }), undo: undefined }
        : await access.change(call, work, { ...writingLong, action: 'row.import' });
      if (!dry)
        await audit(call, 'row.import', nameOf(relation), {
          count: report.rows - report.invalid,
          format,
          ...(report.invalid === 0 ? {} : { skipped: report.invalid }),
        });
      return { ...report, written: !dry, ...undoOf(undo) };
    } catch (error) {
      if (error instanceof Faulty) return { ...error.report, written: false };
      throw error;
    } finally {
      progress.delete(progressId);
    }
  });

  route('GET /imports/:id', 'read', async ({ params, operator }) => ({
    rows: progress.get(`${operator.id} ${params.id}`) ?? null,
  }));
}

/** Returns the request body as a stream. @throws {ConsoleError} bad_request */
export function bodyOf({ request }: Call): Readable {
  const body = request.body as Readable | undefined;
  if (typeof body?.pipe !== 'function')
    throw new ConsoleError('bad_request', {
      message: 'Send the file with the content type application/octet-stream.',
    });
  return body;
}
