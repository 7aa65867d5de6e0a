/** Plans a function call. The argument names determine which overload is called and how the arguments are passed. */

import { keyOf, type Routine, type SchemaCache } from '../../schema-cache/types.ts';
import { ambiguousRoutine, type CallAttempt, routineNotFound } from './hints.ts';
import { type CallArguments, type CallPlan, columnsOfFilter, type ReadPlan } from './types.ts';
import { neededColumns } from './write.ts';

/** Finds the function to call. @throws {RestError} PGRST202 if no overload matches, PGRST203 if several match */
export function findRoutine(cache: SchemaCache, call: CallAttempt): Routine {
  const overloads = cache.routines.get(keyOf(call.schema, call.name)) ?? [];
  const named = overloads.filter((routine) => fitsNames(routine, call));
  const found = named.length > 0 ? named : overloads.filter((routine) => takesBody(routine, call));
  const [first, ...others] = found;
  if (first === undefined) throw routineNotFound(cache, call);
  if (others.length > 0) throw ambiguousRoutine(found);
  return first;
}

/** Whether the call contains all required arguments and no unknown arguments. */
function fitsNames(routine: Routine, call: CallAttempt): boolean {
  const { parameters } = routine;
  if (parameters.length === 0) {
    const { kind } = call.contentType;
    const rawBody = call.isPost && (kind === 'bytes' || kind === 'text' || kind === 'xml');
    return call.given.length === 0 && !rawBody;
  }
  const given = new Set(call.given);
  const required = parameters.filter((parameter) => parameter.required);
  return (
    required.every((parameter) => given.has(parameter.name)) &&
    call.given.every((name) => parameters.some((parameter) => parameter.name === name))
  );
}

const BODY_TYPES: Readonly<Record<string, readonly string[]>> = {
  json: ['json', 'jsonb'],
  text: ['text'],
  xml: ['xml'],
  bytes: ['bytea'],
};

/** Whether the function has a single unnamed parameter, and this parameter accepts the type of the body. */
function takesBody(routine: Routine, call: CallAttempt): boolean {
  const [only, ...others] = routine.parameters;
  if (!call.isPost || only === undefined || others.length > 0 || only.name !== '') return false;
  return BODY_TYPES[call.contentType.kind]?.includes(only.type) ?? false;
}

/** The arguments in a request. */
interface GivenArguments {
  readonly given: readonly string[];
  readonly source: 'parameters' | 'json' | 'raw';
  readonly isObject: boolean;
}

export function planCall(
  routine: Routine,
  { given, source, isObject }: GivenArguments,
  read: ReadPlan,
): CallPlan {
  const [only, ...others] = routine.parameters;
  const single = only !== undefined && others.length === 0 && only.name === '';
  const how: CallArguments = single
    ? { kind: 'single' }
    : source === 'parameters'
      ? { kind: 'named', given }
      : { kind: 'json', isObject };
  return {
    routine,
    parameters: single ? routine.parameters : routine.parameters.filter(({ name }) => given.includes(name)),
    arguments: how,
    // Filters can compare result columns that aren't selected, so the statement needs these columns too.
    filterColumns: [...new Set(read.where.flatMap(columnsOfFilter))],
    returning: neededColumns(read, []),
  };
}
