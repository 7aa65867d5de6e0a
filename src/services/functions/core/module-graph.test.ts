import { expect, test } from 'vitest';
import { checkGraph } from './module-graph.ts';

const rules = {
  projectDir: '/home/me/app',
  dataDir: '/home/me/app/.plinth',
  staticRoots: ['/srv/texts/'],
  realPath: (path: string) => (path === '/home/me/app/link.json' ? '/etc/shadow' : path),
};
const refusedOf = (path: string, kind: string, mediaType: string) =>
  checkGraph({ modules: [{ specifier: `file://${path}`, local: path, kind, mediaType }] }, rules).refused;

test.each([
  ['a module', '/home/me/app/supabase/functions/a/index.ts', 'esm', 'TypeScript', false],
  ['a package of the same repository', '/home/me/packages/shared/mod.ts', 'esm', 'TypeScript', false],
  ['JSON of the project', '/home/me/app/package.json', 'asserted', 'Json', false],
  ['a static text elsewhere', '/srv/texts/a.txt', 'external', '', false],
  ['a package', '/home/me/node_modules/a/i.js', 'external', '', false],
  ['a text of the machine', '/etc/passwd', 'external', '', true],
  ['a text taken for code', '/etc/passwd', 'esm', 'Unknown', true],
  ['JSON outside the project', '/home/you/keys.json', 'asserted', 'Json', true],
  ['a folder whose name begins alike', '/home/me/app2/keys.json', 'asserted', 'Json', true],
  ['our own data', '/home/me/app/.plinth/secrets.json', 'asserted', 'Json', true],
  ['our own data as code', '/home/me/app/.plinth/x.ts', 'esm', 'TypeScript', true],
  ['secrets of the project', '/home/me/app/supabase/.env', 'asserted', 'Unknown', true],
  ['what a hidden folder holds', '/home/me/app/.git/config', 'asserted', 'Unknown', true],
  ['a link out of the project', '/home/me/app/link.json', 'asserted', 'Json', true],
])('%s', (_name, path, kind, mediaType, isRefused) => {
  expect(refusedOf(path, kind, mediaType)).toEqual(isRefused ? [path] : []);
});

test('remote modules and packages aren’t listed as files, but missing files are because they can appear later', () => {
  const graph = checkGraph(
    {
      modules: [
        { specifier: 'https://a.test/x.ts', local: '/cache/x', kind: 'esm', mediaType: 'TypeScript' },
        { specifier: 'npm:/a@1.0.0', kind: 'npm' },
        {
          specifier: 'file:///home/me/app/node_modules/a/i.js',
          local: '/home/me/app/node_modules/a/i.js',
          kind: 'external',
        },
        { specifier: 'file:///home/me/app/supabase/functions/a/gone.ts', error: 'Module not found' },
      ],
    },
    rules,
  );
  expect(graph).toEqual({
    files: ['/home/me/app/supabase/functions/a/gone.ts'],
    refused: [],
    hasNodeModules: true,
  });
});
