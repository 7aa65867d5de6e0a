/**
 * The checks with which all table routes begin: whether the table exists, whether the operator can read its rows, and
 * which persona is used.
 */

import type { Clock } from '../../../base/kernel/clock.ts';
import type { Database, TransactionOptions, TransactionWork } from '../../../platform/database/types.ts';
import { may, permissionForRows } from '../core/roles.ts';
import { ConsoleError } from '../errors.ts';
import { asIdentity, databaseRoleOf, type Identity, identify } from '../persona/act.ts';
import { parsePersona } from '../persona/persona.ts';
import { type Call, parseAs } from '../routes/api.ts';
import type { Hint } from '../undo/capture.ts';
import type { Recorded, Recorder } from '../undo/recorder.ts';
import { findRelation } from './catalog.ts';
import type { Relation } from './contract.ts';

export interface Access {
  /** Returns the table. @throws {ConsoleError} not_found */
  relation(call: Call): Promise<Relation>;
  /** Returns the table if the operator is allowed to read its rows. @throws {ConsoleError} not_found, forbidden */
  readable(call: Call): Promise<Relation>;
  /**
   * Checks whether the operator may access a table's rows.
   * @throws {ConsoleError} forbidden if the operator may not read the rows
   */
  requireReadable(call: Call, relation: Relation): void;
  /** Runs a transaction as the persona in the URL's `as` parameter. */
  run<T>(call: Call, work: TransactionWork<T>, options: TransactionOptions): Promise<T>;
  /** Runs a transaction as the operator, regardless of the persona in the URL. */
  runAsOperator<T>(call: Call, work: TransactionWork<T>, options: TransactionOptions): Promise<T>;
  /**
   * Runs a transaction as the persona and journals its changes, so that they can be taken back. `hint` returns the rows
   * that were changed. The result contains the journal's entry, if there is one.
   */
  change<T>(
    call: Call,
    work: TransactionWork<T>,
    options: TransactionOptions & { readonly action: string; readonly hint?: (result: T) => Hint },
  ): Promise<{ result: T; undo: Recorded | undefined }>;
  /** Returns the persona's identity. Used for streams, which run their own transactions. */
  identity(call: Call): Promise<Identity>;
}

export function createAccess(database: Database, clock: Clock, recorder: Recorder): Access {
  const pool = database.pool('postgres');

  async function relation({ request }: Call): Promise<Relation> {
    const { schema = '', table = '' } = request.params as { schema?: string; table?: string };
    const found = await findRelation(pool, schema, table);
    if (found === undefined)
      throw new ConsoleError('not_found', { message: `The table ${schema}.${table} doesn't exist.` });
    return found;
  }

  async function identity({ request, operator }: Call): Promise<Identity> {
    const persona = parsePersona(
      (await parseAs((await import('../persona/contract.ts')).asPersona, request.query)).as,
    );
    return identify(pool, persona, clock.now(), operator.role);
  }

  function requireReadable({ operator }: Call, { schema }: Relation): void {
    if (!may(operator.role, permissionForRows(schema)))
      throw new ConsoleError('forbidden', { message: `Your role can't read rows of ${schema}.` });
  }

  return {
    relation,
    identity,
    requireReadable,
    async readable(call) {
      const found = await relation(call);
      requireReadable(call, found);
      return found;
    },
    runAsOperator: ({ operator }, work, options) =>
      database.pool(databaseRoleOf(operator.role)).transaction(work, options),
    async change(call, work, { action, hint, ...options }) {
      const persona = await identity(call);
      const change = { operator: call.operator, action, isOperator: persona.claims === undefined };
      return asIdentity(
        database,
        persona,
        async (tx, rows) => {
          const recording = await recorder.begin(tx, change);
          const result = await work(tx, rows);
          return { result, undo: await recording.finish(hint?.(result)) };
        },
        options,
      );
    },
    async run(call, work, options) {
      return asIdentity(database, await identity(call), work, options);
    },
  };
}

/** Returns the name of the table for the audit log. */
export const nameOf = (relation: Relation): string => `${relation.schema}.${relation.name}`;

/** Returns the persona for the audit log. */
export function personaOf({ request }: Call): { as?: string } {
  const { as } = request.query as { as?: string };
  return as === undefined || as === '' || as === 'operator' ? {} : { as };
}
