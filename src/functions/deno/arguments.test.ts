import { expect, it } from 'vitest';
import type { FunctionSource } from '../catalog.ts';
import { FunctionError } from '../errors.ts';
import { runArguments } from './arguments.ts';

const source = (folder: string): FunctionSource => ({
  slug: 'hello',
  entrypoint: `${folder}/hello/index.ts`,
  verifyJwt: true,
  importFlags: [],
  importFiles: [],
  packageJson: false,
  staticFiles: [],
  env: {},
});
const folder = '/clients/Foo, Inc/supabase/functions';
const options = {
  source: source(folder),
  socketPath: '/tmp/run/s',
  temp: '/tmp/run/tmp',
  cacheDir: '/clients/Foo, Inc/.plinth/deno',
  readable: [folder],
  unreadable: [`${folder}/.env`, `${folder}/hello/.env`],
};
const flag = (args: readonly string[], name: string) =>
  args.find((arg) => arg.startsWith(`--${name}=`))?.slice(name.length + 3);

it('a path with a comma is told from where the worker starts', () => {
  const { cwd, args } = runArguments(options);
  expect(cwd).toBe(`${folder}/hello`);
  expect(flag(args, 'allow-read')?.split(',').slice(1)).toEqual([
    '..',
    '../../../.plinth/deno',
    '/tmp/run/tmp',
    '/tmp/run/s',
  ]);
  expect(flag(args, 'deny-read')).toBe('../.env,.env');
});

it('without a comma the worker starts in its temporary folder', () => {
  const plain = '/clients/foo/supabase/functions';
  const { cwd, args } = runArguments({
    ...options,
    source: source(plain),
    cacheDir: '/c',
    readable: [plain],
    unreadable: [],
  });
  expect(cwd).toBe('/tmp/run/tmp');
  expect(flag(args, 'allow-read')?.split(',').slice(1)).toEqual([plain, '/c', '/tmp/run/tmp', '/tmp/run/s']);
});

it('what cannot be told to Deno is refused, not guessed', () => {
  const elsewhere = { ...options.source, staticFiles: ['/shared, too/**/*.html'] };
  expect(() => runArguments({ ...options, source: elsewhere })).toThrow(FunctionError);
});
