/** Finds import cycles between files. Type imports are included. */
import type { Graph } from './graph.ts';
import type { Violation } from './rules.ts';

/**
 * Returns one violation for each group of files that import each other, directly or indirectly (Tarjan, 1972). The
 * violation shows a shortest cycle in the group.
 */
export function cycleViolations(graph: Graph): readonly Violation[] {
  return components(graph).map((files) => {
    const [file = '', ...rest] = shortestCycle(graph, new Set(files));
    const line = graph.get(file)?.find(({ target }) => target === (rest[0] ?? file))?.line ?? 1;
    const path = [file, ...rest, file].join(' -> ');
    return {
      file,
      line,
      message: `Import cycle: ${path}. Move the types that both sides use to a separate file, or pass the value in.`,
    };
  });
}

function components(graph: Graph): readonly (readonly string[])[] {
  const found: string[][] = [];
  const index = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const onStack = new Set<string>();
  const lower = (file: string, value: number): void => {
    low.set(file, Math.min(low.get(file) ?? value, value));
  };
  const visit = (file: string): void => {
    const own = index.size;
    index.set(file, own);
    lower(file, own);
    stack.push(file);
    onStack.add(file);
    for (const next of targets(graph, file)) {
      if (!index.has(next)) {
        visit(next);
        lower(file, low.get(next) ?? own);
      } else if (onStack.has(next)) {
        lower(file, index.get(next) ?? own);
      }
    }
    if (low.get(file) !== own) return;
    const members = stack.splice(stack.indexOf(file));
    for (const member of members) onStack.delete(member);
    if (members.length > 1 || targets(graph, file).includes(file)) found.push(members);
  };
  for (const file of graph.keys()) if (!index.has(file)) visit(file);
  return found;
}

/**
 * Returns a shortest cycle in a group. A breadth-first search from each member is fast enough, because groups are
 * small.
 */
function shortestCycle(graph: Graph, members: ReadonlySet<string>): readonly string[] {
  let shortest: readonly string[] = [];
  for (const start of members) {
    const queue: (readonly string[])[] = [[start]];
    const seen = new Set<string>();
    for (const path of queue) {
      const nexts = targets(graph, path.at(-1) ?? start).filter((next) => members.has(next));
      if (nexts.includes(start)) {
        if (shortest.length === 0 || path.length < shortest.length) shortest = path;
        break;
      }
      for (const next of nexts) {
        if (seen.has(next)) continue;
        seen.add(next);
        queue.push([...path, next]);
      }
    }
  }
  return shortest;
}

const targets = (graph: Graph, file: string): readonly string[] =>
  (graph.get(file) ?? []).map(({ target }) => target).filter((target) => graph.has(target));
