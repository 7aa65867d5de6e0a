/**
 * Drops defaults, check constraints and policies in separate statements before their table. If a default, constraint or
 * policy calls a function that depends on the table, neither the table nor the function could otherwise be dropped
 * first.
 */
import { buildFactBase, encodeId, type Fact, type FactBase, type StableId } from '@supabase/pg-delta';
import { quoteIdentifier } from '../../../base/kernel/sql.ts';
import { cyclesOf, type Edge } from './cycles.ts';

export interface SeparateDrops {
  /** The old schema after `statements` have run. */
  readonly from: FactBase;
  readonly statements: readonly string[];
}

export function separateDrops(from: FactBase, to: FactBase): SeparateDrops {
  const ownerOf = ownersOf(from, to);
  const edges = from.edges.flatMap((edge): Edge[] => {
    const [source, target] = [ownerOf(edge.from), ownerOf(edge.to)];
    return edge.kind === 'depends' && source !== target ? [[source, target]] : [];
  });
  const removed = new Set<string>();
  const statements: string[] = [];
  for (const cycle of cyclesOf(edges)) {
    const members = new Set(cycle);
    const needsMember = ({ id }: Fact): boolean =>
      from
        .outgoingEdges(id)
        .some(
          ({ kind, to: target }) =>
            kind === 'depends' && ownerOf(target) !== ownerOf(id) && members.has(ownerOf(target)),
        );
    for (const fact of from.facts()) {
      const key = encodeId(fact.id);
      if (!members.has(ownerOf(fact.id)) || ownerOf(fact.id) === key || !needsMember(fact)) continue;
      const statement = dropOf(fact);
      if (statement === undefined) continue;
      removed.add(key);
      statements.push(statement);
    }
  }
  return { from: removed.size === 0 ? from : without(from, removed), statements };
}

/**
 * Returns a function that finds the key of the dropped table or domain to which an object belongs, or the object's own
 * key.
 */
function ownersOf(from: FactBase, to: FactBase): (id: StableId) => string {
  const owners = new Map<string, string>();
  const containerOf = (id: StableId): string | undefined => {
    if (containers.has(id.kind)) return to.has(id) ? undefined : encodeId(id);
    const parent = from.get(id)?.parent;
    return parent === undefined ? undefined : containerOf(parent);
  };
  return (id) => {
    const key = encodeId(id);
    const owner = owners.get(key) ?? containerOf(id) ?? key;
    owners.set(key, owner);
    return owner;
  };
}

const containers: ReadonlySet<string> = new Set(['table', 'foreignTable', 'domain']);

function dropOf({ id, parent }: Fact): string | undefined {
  switch (id.kind) {
    case 'constraint':
      return `ALTER ${parent?.kind === 'domain' ? 'DOMAIN' : 'TABLE'} ${tableOf(id)} DROP CONSTRAINT ${quoteIdentifier(id.name)}`;
    case 'default':
      return `ALTER TABLE ${tableOf(id)} ALTER COLUMN ${quoteIdentifier(id.name)} DROP DEFAULT`;
    case 'policy':
    case 'trigger':
    case 'rule':
      return `DROP ${id.kind.toUpperCase()} ${quoteIdentifier(id.name)} ON ${tableOf(id)}`;
    case 'index':
      return `DROP INDEX ${quoteIdentifier(id.schema)}.${quoteIdentifier(id.name)}`;
    default:
      return undefined;
  }
}

const tableOf = ({ schema, table }: { readonly schema: string; readonly table: string }): string =>
  `${quoteIdentifier(schema)}.${quoteIdentifier(table)}`;

function without(facts: FactBase, removed: Set<string>): FactBase {
  const all = facts.facts();
  for (let size = -1; size !== removed.size; ) {
    size = removed.size;
    for (const { id, parent } of all)
      if (parent !== undefined && removed.has(encodeId(parent))) removed.add(encodeId(id));
  }
  const isKept = (id: StableId): boolean => !removed.has(encodeId(id));
  return buildFactBase(
    all.filter(({ id }) => isKept(id)),
    facts.edges.filter(({ from, to }) => isKept(from) && isKept(to)),
  );
}
