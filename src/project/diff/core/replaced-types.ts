/**
 * Replaces types that columns use. PostgreSQL can't change a domain's base type, an attribute's type or a range's
 * subtype while a column uses the domain or type, and pg-delta doesn't plan such changes. The old type is first
 * renamed, so that the plan contains two types. The planner then changes the columns to the new type and drops the old
 * type.
 */
import { type Action, buildFactBase, type Fact, type FactBase, type StableId } from '@supabase/pg-delta';
import { quoteIdentifier } from '../../../base/kernel/sql.ts';
import { quoteIfNeeded } from '../../../operations/dump/index.ts';
import { DiffError } from '../errors.ts';
import { mapTexts } from './normalize.ts';

interface ReplacedType {
  readonly kind: 'domain' | 'type';
  readonly schema: string;
  readonly name: string;
  readonly oldName: string;
  /** The multirange type that belongs to a range type. */
  readonly multirange?:
    | { readonly name: string; readonly oldName: string; readonly subtype: string }
    | undefined;
}

export interface ReplacingPlan<P> {
  readonly plan: P;
  /** The old schema after `statements` have run. */
  readonly from: FactBase;
  readonly statements: readonly string[];
}

/** Plans the changes, and plans them again whenever a type must be replaced. @throws {DiffError} */
export function planReplacingTypes<P extends { readonly actions: readonly Action[] }>(
  from: FactBase,
  planFrom: (facts: FactBase) => P,
): ReplacingPlan<P> {
  const replaced: ReplacedType[] = [];
  for (let facts = from; ; ) {
    try {
      const plan = planFrom(facts);
      const actions = plan.actions.map((action) => castingToText(action, replaced));
      return { plan: { ...plan, actions }, from: facts, statements: replaced.flatMap(renamings) };
    } catch (error) {
      const type = typeIn(error, facts);
      if (type === undefined || replaced.some((each) => isSame(each, type))) throw error;
      replaced.push(type);
      facts = withOldName(facts, type);
    }
  }
}

const isSame = (a: ReplacedType, b: ReplacedType): boolean => a.schema === b.schema && a.name === b.name;

function renamings({ kind, schema, name, oldName, multirange }: ReplacedType): string[] {
  const type = renaming(kind, schema, name, oldName);
  if (multirange === undefined) return [type];
  const range = `${quoteIdentifier(schema)}.${quoteIdentifier(oldName)}`;
  const { subtype } = multirange;
  // Renaming a range type doesn't rename its constructor functions, so they are renamed separately.
  const constructors = (
    [
      [name, oldName, `${subtype}, ${subtype}`],
      [name, oldName, `${subtype}, ${subtype}, text`],
      [multirange.name, multirange.oldName, ''],
      [multirange.name, multirange.oldName, range],
      [multirange.name, multirange.oldName, `VARIADIC ${range}[]`],
    ] as const
  ).map(
    ([from, to, args]) =>
      `ALTER FUNCTION ${quoteIdentifier(schema)}.${quoteIdentifier(from)}(${args}) RENAME TO ${quoteIdentifier(to)}`,
  );
  return [type, renaming('type', schema, multirange.name, multirange.oldName), ...constructors];
}

const renaming = (kind: string, schema: string, name: string, oldName: string): string =>
  `ALTER ${kind.toUpperCase()} ${quoteIdentifier(schema)}.${quoteIdentifier(name)} RENAME TO ${quoteIdentifier(oldName)}`;

/** Returns the type that can't be replaced according to pg-delta's error. */
function typeIn(error: unknown, facts: FactBase): ReplacedType | undefined {
  if (!(error instanceof DiffError) || !(error.cause instanceof Error)) return undefined;
  const [, kind, ...quoted] =
    /^(domain|range type|enum|composite type) "((?:[^"]|"")*)"\."((?:[^"]|"")*)": cannot /.exec(
      error.cause.message,
    ) ?? [];
  const [schema, name] = quoted.map((each) => each.replaceAll('""', '"'));
  if (kind === undefined || schema === undefined || name === undefined) return undefined;
  const type = { kind: kind === 'domain' ? ('domain' as const) : ('type' as const), schema, name };
  const payload = facts.get({ kind: 'type', schema, name })?.payload;
  const [, quotedName] = /\.((?:"(?:[^"]|"")*"|[^".]+))$/.exec(String(payload?.multirangeTypeName)) ?? [];
  const multirangeName = quotedName?.replace(/^"(.*)"$/s, '$1').replaceAll('""', '"');
  return {
    ...type,
    oldName: freeName(name, schema, facts),
    multirange:
      multirangeName === undefined
        ? undefined
        : {
            name: multirangeName,
            oldName: freeName(multirangeName, schema, facts),
            subtype: String(payload?.subtype),
          },
  };
}

function freeName(name: string, schema: string, facts: FactBase): string {
  const isFree = (candidate: string): boolean =>
    !(['table', 'view', 'type', 'domain'] as const).some((kind) =>
      facts.has({ kind, schema, name: candidate }),
    );
  for (let number = 1; ; number++) {
    const suffix = `__old${number === 1 ? '' : number}`;
    const oldName = `${clipped(name, maxNameBytes - suffix.length)}${suffix}`;
    if (isFree(oldName)) return oldName;
  }
}

const maxNameBytes = 63;

const clipped = (text: string, bytes: number): string =>
  Buffer.byteLength(text) <= bytes ? text : clipped([...text].slice(0, -1).join(''), bytes);

function withOldName(facts: FactBase, type: ReplacedType): FactBase {
  const { schema, multirange } = type;
  const inText = (text: string): string =>
    [type, ...(multirange === undefined ? [] : [multirange])].reduce(
      (result, { name, oldName }) => withName(result, schema, name, oldName),
      text,
    );
  const idOf = (id: StableId): StableId => renamedId(id, type, inText);
  const factOf = (fact: Fact): Fact => ({
    ...fact,
    id: idOf(fact.id),
    ...(fact.parent === undefined ? {} : { parent: idOf(fact.parent) }),
    payload: mapTexts(fact.payload, inText) as Fact['payload'],
  });
  return buildFactBase(
    facts.facts().map(factOf),
    facts.edges.map((edge) => ({ ...edge, from: idOf(edge.from), to: idOf(edge.to) })),
  );
}

function withName(text: string, schema: string, name: string, newName: string): string {
  const qualified = `${quoteIfNeeded(schema)}.${quoteIfNeeded(name)}`;
  const pattern = new RegExp(`(?<![\\w$".])${RegExp.escape(qualified)}(?![\\w$"])`, 'g');
  return text.replace(pattern, () => `${quoteIfNeeded(schema)}.${quoteIfNeeded(newName)}`);
}

/**
 * Returns the ID that an object has after the type is renamed. Renaming changes the IDs of the type, its attributes and
 * constraints, functions with arguments of the type, and these objects' comments and grants.
 */
function renamedId(id: StableId, type: ReplacedType, inText: (text: string) => string): StableId {
  const { kind, schema, name, oldName } = type;
  if ('target' in id) return { ...id, target: renamedId(id.target, type, inText) };
  if ('args' in id) return { ...id, args: id.args.map(inText) };
  if (!('schema' in id) || id.schema !== schema) return id;
  if (id.kind === kind && id.name === name) return { ...id, name: oldName };
  if (id.kind === 'typeAttribute' && id.type === name) return { ...id, type: oldName };
  // A type and a table in the same schema can't have the same name, so the constraint belongs to the type.
  if (id.kind === 'constraint' && id.table === name) return { ...id, table: oldName };
  return id;
}

/** Casts values to text first, because PostgreSQL has no cast from the old type to the new type. */
function castingToText(action: Action, replaced: readonly ReplacedType[]): Action {
  const types = replaced.map(({ schema, name }) => `${quoteIfNeeded(schema)}.${quoteIfNeeded(name)}`);
  const sql = action.sql.replace(
    /^(ALTER TABLE .* TYPE (.+?)((?:\[\])*) USING "(?:[^"]|"")+")::\2\3$/s,
    (whole, start: string, type: string, dimensions: string) =>
      types.includes(type) ? `${start}::text::${type}${dimensions}` : whole,
  );
  return { ...action, sql };
}
