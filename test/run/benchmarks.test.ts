import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const folder = fileURLToPath(new URL('../../bench/', import.meta.url));

test('benchmarks build Plinth before they open its pages or start its bundle', () => {
  const sources = readdirSync(folder)
    .filter((name) => name.endsWith('.ts'))
    .map((name) => [name, readFileSync(`${folder}${name}`, 'utf8')] as const);
  const needing = sources.filter(([, source]) =>
    /launchOwnBrowser\(|plinth-built\.mjs|'npm', \['start'/.test(source),
  );
  expect(needing.map(([name]) => name)).toContain('console.ts');
  for (const [name, source] of needing) expect(source, name).toContain('buildPlinth();');
});
