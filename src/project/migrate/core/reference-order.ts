/**
 * Orders tables so that each table comes after the tables that it references. Tables in a cycle keep their order.
 *
 * @example orderByReferences(['identities', 'users'], [['identities', 'users']]); // ['users', 'identities']
 */
export function orderByReferences(
  tables: readonly string[],
  references: readonly (readonly [from: string, to: string])[],
): string[] {
  const wanted = new Set(tables);
  const needs = Map.groupBy(references, ([from]) => from);
  const ordered = new Set<string>();
  const entered = new Set<string>();
  const enter = (table: string): void => {
    if (entered.has(table)) return;
    entered.add(table);
    for (const [, to] of needs.get(table) ?? []) if (wanted.has(to)) enter(to);
    ordered.add(table);
  };
  for (const table of tables) enter(table);
  return [...ordered];
}
