/**
 * The routes of the page with the database's functions. Changes of functions use the routes of the schema
 * (`schema/routes.ts`).
 */
import type { Clock } from '../../../base/kernel/clock.ts';
import { quoteIdentifier } from '../../../base/kernel/sql.ts';
import type { Database } from '../../../platform/database/types.ts';
import type { Audit } from '../audit.ts';
import { listDependents } from '../core/dependents.ts';
import { disconnected } from '../core/disconnect.ts';
import { may, type OperatorRole } from '../core/roles.ts';
import { ConsoleError } from '../errors.ts';
import { identify } from '../persona/act.ts';
import { parsePersona } from '../persona/persona.ts';
import type { Api } from '../routes/api.ts';
import { typeNames } from '../sql-page/queries.ts';
import { attemptCall } from './attempt.ts';
import { CallFault, callText } from './call-text.ts';
import type { TryArgument } from './contract.ts';
import { listMentions } from './mentions.ts';
import { findRoutine, listRoutines, type RoutineFacts, readSource } from './queries.ts';
import { recreationOf } from './recreation.ts';

export interface RoutineDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly audit: Audit;
}

export function routineRoutes(api: Api, { database, clock, audit }: RoutineDeps): void {
  const db = database.pool('postgres');
  const route = api.feature(() => import('./contract.ts'));

  async function found(signature: string, operator: { readonly role: OperatorRole }): Promise<RoutineFacts> {
    const routine = await findRoutine(db, signature, may(operator.role, 'secrets'));
    if (routine === undefined)
      throw new ConsoleError('not_found', { message: `The function ${signature} doesn't exist.` });
    return routine;
  }

  route('GET /database/functions', 'read', async ({ operator }) => ({
    functions: await listRoutines(db, may(operator.role, 'secrets')),
  }));
  route('GET /database/function', 'read', async ({ query, operator }) => {
    const { signature } = await query();
    const { oid, returns_trigger, ...routine } = await found(signature, operator);
    // The source can contain keys, as the arguments of triggers can.
    const maySee = may(operator.role, 'secrets');
    const facts = { ...routine, oid, returns_trigger };
    const [source, dependents, mentions] = await Promise.all([
      maySee ? readSource(db, facts) : null,
      listDependents(db, 'pg_proc', oid),
      listMentions(db, facts),
    ]);
    return {
      ...routine,
      source,
      recreation: source === null ? null : await recreationOf(db, facts, source),
      is_source_hidden: !maySee,
      dependents,
      mentions,
      can_try: canTry(facts),
    };
  });
  // Requires the `write` permission, because some effects of a function survive a rollback.
  route('POST /database/function/try', 'write', async (call) => {
    const { signature, arguments: given, as } = await call.body();
    const routine = await found(signature, call.operator);
    const identity = await identify(db, parsePersona(as), clock.now(), call.operator.role);
    const { text, values } = textOf(routine, given);
    await audit(call, 'function.try', signature, { role: identity.role });
    return attemptCall({
      database,
      identity,
      text,
      values,
      typeNames: await typeNames(db),
      signal: disconnected(call.reply.raw),
    });
  });
}

const canTry = ({ kind, returns_trigger, parameters }: RoutineFacts): boolean =>
  (kind === 'function' || kind === 'procedure') &&
  !returns_trigger &&
  parameters.every((parameter) => !parameter.pseudo || parameter.default !== null || parameter.output);

function textOf(
  { kind, schema, name, parameters, returns_trigger }: RoutineFacts,
  given: readonly TryArgument[],
) {
  if (returns_trigger)
    throw new ConsoleError('bad_request', { message: 'Only a trigger can call a trigger function.' });
  try {
    const target = `${quoteIdentifier(schema)}.${quoteIdentifier(name)}`;
    return callText({ kind, target, parameters }, given, quoteIdentifier);
  } catch (error) {
    if (error instanceof CallFault) throw new ConsoleError('bad_request', { message: error.message });
    throw error;
  }
}
