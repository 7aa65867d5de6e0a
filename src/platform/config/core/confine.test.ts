import { resolve } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { globFolder, outsideFault } from './confine.ts';

const inside = {
  folders: ['/app', '/shared'],
  dataFolder: '/app/.plinth',
  realPath: (path: string) => path.replace(/^\/app\/link/, '/etc'),
};
const fault = (path: string, isFolder = false) => outsideFault({ key: 'x', path, isFolder }, inside);

test.each(['/app', '/app/a', '/app/..a', '/app/.plinthx', '/shared/a/b'])('%s is inside', (path) => {
  expect(fault(path)).toBeUndefined();
});
test.each(['/', '/ap', '/appx', '/etc/passwd', '/app/link/passwd', '/share'])('%s is outside', (path) => {
  expect(fault(path)).toContain('outside the project folder');
});
test.each(['/app/.plinth', '/app/.plinth/secrets.json'])('%s is in the data folder', (path) => {
  expect(fault(path)).toContain('the data folder');
});
test('a folder that contains the data folder is rejected', () => {
  expect(fault('/app', true)).toContain('the data folder');
  expect(fault('/app/web', true)).toBeUndefined();
});

test('a glob pattern has a base folder that contains all matches, or none', () => {
  const part = fc.constantFrom('a', '..', '.', '*', '**', '{a,..}', 'b*', '');
  fc.assert(
    fc.property(fc.array(part, { minLength: 1 }), (parts) => {
      const folder = globFolder('/app/supabase', parts.join('/'));
      if (folder === undefined) return;
      const match = parts.join('/').replaceAll(/\{a,\.\.\}|\*+/g, 'm');
      const found = resolve('/app/supabase', match);
      expect(`${found}/`.startsWith(folder === '/' ? '/' : `${folder}/`)).toBe(true);
    }),
  );
});
