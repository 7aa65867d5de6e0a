import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { documents, exampleProject, readDocument } from '../../scripts/docs/documents.ts';
import { inboxRoutes, wildcards } from '../../scripts/docs/routes.ts';
import { sourceConstant } from '../../scripts/docs/source-constants.ts';
import type { Backend } from '../../src/entry/main.ts';
import { createTestBackend } from '../../src/entry/testing.ts';

let backend: Backend;

beforeAll(async () => {
  backend = await createTestBackend({ projectDir: fileURLToPath(exampleProject) });
});

afterAll(async () => {
  await backend.stop();
});

describe('generated documents', () => {
  it('are up to date', async () => {
    const stale = [...(await documents(backend))]
      .filter(([path, text]) => readDocument(path) !== text)
      .map(([path]) => path);
    expect(stale, 'Out of date. Run "node scripts/docs/generate.ts" and commit the result.').toEqual([]);
  });

  it('constants are read from source files, and a missing constant is reported', () => {
    expect(sourceConstant('src/pages/console', 'attemptLimits.max')).toBeGreaterThan(0);
    expect(() => sourceConstant('src/entry/main.ts', 'noSuchConstant')).toThrow(
      'src/entry/main.ts has no numeric constant named noSuchConstant',
    );
  });
});

describe('route lists behind wildcards', () => {
  const all = ['GET', 'HEAD', 'POST', 'PATCH', 'PUT', 'DELETE'];
  const names = { '{relation}': 'notes', '{function}': 'no_such_function' };
  const filled = (path: string) =>
    Object.entries(names).reduce((text, [gap, name]) => text.replace(gap, name), path);

  it.each(wildcards)('$path supports the listed methods and no others', async ({ path, methods }) => {
    const taken: string[] = [];
    for (const method of all) {
      const response = await backend.fetch(filled(path), {
        method,
        headers: { apikey: backend.keys.secretKey, 'content-type': 'application/json' },
        ...(method === 'GET' || method === 'HEAD' ? {} : { body: '{}' }),
      });
      const { code } = method === 'HEAD' ? { code: '' } : ((await response.json()) as { code?: string });
      const refused = response.status === 405 && ['', 'PGRST101', 'PGRST117'].includes(code ?? '');
      if (!refused) taken.push(method);
    }
    expect(taken).toEqual(methods.filter((method) => method !== 'OPTIONS'));
  });

  it.each(inboxRoutes)('the inbox serves $path', async ({ path, methods }) => {
    const mailUrl = backend.status().MAILPIT_URL;
    for (const method of methods) {
      const query = path.endsWith('/search') ? '?query=unknown' : '';
      const response = await fetch(`${mailUrl}${path.replace('{id}', 'none')}${query}`, {
        method,
        ...(method === 'GET' ? {} : { body: '{"IDs":["none"]}' }),
      });
      const text = await response.text();
      expect(text, `${method} ${path}`).not.toBe('{"Error":"Not found"}');
      expect(response.status, `${method} ${path}`).toBeLessThan(500);
    }
  });
});

describe('links between documents', () => {
  const pages = [
    'README.md',
    'CONTRIBUTING.md',
    'docs/specification.md',
    'docs/compatibility.md',
    'docs/decisions/README.md',
  ];

  it.each(pages)('in %s have a target', (page) => {
    const text = readFileSync(new URL(`../../${page}`, import.meta.url), 'utf8');
    const lost = [...text.matchAll(/\]\((?!https?:|mailto:|#)([^)#\s]+)/g)]
      .map(([, target = '']) => target)
      .filter((target) => readDocument(new URL(target, `file:///${page}`).pathname.slice(1)) === '');
    expect(lost).toEqual([]);
  });

  it('include every decision', () => {
    const files = readdirSync(new URL('../../docs/decisions/', import.meta.url));
    const ofWeb = readdirSync(new URL('../../web/decisions/', import.meta.url));
    const index = readDocument('docs/decisions/README.md');
    expect(files.filter((file) => file !== 'README.md' && !index.includes(`(${file})`))).toEqual([]);
    expect(ofWeb.filter((file) => !index.includes(`(../../web/decisions/${file})`))).toEqual([]);
  });
});
