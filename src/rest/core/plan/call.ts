/** Plans a function call: selects the overload by argument names, and determines how arguments are passed. */
import type { Routine, SchemaCache } from '../../schema-cache/types.ts';
import { keyOf } from '../../schema-cache/types.ts';
import { ambiguousRoutine, type CallAttempt, routineNotFound } from './hints.ts';
import type { CallArguments, CallPlan, PlanCondition, ReadPlan } from './types.ts';
import { neededColumns } from './write.ts';

/** @throws {RestError} PGRST202 if no overload matches, PGRST203 if several match */
export function findRoutine(cache: SchemaCache, call: CallAttempt): Routine {
  const overloads = cache.routines.get(keyOf(call.schema, call.name)) ?? [];
  const named = overloads.filter((routine) => fitsNames(routine, call));
  const found = named.length > 0 ? named : overloads.filter((routine) => takesBody(routine, call));
  const [first, ...others] = found;
  if (first === undefined) throw routineNotFound(cache, call);
  if (others.length > 0) throw ambiguousRoutine(found);
  return first;
}

/** Whether all required arguments are given and all given arguments are known. */
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

/** Whether the function has a single unnamed parameter that accepts the body's type. */
function takesBody(routine: Routine, call: CallAttempt): boolean {
  const [only, ...others] = routine.parameters;
  if (!call.isPost || only === undefined || others.length > 0 || only.name !== '') return false;
  return BODY_TYPES[call.contentType.kind]?.includes(only.type) ?? false;
}

export function planCall(
  routine: Routine,
  given: readonly string[],
  source: 'parameters' | 'json' | 'raw',
  isObject: boolean,
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
    filterColumns: [...new Set(filteredColumns(read))],
    returning: neededColumns(read, []),
  };
}

/** Filters can reference result columns that aren't selected. */
function filteredColumns(level: ReadPlan): string[] {
  const names = (condition: PlanCondition): string[] => {
    switch (condition.kind) {
      case 'filter':
        return [condition.field.name];
      case 'null-embed':
        return [];
      case 'logic':
        return condition.children.flatMap(names);
    }
  };
  return level.where.flatMap(names);
}
