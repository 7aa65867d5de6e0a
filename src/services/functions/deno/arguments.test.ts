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
  npmrc: undefined,
  staticFiles: [],
  env: {},
  root: undefined,
});
const folder = '/clients/Foo, Inc/supabase/functions';
const options = {
  source: source(folder),
  socketPath: '/tmp/run/s',
  temp: '/tmp/run/tmp',
  cacheDir: '/clients/Foo, Inc/.plinth/deno',
  readable: [`${folder}/hello/index.ts`, `${folder}/_shared/a.json`],
  redirectsNodeFiles: false,
  denyNet: ['169.254.0.0/16', '[fd00:ec2::254]'],
  hiddenEnv: ['HTTPS_PROXY', 'DENO_CERT'],
};
/** Returns all values of the flag with the given name. */
const flag = (args: readonly string[], name: string) =>
  args.flatMap((arg) => (arg.startsWith(`--${name}=`) ? arg.slice(name.length + 3).split(',') : []));

it('a path with a comma is relative to the folder in which the worker starts', () => {
  const { cwd, args } = runArguments(options);
  expect(cwd).toBe(`${folder}/hello`);
  expect(flag(args, 'allow-read').slice(1)).toEqual([
    '../../../.plinth/deno/npm',
    '/tmp/run/tmp',
    '/tmp/run/s',
    'index.ts',
    '../_shared/a.json',
  ]);
});

it('without a comma, the worker starts in its temporary folder', () => {
  const plain = '/clients/foo/supabase/functions';
  const { cwd, args } = runArguments({
    ...options,
    source: source(plain),
    cacheDir: '/c',
    readable: [`${plain}/hello/index.ts`],
  });
  expect(cwd).toBe('/tmp/run/tmp');
  expect(flag(args, 'allow-read').slice(1)).toEqual([
    '/c/npm',
    '/tmp/run/tmp',
    '/tmp/run/s',
    `${plain}/hello/index.ts`,
  ]);
});

it('a file whose path Deno can’t represent isn’t readable, and a worker with such a folder doesn’t start', () => {
  const more = [...options.readable, '/shared, too/a.html', `${folder}/hello/a,b.json`];
  expect(flag(runArguments({ ...options, readable: more }).args, 'allow-read')).toEqual(
    flag(runArguments(options).args, 'allow-read'),
  );
  expect(() => runArguments({ ...options, temp: '/tmp/run, too' })).toThrow(FunctionError);
});

it('many files are split into several flags that are each short enough for one argument', () => {
  const many = Array.from({ length: 2000 }, (_, index) => `/files/${'x'.repeat(100)}/${index}.json`);
  const { args } = runArguments({ ...options, readable: many });
  expect(flag(args, 'allow-read')).toEqual(expect.arrayContaining(many));
  expect(Math.max(...args.map((arg) => Buffer.byteLength(arg)))).toBeLessThan(100 * 1024);
});

it('denied hosts are also denied for imports', () => {
  const { args } = runArguments(options);
  expect([flag(args, 'deny-net'), flag(args, 'deny-import')]).toEqual([options.denyNet, options.denyNet]);
  expect(runArguments({ ...options, denyNet: [] }).args.join()).not.toContain('deny');
});

it('the machine’s network variables are hidden from the function', () => {
  expect(flag(runArguments(options).args, 'ignore-env')).toEqual(options.hiddenEnv);
});
