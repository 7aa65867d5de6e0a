/** The routes for the GraphQL page, which sends GraphQL requests as a persona. */
import type { Clock } from '../../../base/kernel/clock.ts';
import { sql } from '../../../base/kernel/sql.ts';
import type { LiveConfig } from '../../../platform/config/index.ts';
import type { Database, Queryable } from '../../../platform/database/types.ts';
import type { Keys } from '../../../platform/keys/types.ts';
import type { Attempt } from '../../../services/rest/index.ts';
import type { Audit } from '../audit.ts';
import { createAuthorization } from '../persona/authorization.ts';
import { parsePersona } from '../persona/persona.ts';
import type { Api } from '../routes/api.ts';
import type { GraphqlStatus } from './contract.ts';

interface GraphqlDeps {
  readonly database: Database;
  readonly keys: Keys;
  readonly config: LiveConfig;
  readonly clock: Clock;
  readonly attempt: Attempt;
  readonly audit: Audit;
}

/** The introspection of a large schema has several megabytes. */
const shownBytes = 16_000_000;

export function graphqlRoutes(
  api: Api,
  { database, keys, config, clock, attempt, audit }: GraphqlDeps,
): void {
  const db = database.pool('postgres');
  const route = api.feature(() => import('./contract.ts'));
  const authorizationOf = createAuthorization({ db, keys, clock });

  route('GET /graphql', 'read', async () => {
    const { schemas, extra_search_path: searchPath } = config.current.api;
    return {
      ...(await selectStatus(db, searchPath)),
      withoutExtension: config.current.plinth.graphql.without_extension,
      isExposed: schemas.includes('graphql_public'),
    };
  });
  route(
    'POST /graphql/query',
    'read',
    async (call) => {
      const { as, variables, ...request } = await call.body();
      const query = new URLSearchParams(request);
      if (variables !== undefined) query.set('variables', JSON.stringify(variables));
      const { status, text, isCut } = await attempt(
        {
          method: 'GET',
          path: '/',
          query: query.toString(),
          headers: { authorization: await authorizationOf(call, as) },
          body: '',
          rollsBack: false,
        },
        shownBytes,
      );
      return { status, body: text, isCut };
    },
    { changes: 'nothing' },
  );
  route('POST /graphql/mutation', 'write', async (call) => {
    const { as, ...request } = await call.body();
    const authorization = await authorizationOf(call, as);
    await audit(call, 'graphql.mutation', request.operationName ?? '', { as: parsePersona(as).kind });
    const { status, text, isCut } = await attempt(
      {
        method: 'POST',
        path: '/',
        query: '',
        headers: { authorization, 'content-type': 'application/json' },
        body: JSON.stringify(request),
        rollsBack: false,
      },
      shownBytes,
    );
    return { status, body: text, isCut };
  });
}

async function selectStatus(
  db: Queryable,
  searchPath: readonly string[],
): Promise<Pick<GraphqlStatus, 'version' | 'schemas'>> {
  const [row] = await db.query<Pick<GraphqlStatus, 'version' | 'schemas'>>(sql`
    select (select extversion from pg_extension where extname = 'pg_graphql') as version,
      coalesce((
        select json_agg(json_build_object('name', n.nspname, 'introspection',
          coalesce(obj_description(n.oid, 'pg_namespace') ~ '@graphql[(].*"introspection"[[:space:]]*:[[:space:]]*true', false))
          order by path.position)
        from unnest(${searchPath}::text[]) with ordinality as path (name, position)
        join pg_namespace n on n.nspname = path.name
      ), '[]') as schemas`);
  if (row === undefined) throw new Error('the status query returned no row');
  return row;
}
