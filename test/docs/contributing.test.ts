/** Tests that CONTRIBUTING.md describes the modules that exist. */
import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const root = new URL('../../', import.meta.url);

test('the table of folders lists every module', () => {
  const text = readFileSync(new URL('CONTRIBUTING.md', root), 'utf8');
  const [, table = ''] = /\n## Folders\n([\s\S]*?)\nEach service folder/.exec(text) ?? [];
  const listed = table.matchAll(/^\| (?:`(\w+)\/`)? ?\| (.*?) \|/gm);
  const modules: string[] = [];
  let floor = '';
  for (const [, newFloor, names = ''] of listed) {
    floor = newFloor ?? floor;
    for (const [, name] of names.matchAll(/`([\w-]+)\/`/g)) modules.push(`src/${floor}/${name}`);
  }
  const folders = globSync('src/*/*/', { cwd: root }).map((path) =>
    path.replaceAll('\\', '/').replace(/\/$/, ''),
  );
  expect(modules.toSorted()).toEqual(folders.toSorted());
});
