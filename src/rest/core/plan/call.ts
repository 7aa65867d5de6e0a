/** Plans a function call: which overload the names of the arguments mean, and how they are handed over. */
import type { Routine, SchemaCache } from '../../schema-cache/types.ts';
import { keyOf } from '../../schema-cache/types.ts';
import { ambiguousRoutine, type CallAttempt, routineNotFound } from './hints.ts';
import type { CallArguments, CallPlan, PlanCondition, ReadPlan } from './types.ts';
import { neededColumns } from './write.ts';

/** Throws PGRST202 when none fits and PGRST203 when several do. */
export function findRoutine(cache: SchemaCache, call: CallAttempt): Routine {
  const overloads = cache.routines.get(keyOf(call.schema, call.name)) ?? [];
  const named = overloads.filter((routine) => fitsNames(routine, call));
  const found = named.length > 0 ? named : overloads.filter((routine) => takesBody(routine, call));
  const [first, ...others] = found;
  if (first === undefined) throw routineNotFound(cache, call);
  if (others.length > 0) throw ambiguousRoutine(found);
  return first;
}

/** Required names all given, nothing given that it does not know. */
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

/** One unnamed parameter, of a type that the body can be. */
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

/** Filters may name columns of the result that are not selected. */
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
