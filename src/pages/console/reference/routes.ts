/**
 * The routes for the API page, which sends REST requests as a persona and generates TypeScript types for the database.
 */
import type { Clock } from '../../../base/kernel/clock.ts';
import { sql } from '../../../base/kernel/sql.ts';
import { splitOnce } from '../../../base/shared/http/split-once.ts';
import type { LiveConfig } from '../../../platform/config/index.ts';
import { generateTypes } from '../../../platform/database/index.ts';
import type { Database, Queryable } from '../../../platform/database/types.ts';
import type { Keys } from '../../../platform/keys/types.ts';
import type { Attempt } from '../../../services/rest/index.ts';
import type { Audit } from '../audit.ts';
import { createAuthorization } from '../persona/authorization.ts';
import { parsePersona } from '../persona/persona.ts';
import type { Api } from '../routes/api.ts';
import type { ExposedFunction } from './contract.ts';

interface ReferenceDeps {
  readonly database: Database;
  readonly keys: Keys;
  readonly config: LiveConfig;
  readonly clock: Clock;
  readonly attempt: Attempt;
  readonly audit: Audit;
}

const shownBytes = 100_000;

export function referenceRoutes(api: Api, deps: ReferenceDeps): void {
  const { database, keys, config, clock, attempt, audit } = deps;
  const db = database.pool('postgres');
  const authorizationOf = createAuthorization({ db, keys, clock });
  const route = api.feature(() => import('./contract.ts'));

  route('GET /reference', 'read', async () => {
    const { schemas } = config.current.api;
    return { schemas, functions: await listFunctions(db, schemas) };
  });
  // Requires the `write` permission, because a function called with GET can be volatile, and some effects can't be
  // rolled back.
  route('POST /reference/try', 'write', async (call) => {
    const { as, method, path, body, schema, rollsBack } = await call.body();
    const [target, query = ''] = splitOnce(path, '?');
    const authorization = await authorizationOf(call, as);
    const persona = parsePersona(as).kind;
    await audit(call, 'api.try', target, { method, as: persona, ...(rollsBack ? { rollsBack } : {}) });
    const { status, text, isCut } = await attempt(
      {
        method,
        path: `/${target}`,
        query,
        headers: {
          authorization,
          ...(schema === undefined ? {} : { 'accept-profile': schema, 'content-profile': schema }),
          ...(method === 'GET'
            ? {}
            : { 'content-type': 'application/json', prefer: 'return=representation' }),
        },
        body: body ?? '',
        rollsBack,
      },
      shownBytes,
    );
    return { status, body: text, isCut };
  });
  route('GET /reference/types', 'read', async ({ reply }) => {
    const schemas = [...new Set(['public', ...config.current.api.schemas])];
    return reply
      .type('text/plain; charset=utf-8')
      .header('content-disposition', 'attachment; filename="database.types.ts"')
      .send(await generateTypes(database.info.url, schemas));
  });
}

/**
 * Lists the functions in exposed schemas that REST requests can call. Excludes functions from extensions, trigger
 * functions, and functions with unnamed arguments.
 */
const listFunctions = (db: Queryable, schemas: readonly string[]): Promise<ExposedFunction[]> =>
  db.query<ExposedFunction>(sql`
    select n.nspname as schema, p.proname as name, pg_get_function_result(p.oid) as returns, p.provolatile = 'v' as volatile,
      obj_description(p.oid, 'pg_proc') as comment,
      (select coalesce(json_agg(json_build_object('name', p.proargnames[i], 'type', format_type(p.proargtypes[i - 1], null),
          'required', i <= p.pronargs - p.pronargdefaults) order by i), '[]')
        from generate_series(1, p.pronargs) i) as arguments
    from pg_proc p join pg_namespace n on n.oid = p.pronamespace
    where n.nspname = any (${schemas}::text[]) and p.prokind = 'f'
      and p.prorettype not in ('trigger'::regtype, 'event_trigger'::regtype)
      and not exists (select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')
      and (p.pronargs = 0 or (cardinality(p.proargnames) >= p.pronargs and '' <> all (p.proargnames[1:p.pronargs])))
    order by n.nspname, p.proname, p.pronargs`);
