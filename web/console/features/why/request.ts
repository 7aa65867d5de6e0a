/** Converts a logged REST request to a question about access. */
import type { LogEntry } from '../../../../src/pages/console/logs/contract.ts';
import { printPersona } from '../../components/persona/persona.ts';
import type { Cells, Operation, WhySearch } from './search.ts';

export type LoggedRequest = Partial<
  Pick<LogEntry, 'method' | 'path' | 'query' | 'role' | 'userId' | 'schema' | 'statements'>
>;

const operationOf: Readonly<Record<string, Operation>> = {
  GET: 'select',
  HEAD: 'select',
  POST: 'insert',
  PATCH: 'update',
  DELETE: 'delete',
};

/**
 * Returns the question for the request, or undefined if the request isn't for a single table. The log contains the names
 * of the columns that the request wrote, but not the values, which the operator can enter.
 * @example
 * questionOf({ method: 'GET', path: '/rest/v1/notes', query: 'id=eq.5' });
 * // { schema: 'public', table: 'notes', op: 'select', key: { id: '5' }, as: 'anon' }
 */
export function questionOf({
  method = '',
  path = '',
  query = '',
  role,
  userId,
  schema = 'public',
  statements = [],
}: LoggedRequest): WhySearch | undefined {
  const table = /^\/rest\/v1\/([^/?]+)\/?$/.exec(path)?.[1];
  const op = operationOf[method];
  if (table === undefined || op === undefined) return undefined;
  return {
    schema,
    table: decodeURIComponent(table),
    op,
    key: op === 'insert' ? {} : keyOf(new URLSearchParams(query)),
    ...(op === 'insert' || op === 'update' ? writtenBy(statements.at(-1)?.text ?? '') : {}),
    as: personaOf(role, userId),
  };
}

/** Matches a RETURNING clause, unless it only returns the number of rows. */
const returnsRow = / returning (?!1\) |nullif\(current_setting\('pgrst\.inserted')/;

const quotedName = /"((?:[^"]|"")+)"/g;

/**
 * Reads the columns and the RETURNING clause from the statement that the REST service ran
 * (`src/services/rest/core/compile/write.ts`).
 */
function writtenBy(statement: string): Pick<WhySearch, 'columns' | 'back'> {
  const list =
    /^(?:with pgrst_source as \()?insert into (?:"(?:[^"]|"")+"\.?)+ \(((?:[^")]|"(?:[^"]|"")*")*)\) select /.exec(
      statement,
    )?.[1];
  const names = [
    ...(list === undefined
      ? statement.matchAll(/"((?:[^"]|"")+)" = "pgrst_body"\./g)
      : list.matchAll(quotedName)),
  ].map(([, name = '']) => name.replaceAll('""', '"'));
  return {
    ...(names.length === 0 ? {} : { columns: names }),
    ...(returnsRow.test(statement) ? { back: true as const } : {}),
  };
}

function personaOf(role = 'anon', userId: string | undefined): string {
  if (userId === undefined && role === 'anon') return 'anon';
  if (userId !== undefined && role === 'authenticated') return `user:${userId}`;
  const claims = { role, ...(userId === undefined ? {} : { sub: userId }) };
  return printPersona({ kind: 'claims', claims }) ?? 'anon';
}

/** Returns the columns that the filters restrict to a single value. */
function keyOf(params: URLSearchParams): Cells {
  const cells: Record<string, string | null> = {};
  for (const [name, value] of params) {
    if (/[.>]/.test(name)) continue;
    if (value.startsWith('eq.')) cells[name] = value.slice(3);
    else if (value === 'is.null') cells[name] = null;
  }
  return cells;
}
