/** Explains a request from the request log: its statements with their plans, and the policies of their tables. */
import { z } from 'zod';
import { sql } from '../../../../base/kernel/sql.ts';
import type { Database } from '../../../../platform/database/types.ts';
import { may } from '../../core/roles.ts';
import { createRedact, redactAll } from '../../functions/redact.ts';
import { hasPlan, planOf } from '../../queries-page/plan.ts';
import { type McpDeps, ownTool } from '../types.ts';

/** The maximum number of statements that are planned. */
const maxPlans = 5;

export const explainRequest = ({ database, logs, keys }: Pick<McpDeps, 'database' | 'logs' | 'keys'>) =>
  ownTool({
    name: 'explain_request',
    title: 'Explain a request',
    description:
      "Shows everything about one request: its log entries, its SQL statements with durations and query plans, and the row level security policies of the tables that they use. The ID is in the x-request-id header of every response, and in log_attributes['request_id'] of query_logs.",
    feature: 'debugging',
    requires: 'read',
    changes: false,
    input: z.object({ request_id: z.string().min(1).max(200) }),
    async run({ request_id: id }, { caller, isReadOnly }) {
      const { entries } = redactAll({ entries: await logs.trace(id) }, createRedact(keys));
      if (entries.length === 0) throw new Error(`The log has no request with the ID ${id}.`);
      const request = entries.find(({ kind }) => kind === 'request');
      // Planning can call the project's functions, so it needs the same permission as in the Console.
      const mayPlan = !isReadOnly && may(caller.operator.role, 'write');
      const statements = (request?.statements ?? []).filter(
        ({ text }) => !/^\s*select set_config/i.test(text),
      );
      const explained: object[] = [];
      const relations = new Set<string>();
      for (const [index, { text, durationMs, error }] of statements.entries()) {
        const plan =
          mayPlan && index < maxPlans && hasPlan(text)
            ? await planOf(database, { text, role: request?.role ?? 'postgres' })
                .then(({ plan }) => plan)
                .catch((fault: Error) => ({ error: fault.message }))
            : undefined;
        for (const name of [...relationsIn(plan), ...qualifiedNames(text)]) relations.add(name);
        explained.push({ sql: text, durationMs, ...(error === undefined ? {} : { sqlstate: error }), plan });
      }
      return {
        untrusted: {
          request: request && { ...request, statements: undefined },
          statements: explained,
          ...(mayPlan ? {} : { note: 'This session is read-only, so statements are not planned.' }),
          policies: await policiesOf(database, [...relations]),
          lines: entries.filter(({ kind }) => kind === 'line'),
        },
      };
    },
  });

/** Returns the names of the relations in a plan (`EXPLAIN (FORMAT JSON, VERBOSE)`), as `schema.name`. */
function relationsIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(relationsIn);
  if (value === null || typeof value !== 'object') return [];
  const { Schema: schema, 'Relation Name': name } = value as Record<string, unknown>;
  const own = typeof schema === 'string' && typeof name === 'string' ? [`${schema}.${name}`] : [];
  return [...own, ...Object.values(value).flatMap(relationsIn)];
}

/** Returns the qualified names in a statement. A plan without rows to read doesn't contain its relations. */
const qualifiedNames = (text: string): string[] =>
  [...text.matchAll(/("(?:[^"]|"")+"|\w+)\s*\.\s*("(?:[^"]|"")+"|\w+)/g)].map(
    ([, schema = '', name = '']) => `${unquoted(schema)}.${unquoted(name)}`,
  );

const unquoted = (name: string): string =>
  name.startsWith('"') ? name.slice(1, -1).replaceAll('""', '"') : name.toLowerCase();

const policiesOf = (database: Database, relations: readonly string[]): Promise<object[]> =>
  database.pool('postgres').query(sql`
    select n.nspname || '.' || c.relname as "table", c.relrowsecurity as row_security,
      (select coalesce(json_agg(json_build_object('name', p.policyname, 'command', p.cmd, 'roles', p.roles,
          'permissive', p.permissive, 'using', p.qual, 'check', p.with_check) order by p.policyname), '[]')
        from pg_catalog.pg_policies p where p.schemaname = n.nspname and p.tablename = c.relname) as policies
    from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    where n.nspname || '.' || c.relname = any (${relations}::text[]) and c.relkind in ('r', 'p')`);
