/** What every route of a table begins with: the table, whether the operator may see its rows, and in whose name. */
import type { Database, TransactionOptions, TransactionWork } from '../../database/types.ts';
import type { Clock } from '../../kernel/clock.ts';
import { may, permissionForRows } from '../core/roles.ts';
import { ConsoleError } from '../errors.ts';
import { asIdentity, type Identity, identify } from '../persona/act.ts';
import { parsePersona } from '../persona/persona.ts';
import { type Call, parseAs } from '../routes/api.ts';
import { findRelation } from './catalog.ts';
import type { Relation } from './contract.ts';

export interface Access {
  /** @throws {ConsoleError} not_found */
  relation(call: Call): Promise<Relation>;
  /** The table, when this operator may see its rows. @throws {ConsoleError} not_found, forbidden */
  readable(call: Call): Promise<Relation>;
  /** A transaction in the name of the address's persona (`as=`). */
  run<T>(call: Call, work: TransactionWork<T>, options: TransactionOptions): Promise<T>;
  /** Resolved before a stream begins. */
  identity(call: Call): Promise<Identity>;
}

export function createAccess(database: Database, clock: Clock): Access {
  const pool = database.pool('postgres');

  async function relation({ request }: Call): Promise<Relation> {
    const { schema = '', table = '' } = request.params as { schema?: string; table?: string };
    const found = await findRelation(pool, schema, table);
    if (found === undefined)
      throw new ConsoleError('not_found', { message: `There is no table ${schema}.${table}.` });
    return found;
  }

  async function identity({ request, operator }: Call): Promise<Identity> {
    const persona = parsePersona(
      (await parseAs((await import('../persona/contract.ts')).asPersona, request.query)).as,
    );
    return identify(pool, persona, clock.now(), operator.role);
  }

  return {
    relation,
    identity,
    async readable(call) {
      const found = await relation(call);
      if (!may(call.operator.role, permissionForRows(found.schema)))
        throw new ConsoleError('forbidden', { message: `Your role may not read rows of ${found.schema}.` });
      return found;
    },
    async run(call, work, options) {
      return asIdentity(database, await identity(call), work, options);
    },
  };
}

/** As a reader would name it, for the audit log. */
export const nameOf = (relation: Relation): string => `${relation.schema}.${relation.name}`;
