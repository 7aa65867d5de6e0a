/**
 * Implements `db lint`. Reports errors that PostgreSQL finds in functions. A function may have been created without
 * validation, or its tables may have changed since then. The bodies of SQL functions are analyzed. The bodies of
 * PL/pgSQL functions are only parsed.
 */
import { sql } from '../../base/kernel/sql.ts';
import { isPostgresError } from '../../base/shared/errors.ts';
import type { Pool, PostgresErrorShape, Queryable } from '../../platform/database/types.ts';
import type { LintIssue, LintResult } from './core/lint-levels.ts';
import { ProjectError } from './errors.ts';

/**
 * The search path for the statements in this module, so that names in the statements refer to PostgreSQL's own objects.
 */
const ownPath = 'pg_catalog, pg_temp';
/** PostgreSQL's default search path. */
const defaultPath = '"$user", public';
const pathSetting = 'search_path=';

interface FunctionRow {
  readonly oid: number;
  readonly name: string;
  readonly language: 'sql' | 'plpgsql';
  readonly settings: readonly string[];
  readonly isDefiner: boolean;
}

/**
 * Returns the names of the project's schemas. Schemas that belong to PostgreSQL, a service or an extension are
 * excluded.
 */
async function userSchemas(db: Queryable): Promise<string[]> {
  const rows = await db.query<{ name: string }>(sql`
    select n.nspname::text as name from pg_catalog.pg_namespace n
    where n.nspname !~ '^(pg_|_)' and n.nspname not in ('information_schema', 'auth', 'cron', 'extensions', 'graphql',
      'graphql_public', 'net', 'pgbouncer', 'pgmq', 'pgmq_public', 'pgsodium', 'pgtle', 'realtime', 'storage',
      'supabase_functions', 'supabase_migrations', 'vault')
    order by 1`);
  return rows.map(({ name }) => name);
}

/**
 * Checks the functions in these schemas, or in all of the project's schemas. The transaction is rolled back, so the
 * check doesn't change anything. Superusers are rejected because PostgreSQL evaluates domain constraints while it
 * analyzes a body, and these constraints can run code from the database.
 * @throws {ProjectError} lint_superuser
 */
export async function lint(
  pool: Pool,
  named: readonly string[],
  onProgress: (message: string) => void,
): Promise<LintResult[]> {
  const session = await pool.connect();
  const results: LintResult[] = [];
  try {
    await session.transaction(
      async (tx) => {
        const projectPath = await prepareSession(tx);
        const schemas = named.length > 0 ? named : await userSchemas(tx);
        for (const schema of schemas) {
          onProgress(`Linting schema: ${schema}`);
          for (const row of await functionsOf(tx, schema)) {
            const issues = [...(await bodyIssues(tx, row, projectPath)), ...searchPathIssues(row)];
            if (issues.length > 0) results.push({ function: `${schema}.${row.name}`, issues });
          }
        }
      },
      { end: 'rollback', settings: [['search_path', ownPath]] },
    );
  } finally {
    session.destroy();
  }
  return results;
}

/** Returns the login role's search path, which applies to a function that doesn't set its own. */
async function prepareSession(tx: Queryable): Promise<string> {
  const [login] = await tx.query<{ isSuperuser: boolean; path: string | null }>(sql`
    select r.rolsuper as "isSuperuser", (
      select pg_catalog.substr(setting, 13)
      from pg_catalog.pg_db_role_setting s, pg_catalog.unnest(s.setconfig) setting
      where setting like 'search_path=%' and s.setrole in (0, r.oid)
        and s.setdatabase in (0, (select oid from pg_catalog.pg_database where datname = current_database()))
      order by s.setrole <> 0 desc, s.setdatabase <> 0 desc
      limit 1) as path
    from pg_catalog.pg_roles r where r.rolname = session_user`);
  if (login?.isSuperuser === true) throw new ProjectError('lint_superuser');
  return login?.path ?? defaultPath;
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

async function bodyIssues(tx: Queryable, row: FunctionRow, projectPath: string): Promise<LintIssue[]> {
  await tx.exec('savepoint lint');
  try {
    // Names are resolved with the search path of the function itself, as in a call of the function. The function's
    // other settings, such as a role, don't change how its body is analyzed.
    const own = row.settings.find((setting) => setting.startsWith(pathSetting))?.slice(pathSetting.length);
    const validator = row.language === 'sql' ? 'fmgr_sql_validator' : 'plpgsql_validator';
    await tx.query(sql`
      select pg_catalog.set_config('search_path', ${own ?? projectPath}, true),
        ${sql.id('pg_catalog', validator)}(${row.oid}::pg_catalog.int8::pg_catalog.oid)`);
    return [];
  } catch (error) {
    if (!isPostgresError(error)) throw error;
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

/**
 * A security definer function without its own search path resolves names with the caller's search path, but runs with
 * the owner's privileges.
 */
function searchPathIssues({ isDefiner, settings }: FunctionRow): LintIssue[] {
  if (!isDefiner || settings.some((setting) => setting.startsWith(pathSetting))) return [];
  return [
    {
      level: 'warning',
      message: 'security definer function without a search_path',
      hint: "Add SET search_path = '' and qualify every name with its schema.",
    },
  ];
}
