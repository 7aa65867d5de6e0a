import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { configDocument } from '../../src/platform/config/document.ts';

test('docs/config.md is up to date (run: node scripts/docs-config.ts)', () => {
  const written = readFileSync(new URL('../../docs/config.md', import.meta.url), 'utf8');
  expect(written).toBe(configDocument());
});
