import { expect, test } from 'vitest';
import { manifestFor, mergedIgnoreFile, mergedManifest, projectSpecifier } from './template-manifest.ts';

const template = JSON.stringify({
  name: 'app',
  private: true,
  type: 'module',
  scripts: { dev: 'vite', build: 'vite build' },
  dependencies: { react: '19.0.0' },
  devDependencies: { plinth: '1.0.0', vite: '8.0.0' },
});

test('an existing package.json keeps its entries, and the template adds its own', () => {
  const existing = JSON.stringify({
    name: 'mine',
    version: '2.0.0',
    type: 'commonjs',
    scripts: { dev: 'node .', test: 'echo "Error: no test specified" && exit 1' },
    dependencies: { vite: '7.0.0', left: '1.0.0' },
    devDependencies: { plinth: 'file:../plinth.tgz' },
    engines: { node: '>=22' },
  });
  const { text, keptScripts } = mergedManifest(existing, template);
  expect(JSON.parse(text)).toEqual({
    name: 'mine',
    version: '2.0.0',
    private: true,
    type: 'module',
    scripts: { dev: 'node .', build: 'vite build' },
    dependencies: { left: '1.0.0', react: '19.0.0', vite: '7.0.0' },
    devDependencies: { plinth: 'file:../plinth.tgz' },
    engines: { node: '>=22' },
  });
  expect(keptScripts).toEqual(['dev']);
  expect(mergedManifest(text, template).text).toBe(text);
  expect(() => mergedManifest('[]', template)).toThrow(SyntaxError);
});

test('a name and a specifier are inserted as they are', () => {
  const text = '{ "name": "app", "devDependencies": { "plinth": "PLINTH_VERSION" } }';
  expect(JSON.parse(manifestFor(text, { name: 'a$&b', plinth: 'file:/a"$1.tgz' }))).toEqual({
    name: 'a$&b',
    devDependencies: { plinth: 'file:/a"$1.tgz' },
  });
});

test('missing lines are appended to an ignore file', () => {
  expect(mergedIgnoreFile('node_modules', 'node_modules\n.plinth\n')).toBe('node_modules\n.plinth\n');
  expect(mergedIgnoreFile('a\r\n.plinth\r\n', '.plinth\n')).toBe('a\r\n.plinth\r\n');
});

test.each([
  [undefined, '1.0.0'],
  ['^1.0.0', '1.0.0'],
  ['>=1 <2', '1.0.0'],
  ['latest', '1.0.0'],
  ['1.0.0-beta.1', '1.0.0'],
  ['*', '1.0.0'],
  ['', '1.0.0'],
  ['file:../plinth-1.0.0.tgz', 'file:/moved/../plinth-1.0.0.tgz'],
  ['../plinth', 'file:/moved/../plinth'],
  ['/srv/plinth.tgz', 'file:/moved//srv/plinth.tgz'],
  ['link:./plinth', 'file:/moved/./plinth'],
  ['https://example.com/plinth.tgz', 'https://example.com/plinth.tgz'],
  ['git+ssh://git@example.com/plinth.git#v1', 'git+ssh://git@example.com/plinth.git#v1'],
  ['github:owner/plinth', 'github:owner/plinth'],
  ['owner/plinth', 'owner/plinth'],
  ['npm:@scope/plinth@1.0.0', 'npm:@scope/plinth@1.0.0'],
])('%s becomes %s', (installed, expected) => {
  expect(projectSpecifier(installed, '1.0.0', (path) => `/moved/${path}`)).toBe(expected);
});
