/**
 * Implements `db lint`: PostgreSQL's own findings about functions that were created without validation, or whose tables
 * have changed since. Bodies of SQL functions are analyzed, and those of PL/pgSQL functions are only parsed.
 */
import type { Pool, PostgresErrorShape, Queryable } from '../database/types.ts';
import { sql } from '../kernel/sql.ts';
import type { LintIssue, LintResult } from './core/lint.ts';

interface FunctionRow {
  readonly oid: number;
  readonly name: string;
  readonly language: 'sql' | 'plpgsql';
  readonly settings: readonly string[];
  readonly isDefiner: boolean;
}

/** Returns the project's schemas, excluding those of PostgreSQL, the services and extensions. */
async function userSchemas(db: Queryable): Promise<string[]> {
  const rows = await db.query<{ name: string }>(sql`
    select n.nspname::text as name from pg_catalog.pg_namespace n
    where n.nspname !~ '^(pg_|_)' and n.nspname not in ('information_schema', 'auth', 'cron', 'extensions', 'graphql',
      'graphql_public', 'net', 'pgbouncer', 'pgmq', 'pgmq_public', 'pgsodium', 'pgtle', 'realtime', 'storage',
      'supabase_functions', 'supabase_migrations', 'vault')
    order by 1`);
  return rows.map(({ name }) => name);
}

/** Checks these schemas, or all of the project's. Changes nothing, because the transaction is rolled back. */
export async function lint(
  pool: Pool,
  named: readonly string[],
  onProgress: (message: string) => void,
): Promise<LintResult[]> {
  const session = await pool.connect();
  const results: LintResult[] = [];
  try {
    const schemas = named.length > 0 ? named : await userSchemas(session);
    await session.transaction(
      async (tx) => {
        for (const schema of schemas) {
          onProgress(`Linting schema: ${schema}`);
          for (const row of await functionsOf(tx, schema)) {
            const issues = [...(await bodyIssues(tx, row)), ...searchPathIssues(row)];
            if (issues.length > 0) results.push({ function: `${schema}.${row.name}`, issues });
          }
        }
      },
      { end: 'rollback' },
    );
  } finally {
    session.destroy();
  }
  return results;
}

function functionsOf(tx: Queryable, schema: string): Promise<FunctionRow[]> {
  return tx.query<FunctionRow>(sql`
    select p.oid::int8::float8 as oid, p.proname::text as name, l.lanname::text as language,
      coalesce(p.proconfig, '{}') as settings, p.prosecdef as "isDefiner"
    from pg_catalog.pg_proc p
    join pg_catalog.pg_language l on l.oid = p.prolang
    join pg_catalog.pg_namespace n on n.oid = p.pronamespace
    where n.nspname = ${schema} and l.lanname in ('sql', 'plpgsql') and p.prosqlbody is null
      and not exists (select from pg_catalog.pg_depend d where d.classid = 'pg_catalog.pg_proc'::regclass
        and d.objid = p.oid and d.deptype = 'e')
    order by p.proname, p.oid`);
}

async function bodyIssues(tx: Queryable, row: FunctionRow): Promise<LintIssue[]> {
  await tx.exec('savepoint lint');
  try {
    // Resolves names with the function's own search path, as a call does.
    for (const setting of row.settings) {
      const cut = setting.indexOf('=');
      await tx.query(sql`select set_config(${setting.slice(0, cut)}, ${setting.slice(cut + 1)}, true)`);
    }
    const validator = row.language === 'sql' ? 'fmgr_sql_validator' : 'plpgsql_validator';
    await tx.query(sql`select ${sql.id(validator)}(${row.oid}::int8::oid)`);
    return [];
  } catch (error) {
    if (!isDatabaseError(error)) throw error;
    return [issueOf(error)];
  } finally {
    await tx.exec('rollback to savepoint lint');
  }
}

function issueOf(error: PostgresErrorShape): LintIssue {
  const { internalPosition: position, internalQuery: text } = error;
  return {
    level: 'error',
    message: error.message,
    ...(position === undefined || text === undefined ? {} : { query: { position: String(position), text } }),
    ...(error.hint ? { hint: error.hint } : {}),
    ...(error.detail ? { detail: error.detail } : {}),
    ...(error.where ? { context: error.where } : {}),
    sqlState: error.code,
  };
}

/** Names in a definer function are resolved with the caller's search path but the owner's rights. */
function searchPathIssues({ isDefiner, settings }: FunctionRow): LintIssue[] {
  if (!isDefiner || settings.some((setting) => setting.startsWith('search_path='))) return [];
  return [
    {
      level: 'warning',
      message: 'security definer function without a search_path',
      hint: "Add SET search_path = '' and qualify every name with its schema.",
    },
  ];
}

function isDatabaseError(error: unknown): error is PostgresErrorShape {
  return error instanceof Error && 'code' in error && 'severity' in error;
}
