/**
 * Finds functions whose parameter defaults have changed in a way that CREATE OR REPLACE supports. pg-delta drops and
 * recreates a function whenever its arguments change, and with the function all policies, views and checks that call
 * it.
 */
import { buildFactBase, type Fact, type FactBase } from '@supabase/pg-delta';
import { lex } from '../../../base/shared/sql/lex.ts';

/**
 * Returns the old schema with the new arguments of these functions. The plan then only contains CREATE OR REPLACE,
 * because their definitions still differ. Returns `from` itself if no such function exists.
 */
export function withReplacedDefaults(from: FactBase, to: FactBase): FactBase {
  let isChanged = false;
  const facts = from.facts().map((fact) => {
    const wanted = to.get(fact.id);
    if (wanted === undefined || !isReplaceable(fact, wanted)) return fact;
    isChanged = true;
    return { ...fact, payload: { ...fact.payload, argSignature: wanted.payload.argSignature } } as Fact;
  });
  return isChanged ? buildFactBase(facts, [...from.edges]) : from;
}

/** The properties that only a new function can have. */
const fixed = ['returnType', 'language', 'isWindow'] as const;

function isReplaceable({ id, payload: before }: Fact, { payload: after }: Fact): boolean {
  if (id.kind !== 'function' && id.kind !== 'procedure') return false;
  if (before.argSignature === after.argSignature || fixed.some((key) => before[key] !== after[key]))
    return false;
  const [old, wanted] = [before, after].map(({ argSignature }) => parametersOf(String(argSignature)));
  return (
    old !== undefined &&
    wanted !== undefined &&
    old.length === wanted.length &&
    old.every((parameter, index) => isCompatible(parameter, wanted[index] as Parameter))
  );
}

interface Parameter {
  /** The mode, the name and the type. */
  readonly declaration: string;
  readonly hasDefault: boolean;
}

/** CREATE OR REPLACE can't remove a default or rename a parameter, but it can name a parameter. */
const isCompatible = (old: Parameter, wanted: Parameter): boolean =>
  (old.declaration === wanted.declaration || isNamed(old.declaration, wanted.declaration)) &&
  (wanted.hasDefault || !old.hasDefault);

/** Whether the new declaration only adds a name. A mode such as OUT has the same position as a name. */
function isNamed(type: string, declaration: string): boolean {
  if (!declaration.endsWith(` ${type}`)) return false;
  const name = declaration.slice(0, -type.length - 1);
  return /^(?:"(?:[^"]|"")+"|[a-z_][a-z0-9_$]*)$/.test(name);
}

/**
 * Splits the result of pg_get_function_arguments.
 *
 * @example parametersOf("a integer, b text DEFAULT ','::text") // [{ declaration: 'a integer', … }, …]
 */
export function parametersOf(signature: string): Parameter[] {
  const parameters: Parameter[] = [];
  let depth = 0;
  let start = 0;
  let defaultAt: number | undefined;
  const finish = (end: number): void => {
    const declaration = signature.slice(start, defaultAt ?? end).trim();
    if (declaration !== '') parameters.push({ declaration, hasDefault: defaultAt !== undefined });
    start = end + 1;
    defaultAt = undefined;
  };
  for (const token of lex(signature)) {
    const text = signature.slice(token.start, token.end);
    if (text === '(' || text === '[') depth += 1;
    else if (text === ')' || text === ']') depth -= 1;
    else if (depth > 0) continue;
    else if (text === ',') finish(token.start);
    else if (token.kind === 'word' && text === 'DEFAULT') defaultAt ??= token.start;
  }
  finish(signature.length);
  return parameters;
}
