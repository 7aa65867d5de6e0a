/** Calls a routine as a persona, in a transaction that is rolled back. */
import { sql } from '../../../base/kernel/sql.ts';
import { isPostgresError } from '../../../base/shared/errors.ts';
import type { Database, PostgresErrorShape } from '../../../platform/database/types.ts';
import type { Identity } from '../persona/act.ts';
import { begin, cancelOn } from '../sql-page/session.ts';
import type { TryColumn, TryNotice, TryReport } from './contract.ts';

const maxRows = 100;
const maxCellBytes = 4096;
const maxNotices = 200;
/** The maximum length of a message, which a function can make as long as it wants. */
const maxMessageLength = 4096;
export const tryTimeoutMs = 30_000;
/** How much longer to wait after PostgreSQL's own timeout, because a function can change that timeout. */
const graceMs = 1000;

export interface Attempt {
  readonly database: Database;
  readonly identity: Identity;
  readonly text: string;
  readonly values: readonly (string | null)[];
  /** The names of types by OID. */
  readonly typeNames: ReadonlyMap<number, string>;
  readonly signal: AbortSignal;
}

/**
 * Runs the call. Deferred constraints are checked before the rollback, because a commit would check them. The session
 * is reset afterward, which discards the settings and locks that outlast the transaction.
 */
export async function attemptCall(options: Attempt): Promise<TryReport> {
  const { database, identity, text, values, typeNames } = options;
  const session = await database
    .pool(identity.claims === undefined ? identity.operatorRole : 'authenticator')
    .connect();
  const stopCanceling = cancelOn(
    session,
    AbortSignal.any([options.signal, AbortSignal.timeout(tryTimeoutMs + graceMs)]),
  );
  let columns: TryColumn[] = [];
  const rows: (readonly (string | null)[])[] = [];
  const notices: TryNotice[] = [];
  let more = false;
  let isCut = false;
  let error: TryReport['error'] = null;
  session.onNotice(({ severity, message, detail, hint }) => {
    if (notices.length < maxNotices)
      notices.push({ severity, message: short(message), ...shortParts({ detail, hint }) });
  });
  const startedAt = performance.now();
  let ms = 0;
  try {
    await begin(session, { identity, isReadOnly: false, timeoutMs: tryTimeoutMs }, false);
    try {
      const end = await session.runCapped(text, {
        maxRows,
        maxCellBytes,
        parameters: values.map((value) => ({ typeOid: 0, value })),
        columns(found) {
          columns = found.map(({ name, typeOid }) => ({ name, type: typeNames.get(typeOid) ?? '' }));
        },
        row(cells, cut) {
          isCut ||= cut.length > 0;
          rows.push(cells);
        },
      });
      more = end.more;
      await session.query(sql`set constraints all immediate`);
    } catch (fault) {
      if (!isPostgresError(fault)) throw fault;
      error = shown(fault);
    }
    ms = Math.round((performance.now() - startedAt) * 10) / 10;
    await session.exec('rollback');
  } finally {
    await stopCanceling();
    session.release();
  }
  return { statement: text, role: identity.role, columns, rows, more, is_cut: isCut, notices, ms, error };
}

const shown = ({ message, code, detail, hint, where }: PostgresErrorShape): TryReport['error'] => ({
  message: short(message),
  sqlstate: code,
  ...shortParts({ detail, hint, where }),
});

/** The start of a long text is copied, because a part of a string keeps the whole string in memory. */
const short = (text: string): string =>
  text.length <= maxMessageLength ? text : Buffer.from(`${text.slice(0, maxMessageLength)}…`).toString();

/** Returns the parts that aren't empty. */
const shortParts = (parts: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(parts).flatMap(([name, text]) => (text ? [[name, short(text)]] : [])));
