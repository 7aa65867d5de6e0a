/** Generates docs/architecture.md: the modules of src/, what each of them uses, and the walks. */

import { readSources } from '../lint/imports/check.ts';
import { importGraph } from '../lint/imports/graph.ts';
import { floors, moduleOf } from '../lint/imports/rules.ts';
import { code, table } from './markdown.ts';
import { walks } from './walks.ts';

const intro = `# Architecture

The folders of \`src/\` are floors, and the folders of a floor are modules. A module uses modules on the floors below its
own, and on its own floor those to its right in the list of [import rules](../CONTRIBUTING.md#import-rules). [Decision
96](decisions/0096-floors.md) explains the floors.

This page is generated from the imports (\`node scripts/docs/generate.ts\`).

## Modules

A name in parentheses means that only types are imported. Every module also uses \`base\`.`;

const walksIntro = `## Walks

Each list shows the functions that data passes, in order.`;

/** Returns the modules that each module imports. The value is whether only types are imported. */
function uses(root: string): ReadonlyMap<string, ReadonlyMap<string, boolean>> {
  const found = new Map<string, Map<string, boolean>>();
  for (const [file, imports] of importGraph(readSources(root))) {
    const from = moduleOf(file);
    if (from === undefined || /\.test\.ts$/.test(file)) continue;
    const own = found.get(from) ?? new Map<string, boolean>();
    found.set(from, own);
    for (const { target, typeOnly } of imports) {
      const to = moduleOf(target);
      if (to !== undefined && to !== from) own.set(to, (own.get(to) ?? true) && typeOnly);
    }
  }
  return found;
}

export function architectureDocument(root: string): string {
  const used = uses(root);
  const base = new Set(floors.base?.flat());
  const order = Object.values(floors).flat(2);
  const shown = (module: string): string =>
    order
      .filter((name) => !base.has(name) && used.get(module)?.has(name))
      .map((name) => (used.get(module)?.get(name) ? `(${name})` : name))
      .join(', ');
  const rows = Object.entries(floors).flatMap(([floor, layers]) =>
    layers.flat().map((module, index) => [index === 0 ? code(floor) : '', code(module), shown(module)]),
  );
  const lists = walks.map(
    ({ title, steps }) =>
      `### ${title}\n\n${steps
        .map(({ file, name, does }, index) => `${index + 1}. \`${name}\` in \`src/${file}\` ${does}.`)
        .join('\n')}`,
  );
  return `${[intro, table(['Floor', 'Module', 'Uses'], rows), walksIntro, ...lists].join('\n\n')}\n`;
}
