/**
 * Replaces types that columns use. PostgreSQL can't change the base type of a domain, the type of an attribute or the
 * subtype of a range while a column uses it, and pg-delta doesn't plan such changes. The old type is renamed first, so
 * it's a different type for the planner: the columns change to the new type, and the old type is dropped.
 */
import { type Action, buildFactBase, type Fact, type FactBase, type StableId } from '@supabase/pg-delta';
import { quoteIfNeeded } from '../../dump/index.ts';
import { quoteIdentifier } from '../../kernel/sql.ts';
import { DiffError } from '../errors.ts';
import { mapTexts } from './map-texts.ts';

interface ReplacedType {
  readonly kind: 'domain' | 'type';
  readonly schema: string;
  readonly name: string;
  readonly oldName: string;
}

export interface ReplacingPlan<P> {
  readonly plan: P;
  /** The old schema after `statements`. */
  readonly from: FactBase;
  readonly statements: readonly string[];
}

/** Plans, and plans again if a type must be replaced. @throws {DiffError} */
export function planReplacingTypes<P extends { readonly actions: readonly Action[] }>(
  from: FactBase,
  planFrom: (facts: FactBase) => P,
): ReplacingPlan<P> {
  const replaced: ReplacedType[] = [];
  for (let facts = from; ; ) {
    try {
      const plan = planFrom(facts);
      const actions = plan.actions.map((action) => castingToText(action, replaced));
      return { plan: { ...plan, actions }, from: facts, statements: replaced.map(renaming) };
    } catch (error) {
      const type = typeIn(error, facts);
      if (type === undefined || replaced.some((each) => isSame(each, type))) throw error;
      replaced.push(type);
      facts = withOldName(facts, type);
    }
  }
}

const isSame = (a: ReplacedType, b: ReplacedType): boolean => a.schema === b.schema && a.name === b.name;

const renaming = ({ kind, schema, name, oldName }: ReplacedType): string =>
  `ALTER ${kind.toUpperCase()} ${quoteIdentifier(schema)}.${quoteIdentifier(name)} RENAME TO ${quoteIdentifier(oldName)}`;

/** Returns the type that pg-delta can't replace according to its error. */
function typeIn(error: unknown, facts: FactBase): ReplacedType | undefined {
  if (!(error instanceof DiffError) || !(error.cause instanceof Error)) return undefined;
  const [, kind, ...quoted] =
    /^(domain|range type|enum|composite type) "((?:[^"]|"")*)"\."((?:[^"]|"")*)": cannot /.exec(
      error.cause.message,
    ) ?? [];
  const [schema, name] = quoted.map((each) => each.replaceAll('""', '"'));
  if (kind === undefined || schema === undefined || name === undefined) return undefined;
  const isFree = (candidate: string): boolean =>
    !(['table', 'view', 'type', 'domain'] as const).some((each) =>
      facts.has({ kind: each, schema, name: candidate }),
    );
  for (let number = 1; ; number++) {
    const suffix = `__old${number === 1 ? '' : number}`;
    const oldName = `${clipped(name, maxNameBytes - suffix.length)}${suffix}`;
    if (isFree(oldName)) return { kind: kind === 'domain' ? 'domain' : 'type', schema, name, oldName };
  }
}

const maxNameBytes = 63;

const clipped = (text: string, bytes: number): string =>
  Buffer.byteLength(text) <= bytes ? text : clipped([...text].slice(0, -1).join(''), bytes);

function withOldName(facts: FactBase, type: ReplacedType): FactBase {
  const { schema, name, oldName } = type;
  const qualified = `${quoteIfNeeded(schema)}.${quoteIfNeeded(name)}`;
  const pattern = new RegExp(`(?<![\\w$".])${RegExp.escape(qualified)}(?![\\w$"])`, 'g');
  const inText = (text: string): string =>
    text.replace(pattern, () => `${quoteIfNeeded(schema)}.${quoteIfNeeded(oldName)}`);
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

/** The type itself, its attributes and constraints, functions with arguments of the type, and satellites of these. */
function renamedId(id: StableId, type: ReplacedType, inText: (text: string) => string): StableId {
  const { kind, schema, name, oldName } = type;
  if ('target' in id) return { ...id, target: renamedId(id.target, type, inText) };
  if ('args' in id) return { ...id, args: id.args.map(inText) };
  if (!('schema' in id) || id.schema !== schema) return id;
  if (id.kind === kind && id.name === name) return { ...id, name: oldName };
  if (id.kind === 'typeAttribute' && id.type === name) return { ...id, type: oldName };
  // A type and a table of a schema have different names.
  if (id.kind === 'constraint' && id.table === name) return { ...id, table: oldName };
  return id;
}

/** Types with the same name have no cast, but each value has a text. */
function castingToText(action: Action, replaced: readonly ReplacedType[]): Action {
  const types = replaced.map(({ schema, name }) => `${quoteIfNeeded(schema)}.${quoteIfNeeded(name)}`);
  const sql = action.sql.replace(
    /^(ALTER TABLE .* TYPE (.+?)((?:\[\])*) USING "(?:[^"]|"")+")::\2\3$/s,
    (whole, start: string, type: string, dimensions: string) =>
      types.includes(type) ? `${start}::text::${type}${dimensions}` : whole,
  );
  return { ...action, sql };
}
