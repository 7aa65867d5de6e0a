/** Tests which modules a process of `npm run dev` loads again after a change. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';

const script = fileURLToPath(new URL('../../scripts/dev/reloadable.mjs', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'plinth-reloadable-'));
const src = join(folder, 'src');

beforeAll(() => {
  mkdirSync(join(src, 'deep'), { recursive: true });
  const files = {
    'main.ts': `import { text } from './middle.ts'; import { other } from './other.ts';
      export const read = async () => text + other + (await import('./lazy.ts')).lazy; console.log('main');`,
    'middle.ts': `import { leaf } from './deep/leaf.ts'; export const text: string = leaf; console.log('middle');`,
    'deep/leaf.ts': `export const leaf = '1'; console.log('leaf');`,
    'other.ts': `export const other = '2'; console.log('other');`,
    'lazy.ts': `export const lazy = '3'; console.log('lazy');`,
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(src, name), text);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs the steps in a process that can load the modules again, and returns what the modules printed. */
function run(steps: string): string[] {
  const program = `
    import { writeFileSync } from 'node:fs';
    const { reloadable } = await import(${JSON.stringify(pathToFileURL(script).href)});
    const { invalidate } = reloadable(${JSON.stringify(src)});
    const write = (name, text) => writeFileSync(${JSON.stringify(`${src}/`)} + name, text);
    const load = () => import(${JSON.stringify(pathToFileURL(join(src, 'main.ts')).href)});
    ${steps}`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  return stdout.trim().split('\n');
}

test('loads the changed module and all modules that import it, and no other', () => {
  const printed = run(`
    await load();
    console.log('changed');
    write('deep/leaf.ts', "export const leaf = '4'; console.log('leaf');");
    invalidate(['deep/leaf.ts']);
    console.log(await (await load()).read());
    write('deep/leaf.ts', "export const leaf = '5'; console.log('leaf');");
    invalidate(['deep/leaf.ts', 'unknown.ts']);
    console.log(await (await load()).read());`);
  expect(printed).toEqual(
    ['leaf', 'middle', 'other', 'main', 'changed', 'leaf', 'middle', 'main', 'lazy', '423'].concat([
      'leaf',
      'middle',
      'main',
      '523',
    ]),
  );
});

test('a module that is imported later is the changed one', () => {
  const printed = run(`
    const { read } = await load();
    await read();
    write('lazy.ts', "export const lazy = '6'; console.log('lazy');");
    invalidate(['lazy.ts']);
    console.log(await (await load()).read());`);
  expect(printed.slice(-3)).toEqual(['main', 'lazy', expect.stringMatching(/6$/)]);
});
