/**
 * Revokes privileges that default privileges grant on new objects but that the objects in the compared database don't
 * have. pg-delta omits some of these revocations, for example if a function has no other grants.
 *
 * Finds default privileges that must not apply to the members of a new extension, which are the objects that the
 * extension creates. pg-delta compares a member's privileges with those that CREATE EXTENSION gives the member when no
 * default privileges exist. If the extension in the compared database was created before the default privileges,
 * pg-delta finds no difference and plans no statements.
 *
 * Finds functions whose parameter defaults have changed in a way that CREATE OR REPLACE supports. pg-delta drops and
 * recreates a function whenever its arguments change, and with the function all policies, views and checks that call
 * it.
 */
import { type Action, buildFactBase, type Fact, type FactBase, type StableId } from '@supabase/pg-delta';
import { quoteIdentifier } from '../../../base/kernel/sql.ts';
import { lex } from '../../../base/shared/sql/lex.ts';
import type { Snapshot } from '../types.ts';

/** The letter in pg_default_acl and the keyword in GRANT for each object kind. */
const targets: Readonly<Record<string, readonly [type: string, words: string]>> = {
  table: ['r', 'TABLE'],
  view: ['r', 'TABLE'],
  materializedView: ['r', 'TABLE'],
  foreignTable: ['r', 'TABLE'],
  sequence: ['S', 'SEQUENCE'],
  function: ['f', 'FUNCTION'],
  aggregate: ['f', 'FUNCTION'],
  procedure: ['f', 'PROCEDURE'],
  type: ['T', 'TYPE'],
  domain: ['T', 'TYPE'],
  schema: ['n', 'SCHEMA'],
};

/**
 * Returns the letter that pg_default_acl uses for an object's kind. The result is undefined if default privileges don't
 * apply to the kind.
 */
const defaultTypeOf = ({ kind }: StableId): string | undefined => targets[kind]?.[0];

interface UnwantedDefaults {
  /**
   * Returns the statements that revoke privileges on the objects that an action creates. These statements run before
   * the grants on the objects.
   */
  after(action: Action): string[];
}

export function unwantedDefaults(from: FactBase, to: FactBase, role: string): UnwantedDefaults {
  const defaults = [...from.facts(), ...to.facts()].flatMap(({ id }) =>
    id.kind === 'defaultPrivilege' && id.role === role && id.grantee !== role ? [id] : [],
  );
  const revocations = (id: StableId): string[] => {
    const [type, words] = targets[id.kind] ?? [];
    const schema = 'schema' in id ? id.schema : null;
    const grantees = new Set(
      defaults
        .filter((each) => each.objtype === type && (each.schema === null || each.schema === schema))
        .map(({ grantee }) => grantee),
    );
    return [...grantees]
      .filter((grantee) => !to.has({ kind: 'acl', target: id, grantee }))
      .map((grantee) => `REVOKE ALL ON ${words} ${nameOf(id)} FROM ${granteeName(grantee)}`);
  };
  return {
    after: ({ verb, produces }) =>
      verb === 'create'
        ? produces.filter(({ kind }) => targets[kind] !== undefined).flatMap(revocations)
        : [],
  };
}

/**
 * pg-delta removes default privileges of a schema by granting PostgreSQL's own defaults, which grant EXECUTE to PUBLIC.
 * A schema's default privileges only add to the global default privileges, so such a statement would grant EXECUTE even
 * if the global default privileges revoke it.
 */
export function isWrongDefault({ sql, consumes, destroys, produces }: Action, to: FactBase): boolean {
  if (!/^ALTER DEFAULT PRIVILEGES FOR ROLE .* IN SCHEMA .* GRANT .* TO PUBLIC$/.test(sql)) return false;
  const id = [...destroys, ...produces, ...consumes].find(({ kind }) => kind === 'defaultPrivilege');
  return id?.kind === 'defaultPrivilege' && !to.has({ ...id, grantee: 'PUBLIC' });
}

const granteeName = (grantee: string): string => (grantee === 'PUBLIC' ? grantee : quoteIdentifier(grantee));

function nameOf(id: StableId): string {
  const parts = ['schema' in id ? id.schema : undefined, 'name' in id ? id.name : undefined];
  const name = parts.flatMap((part) => (typeof part === 'string' ? [quoteIdentifier(part)] : [])).join('.');
  return 'args' in id ? `${name}(${id.args.join(', ')})` : name;
}

/**
 * Returns the old schema without the default privileges that must not apply. The plan then adds these default
 * privileges after CREATE EXTENSION, because pg-delta sorts default privileges last. If the old schema doesn't contain
 * such default privileges, returns `from` itself.
 */
export function withoutMemberDefaults(
  from: FactBase,
  to: Snapshot,
  { role, includes }: { readonly role: string; readonly includes: (schema: string) => boolean },
): FactBase {
  const members = newMembers(from, to.facts, includes).filter((id) => isOwnedBy(id, role, to.facts));
  const hasDefault = privilegesIn(to);
  const isUnwanted = ({ id, payload }: Fact): boolean => {
    if (id.kind !== 'defaultPrivilege' || id.role !== role) return false;
    const { schema, objtype, grantee } = id;
    const isRevoked = (payload.privileges as readonly string[]).length === 0;
    // Default privileges of a schema can't revoke global default privileges.
    if (isRevoked && schema !== null) return false;
    return members.some(
      (target) =>
        defaultTypeOf(target) === objtype &&
        (schema === null || ('schema' in target && target.schema === schema)) &&
        !hasDefault(target, grantee, isRevoked),
    );
  };
  const kept = from.facts().filter((fact) => !isUnwanted(fact));
  return kept.length === from.facts().length ? from : buildFactBase(kept, [...from.edges]);
}

/** Returns the members of those new extensions that are installed in the compared schemas. */
const newMembers = (from: FactBase, to: FactBase, includes: (schema: string) => boolean): StableId[] =>
  to
    .facts()
    .filter(({ id, payload }) => id.kind === 'extension' && !from.has(id) && includes(String(payload.schema)))
    .flatMap(({ id }) => to.incomingEdges(id))
    .flatMap(({ kind, from: id }) => (kind === 'memberOfExtension' ? [id] : []));

/**
 * Whether the role owns the object. A trusted extension's objects are created by another role, whose default privileges
 * apply.
 */
const isOwnedBy = (id: StableId, role: string, facts: FactBase): boolean =>
  facts.outgoingEdges(id).some(({ kind, to }) => kind === 'owner' && to.kind === 'role' && to.name === role);

/**
 * Returns a function that checks whether a member's privileges are consistent with a default privilege that applied
 * when the member was created. If the extension's script sets the member's privileges, pg-delta's facts don't include
 * privileges that the member got from default privileges.
 */
function privilegesIn({ facts, scriptedMembers }: Snapshot) {
  const keyOf = (schema: string, name: string): string => JSON.stringify([schema, name]);
  const grantees = new Map(scriptedMembers.map((each) => [keyOf(each.schema, each.name), each.grantees]));
  return (target: StableId, grantee: string, isRevoked: boolean): boolean => {
    if (facts.has({ kind: 'acl', target, grantee })) return true;
    const initial =
      'schema' in target && 'name' in target ? grantees.get(keyOf(target.schema, target.name)) : undefined;
    return initial !== undefined && initial.includes(grantee) !== isRevoked;
  };
}

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
function parametersOf(signature: string): Parameter[] {
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
