/** Finds the cycles of a directed graph. */

export type Edge = readonly [from: string, to: string];

/**
 * Returns the graph's strongly connected components that have more than one node. Uses Tarjan's algorithm with an
 * explicit stack, because dependency chains can be long.
 */
export function cyclesOf(edges: readonly Edge[]): string[][] {
  const next = new Map<string, string[]>();
  for (const [from, to] of edges) {
    const list = next.get(from);
    if (list === undefined) next.set(from, [to]);
    else list.push(to);
  }
  const index = new Map<string, number>();
  const low = new Map<string, number>();
  const open: string[] = [];
  const isOpen = new Set<string>();
  const cycles: string[][] = [];
  const enter = (node: string): { node: string; rest: Iterator<string> } => {
    index.set(node, index.size);
    low.set(node, index.size - 1);
    open.push(node);
    isOpen.add(node);
    return { node, rest: (next.get(node) ?? []).values() };
  };
  const lower = (node: string, value: number): void => {
    low.set(node, Math.min(low.get(node) as number, value));
  };
  for (const root of next.keys()) {
    if (index.has(root)) continue;
    const path = [enter(root)];
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      const { node, rest } = top;
      const step = rest.next();
      if (step.done !== true) {
        if (!index.has(step.value)) path.push(enter(step.value));
        else if (isOpen.has(step.value)) lower(node, index.get(step.value) as number);
        continue;
      }
      path.pop();
      const parent = path.at(-1);
      if (parent !== undefined) lower(parent.node, low.get(node) as number);
      if (low.get(node) !== index.get(node)) continue;
      const component = open.splice(open.lastIndexOf(node));
      for (const each of component) isOpen.delete(each);
      if (component.length > 1) cycles.push(component);
    }
  }
  return cycles;
}
