/** Changes facts that pg-delta reads but can't plan correctly. */
import { buildFactBase, encodeId, type Fact, type FactBase } from '@supabase/pg-delta';

/** A role membership that a GRANT statement created. */
export interface Membership {
  readonly role: string;
  readonly member: string;
  readonly admin: boolean;
}

/** What the facts don't contain. */
interface Supplement {
  readonly memberships: readonly Membership[];
  /** The comments that CREATE EXTENSION gives the extensions, by the extension's name. */
  readonly extensionComments: ReadonlyMap<string, string>;
}

export function normalizeFacts(base: FactBase, { memberships, extensionComments }: Supplement): FactBase {
  const facts = base.facts().flatMap((fact) => withGranted(fact, memberships));
  const isRemoved = (fact: Fact): boolean => isDomainNotNull(fact) || isOwnComment(fact, extensionComments);
  const removed = new Set(facts.filter(isRemoved).map(({ id }) => encodeId(id)));
  const isKept = (fact: Fact): boolean =>
    !removed.has(encodeId(fact.id)) && (fact.parent === undefined || !removed.has(encodeId(fact.parent)));
  return buildFactBase(
    facts.filter(isKept).map(withPartitions).map(withStableTexts),
    base.edges.filter(({ from, to }) => !removed.has(encodeId(from)) && !removed.has(encodeId(to))),
  );
}

/**
 * CREATE ROLE grants the new role to its creator with the ADMIN option. PostgreSQL rejects a GRANT that creates the
 * same membership again, so only memberships that a GRANT statement created are compared.
 */
function withGranted(fact: Fact, memberships: readonly Membership[]): Fact[] {
  const { id, payload } = fact;
  if (id.kind !== 'membership') return [fact];
  const granted = memberships.find(({ role, member }) => role === id.role && member === id.member);
  return granted === undefined ? [] : [{ ...fact, payload: { ...payload, admin: granted.admin } }];
}

/**
 * Whether the fact is the comment that CREATE EXTENSION sets. It depends on the server, and only the extension's owner
 * can set it, who is a superuser on the hosted service.
 */
const isOwnComment = ({ id, payload }: Fact, extensionComments: ReadonlyMap<string, string>): boolean =>
  id.kind === 'comment' &&
  id.target.kind === 'extension' &&
  extensionComments.get(id.target.name) === payload.text;

/**
 * Whether the fact is a domain's NOT NULL constraint, which PostgreSQL 18 stores separately although the domain's own
 * fact already contains NOT NULL.
 */
const isDomainNotNull = ({ id, parent, payload }: Fact): boolean =>
  id.kind === 'constraint' && parent?.kind === 'domain' && /^NOT NULL/i.test(String(payload.def ?? ''));

/**
 * Removes ONLY from the definition of a partitioned table's index, so that PostgreSQL also creates the partitions'
 * indexes, which pg-delta doesn't model.
 */
function withPartitions(fact: Fact): Fact {
  if (fact.id.kind !== 'index') return fact;
  const def = String(fact.payload.def).replace(
    /^(CREATE (?:UNIQUE )?INDEX (?:"(?:[^"]|"")*"|\S+) ON) ONLY /,
    '$1 ',
  );
  return { ...fact, payload: { ...fact.payload, def } };
}

/**
 * An extension that isn't relocatable can be moved to another schema only by dropping it together with all objects that
 * use it. An extension that is installed in both databases therefore stays in its schema.
 */
export function keepExtensionSchemas(from: FactBase, to: FactBase): FactBase {
  const kept = (fact: Fact): Fact => {
    const before = fact.id.kind === 'extension' ? from.get(fact.id) : undefined;
    return before === undefined || before.payload.relocatable === true
      ? fact
      : { ...fact, payload: before.payload };
  };
  return buildFactBase(to.facts().map(kept), [...to.edges]);
}

const withExpressions: ReadonlySet<string> = new Set([
  'column',
  'constraint',
  'default',
  'domain',
  'index',
  'materializedView',
  'policy',
  'rule',
  'trigger',
  'view',
]);

/** Returns the text as PostgreSQL would print it after parsing it again. */
export const stableText = (text: string): string => flattenConditions(stableCasts(text));

const withStableTexts = (fact: Fact): Fact =>
  withExpressions.has(fact.id.kind)
    ? { ...fact, payload: mapTexts(fact.payload, stableText) as Fact['payload'] }
    : fact;

const castArray =
  /\(ARRAY\[('(?:[^']|'')*'::character varying(?:, '(?:[^']|'')*'::character varying)*)\]\)::text\[\]/g;

/**
 * PostgreSQL prints `column IN ('a', 'b')` for a varchar column as a cast of an array. After PostgreSQL has parsed and
 * printed that text again, each element has a cast, so the same policy has two representations.
 */
const stableCasts = (text: string): string =>
  text.replace(castArray, (_match, items: string) => {
    const casts = items.match(/'(?:[^']|'')*'::character varying/g) ?? [];
    return `ARRAY[${casts.map((item) => `(${item})::text`).join(', ')}]`;
  });

/**
 * PostgreSQL prints `x BETWEEN 1 AND 2 AND y` as `((x >= 1) AND (x <= 2)) AND y`. After PostgreSQL has parsed and
 * printed that text again, all three conditions are in one list, so the same expression has two representations.
 */
interface Group {
  readonly open: number;
  operator?: string;
  /** The parenthesized group before the first operator. */
  first?: { readonly open: number; readonly close: number; readonly operator: string | undefined };
}

const token = /E'(?:[^'\\]|\\.|'')*'|'(?:[^']|'')*'|"(?:[^"]|"")*"|[()]|\b(?:AND|OR)\b/gs;

/**
 * Removes the parentheses around the first conditions of a list if the same operator joins these conditions and the
 * list.
 */
export function flattenConditions(text: string): string {
  if (!text.includes('((')) return text;
  const removed = new Set<number>();
  const open: Group[] = [];
  for (const { index, 0: word } of text.matchAll(token)) {
    const group = open.at(-1);
    if (word === '(') open.push({ open: index });
    else if (word === 'AND' || word === 'OR') {
      if (group === undefined || group.operator !== undefined) continue;
      group.operator = word;
      if (group.first !== undefined && text.slice(group.first.close + 1, index) !== ' ') delete group.first;
    } else if (word === ')' && group !== undefined) {
      open.pop();
      const { first, operator } = group;
      if (first !== undefined && operator !== undefined && first.operator === operator)
        for (const position of [first.open, first.close]) removed.add(position);
      const parent = open.at(-1);
      if (parent !== undefined && parent.open + 1 === group.open)
        parent.first = { open: group.open, close: index, operator };
    }
  }
  return removed.size === 0
    ? text
    : text
        .split('')
        .filter((_, index) => !removed.has(index))
        .join('');
}

/** Applies `change` to every string in a value that consists of objects, arrays and strings. */
export function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapTexts(item, change)]));
}
