/** Tests the editing of functions in the Console's API: in the project folder, and as new deployed versions. */
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Backend, type Operator, operator } from './harness.ts';
import { type ServicesBackend, startServicesBackend } from './services-backend.ts';

let services: ServicesBackend;
let backend: Backend;
let owner: Operator;
let looker: Operator;
beforeAll(async () => {
  services = await startServicesBackend();
  backend = services.backend;
  owner = await operator(backend);
  await backend.operators.createOperator('looker', 'read-only');
  looker = await operator(backend, 'looker');
});
afterAll(() => services?.stop());

const code = (word: string): string => `Deno.serve(() => new Response('${word}'));\n`;
const onDisk = (path: string): string => readFileSync(join(services.functionsDir, path), 'utf8');
const put = (path: string, text: string): void => {
  mkdirSync(join(services.functionsDir, path, '..'), { recursive: true });
  writeFileSync(join(services.functionsDir, path), text);
};

interface File {
  readonly path: string;
  readonly text: string;
  readonly revision: string | null;
}
const read = async (slug: string, path: string): Promise<File> => {
  const { body } = await owner.call('GET', `/functions/${slug}/file?${new URLSearchParams({ path })}`);
  return { path, text: body.text, revision: body.revision };
};
const save = (slug: string, files: readonly Partial<File>[], as = owner) =>
  as.call('PUT', `/functions/${slug}/files`, { files });
const editing = async (slug: string): Promise<unknown> =>
  (await owner.call('GET', `/functions/${slug}/files`)).body.editing;
const answer = async (slug: string): Promise<string> =>
  (await owner.call('POST', `/functions/${slug}/invoke`, { method: 'GET' })).body.body;

/** Deploys a function as the CLI does. Returns the status. */
async function deploy(slug: string, files: Readonly<Record<string, string>>): Promise<number> {
  const { token } = await backend.operators.tokens.create(`deploys ${slug}`, 'owner', 3600);
  const headers = { authorization: `Bearer ${token}` };
  const [{ ref }] = await (await backend.console.fetch('/v1/projects', { headers })).json();
  const body = new FormData();
  const metadata = { entrypoint_path: Object.keys(files)[0], name: slug, verify_jwt: false };
  body.set('metadata', JSON.stringify(metadata));
  for (const [path, content] of Object.entries(files)) body.append('file', new Blob([content]), path);
  const path = `/v1/projects/${ref}/functions/deploy?slug=${slug}`;
  return (await backend.console.fetch(path, { method: 'POST', headers, body })).status;
}

describe('in the project folder', () => {
  beforeEach(() => {
    put('greet/index.ts', code('one'));
    put('greet/lib/words.ts', 'export const word = 1;\n');
  });

  test('files are changed and created together, and served', async () => {
    expect(await editing('greet')).toBe('folder');
    const index = await read('greet', 'index.ts');
    const { status, body } = await save('greet', [
      { ...index, text: "import { word } from './lib/new.ts';\nDeno.serve(() => new Response(word));\n" },
      { path: 'lib/new.ts', text: "export const word = 'two';\n", revision: null },
    ]);
    expect([status, body]).toEqual([200, { version: null }]);
    expect(onDisk('greet/lib/new.ts')).toBe("export const word = 'two';\n");
    expect(onDisk('greet/lib/words.ts')).toBe('export const word = 1;\n');
    await expect.poll(() => answer('greet')).toBe('two');
    const { entries } = (await owner.call('GET', '/audit?action=function.save')).body;
    expect(entries[0]).toMatchObject({
      action: 'function.save',
      target: 'greet',
      detail: { files: ['index.ts', 'lib/new.ts'] },
    });
  });

  test('a file that changed in between is a conflict, and nothing is saved', async () => {
    const [index, words] = [await read('greet', 'index.ts'), await read('greet', 'lib/words.ts')];
    put('greet/lib/words.ts', 'export const word = 2;\n');
    const { status, body } = await save('greet', [
      { ...index, text: code('mine') },
      { ...words, text: 'export const word = 3;\n' },
    ]);
    expect([status, body.code, body.path]).toEqual([409, 'conflict', 'lib/words.ts']);
    expect(onDisk('greet/index.ts')).toBe(code('one'));
    expect(onDisk('greet/lib/words.ts')).toBe('export const word = 2;\n');
  });

  test('of two saves at the same time, one is a conflict', async () => {
    const index = await read('greet', 'index.ts');
    const results = await Promise.all(
      ['left', 'right'].map((word) => save('greet', [{ ...index, text: code(word) }])),
    );
    expect(results.map(({ status }) => status).sort()).toEqual([200, 409]);
  });

  test('a new file doesn’t replace an existing one', async () => {
    const { status } = await save('greet', [{ path: 'lib/words.ts', text: 'x', revision: null }]);
    expect(status).toBe(409);
    expect(onDisk('greet/lib/words.ts')).toBe('export const word = 1;\n');
  });

  test.each([
    '../echo/index.ts',
    '../../config.toml',
    '/etc/passwd',
    'lib/../../echo/index.ts',
    './index.ts',
    '.env',
    'lib/.npmrc',
    'node_modules/x.js',
    'lib/vendor/x.js',
    'a\\b.ts',
    'a\0.ts',
    'C:/x.ts',
    '',
    'lib//x.ts',
  ])('a path outside the function’s files is rejected: %j', async (path) => {
    const { status } = await save('greet', [{ path, text: 'x', revision: null }]);
    expect(status).toBe(400);
  });

  test('a symbolic link isn’t followed out of the folder', async () => {
    symlinkSync(join(services.functionsDir, 'echo'), join(services.functionsDir, 'greet', 'linked'));
    symlinkSync('/tmp', join(services.functionsDir, 'greet', 'tmp'));
    const echo = onDisk('echo/index.ts');
    for (const path of ['linked/index.ts', 'tmp/plinth-escape.ts'])
      expect([400, 409]).toContain((await save('greet', [{ path, text: 'x', revision: null }])).status);
    expect(onDisk('echo/index.ts')).toBe(echo);
  });

  test('a function whose code isn’t in its own folder can’t be edited', async () => {
    expect((await save('nothing-here', [{ path: 'index.ts', text: 'x', revision: null }])).status).toBe(409);
    expect(await editing('echo')).toBe('folder');
  });

  test('files with masked secrets, binary and long files can’t be edited', async () => {
    put('greet/key.ts', `export const key = '${backend.keys.secretKey}';`);
    put('greet/long.ts', `// ${'x'.repeat(300_000)}`);
    writeFileSync(join(services.functionsDir, 'greet', 'odd.txt'), Buffer.from([0x61, 0xff, 0xfe]));
    expect(await read('greet', 'key.ts')).toEqual({
      path: 'key.ts',
      text: "export const key = '[secret key]';",
      revision: null,
    });
    expect((await read('greet', 'long.ts')).revision).toBeNull();
    expect((await read('greet', 'odd.txt')).revision).toBeNull();
    // Without the revision, a save would be the creation of a file that exists.
    expect((await save('greet', [{ path: 'key.ts', text: 'x', revision: null }])).status).toBe(409);
  });

  test('a syntax error is found without saving', async () => {
    const check = (path: string, text: string, as = owner) =>
      as.call('POST', '/functions/greet/check', { path, text });
    expect((await check('index.ts', 'const a = 1;\nconst b: = 2;\n')).body.fault).toMatchObject({ line: 2 });
    expect((await check('index.ts', code('fine'))).body.fault).toBeNull();
    expect(onDisk('greet/index.ts')).toBe(code('one'));
    expect((await check('index.ts', 'x', looker)).status).toBe(403);
  });

  test('a read-only operator can read the code and can’t save it', async () => {
    const index = await read('greet', 'index.ts');
    expect((await looker.call('GET', '/functions/greet/file?path=index.ts')).status).toBe(200);
    expect((await save('greet', [{ ...index, text: 'x' }], looker)).status).toBe(403);
    expect(onDisk('greet/index.ts')).toBe(code('one'));
  });

  test.each([
    [[]],
    [[{ path: 'a.ts', text: 'x', revision: 'short' }]],
    [[{ path: 'a.ts', text: 'x'.repeat(300_000), revision: null }]],
    [
      [
        { path: 'a.ts', text: 'x', revision: null },
        { path: 'a.ts', text: 'y', revision: null },
      ],
    ],
  ])('an invalid request is rejected %#', async (files) => {
    expect((await save('greet', files)).status).toBe(400);
  });
});

describe('a deployed function', () => {
  test('gets a new version with the edited files and its settings', async () => {
    expect(await deploy('live', { 'src/main.ts': code('v1'), 'src/kept.bin': 'a\0b' })).toBe(201);
    expect(await editing('live')).toBe('deployment');
    expect(await answer('live')).toBe('v1');
    const main = await read('live', 'src/main.ts');
    const { status, body } = await save('live', [{ ...main, text: code('v2') }]);
    expect([status, body]).toEqual([200, { version: 2 }]);
    await expect.poll(() => answer('live')).toBe('v2');
    expect((await owner.call('GET', '/functions/live')).body).toMatchObject({
      deployedVersion: 2,
      verifyJwt: false,
      entrypoint: 'src/main.ts',
    });
    const { body: list } = await owner.call('GET', '/functions/live/files');
    expect(
      list.files.map(({ path, sizeBytes }: { path: string; sizeBytes: number }) => [path, sizeBytes]),
    ).toEqual([
      ['src/kept.bin', 3],
      ['src/main.ts', code('v2').length],
    ]);
    // The version that was edited is gone.
    expect((await save('live', [{ ...main, text: code('v3') }])).status).toBe(409);
    expect((await save('live', [{ path: '../x.ts', text: 'x', revision: null }])).status).toBe(400);
    const { entries } = (await owner.call('GET', '/audit?action=function.deploy')).body;
    expect(entries[0]).toMatchObject({ target: 'live', detail: { files: ['src/main.ts'], version: 2 } });
  });
});
