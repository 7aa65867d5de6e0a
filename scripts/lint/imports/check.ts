/**
 * Checks the imports in src/ and web/: the direction of imports between modules, the files that other modules can
 * import, and cycles.
 */
import { globSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { cycleViolations } from './cycles.ts';
import { importGraph } from './graph.ts';
import { ruleViolations, type Violation } from './rules.ts';

/** Returns the violations in `sources`, whose keys are paths relative to the repository. */
export function checkImports(sources: ReadonlyMap<string, string>): readonly Violation[] {
  const graph = importGraph(sources);
  return [...ruleViolations(graph), ...cycleViolations(graph)];
}

export function readSources(root: string): ReadonlyMap<string, string> {
  const paths = globSync(['src/**/*.ts', 'web/**/*.{ts,tsx}'], {
    cwd: root,
    exclude: ['**/node_modules', 'web/dist'],
  });
  return new Map(
    paths.map((path) => [path.replaceAll(sep, '/'), readFileSync(join(root, path), 'utf8')] as const),
  );
}
