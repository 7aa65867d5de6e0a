/** The parameter types that an operator can choose. */

import { sql } from '../../../base/kernel/sql.ts';
import type { Queryable } from '../../../platform/database/types.ts';
import type { ParameterValue } from './contract.ts';
import type { Numbered } from './core/parameters.ts';

/** The OIDs of the parameter types. For `auto`, PostgreSQL determines the type. */
export const typeOids = {
  auto: 0,
  text: 25,
  integer: 20,
  number: 1700,
  boolean: 16,
  date: 1082,
  timestamp: 1184,
  uuid: 2950,
  json: 3802,
} as const satisfies Record<ParameterValue['type'], number>;

/** The SQL names of the parameter types. For a parameter of type `unknown`, PostgreSQL determines the type. */
const typeNames = {
  auto: 'unknown',
  text: 'text',
  integer: 'bigint',
  number: 'numeric',
  boolean: 'boolean',
  date: 'date',
  timestamp: 'timestamptz',
  uuid: 'uuid',
  json: 'jsonb',
} as const satisfies Record<ParameterValue['type'], string>;

/** Returns the SQL names of the parameter types that PostgreSQL determines when it analyzes the query. */
export async function parameterTypes(
  tx: Queryable,
  numbered: Numbered,
  values: readonly ParameterValue[],
): Promise<readonly string[]> {
  if (values.length === 0) return [];
  const declared = values.map(({ type }) => typeNames[type]).join(', ');
  const query = numbered.print((number) => `$${number}`);
  await tx.query(sql`${sql.raw(`prepare plinth_parameters (${declared}) as ${query}`)}`);
  const [found] = await tx.query<{ types: string[] }>(sql`
    select array(select pg_catalog.format_type(t, null) from pg_catalog.unnest(parameter_types) with ordinality as p(t, n)
      order by n) as types
    from pg_catalog.pg_prepared_statements where name = 'plinth_parameters'`);
  await tx.query(sql`deallocate plinth_parameters`);
  if (found === undefined) throw new Error('the prepared statement no longer exists');
  return found.types;
}
