/**
 * Writes docs/architecture.md, docs/errors.md, docs/metrics.md, docs/performance.md with its pictures, and the generated
 * blocks of docs/specification.md, docs/scale.md and README.md. A test fails if they are outdated.
 *
 *   node scripts/docs/generate.ts [--check]
 */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createTestBackend, stopTestCluster } from '../../src/entry/testing.ts';
import { documents, exampleProject, readDocument } from './documents.ts';

const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } });
const backend = await createTestBackend({ projectDir: fileURLToPath(exampleProject) });
try {
  for (const [path, text] of await documents(backend)) {
    if (readDocument(path) === text) continue;
    if (values.check) {
      console.error(`${path} is out of date. Run "node scripts/docs/generate.ts".`);
      process.exitCode = 1;
    } else {
      writeFileSync(new URL(`../../${path}`, import.meta.url), text);
      console.log(path);
    }
  }
} finally {
  await backend.stop();
  await stopTestCluster();
}
