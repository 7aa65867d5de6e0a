/** Tests the temporary files of functions: paths below `/tmp` belong to the function's worker. */
import { randomUUID } from 'node:crypto';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type FunctionsWorld, functionsWorld } from './harness.ts';

const name = `plinth-${randomUUID()}`;
const path = `/tmp/${name}`;

/** Runs steps and returns their results by name. The result of a step that throws is the error's name. */
const functionOf = (imports: string, steps: Readonly<Record<string, string>>): string => `
  ${imports}
  const at = (suffix = '') => '${path}' + suffix;
  const steps = { ${Object.entries(steps).map(([step, code]) => `${step}: async () => { ${code} }`)} };
  Deno.serve(async () => {
    const results = {};
    for (const [step, run] of Object.entries(steps)) results[step] = await run().catch((error) => error.name);
    return Response.json(results);
  });`;

const denoSteps = {
  file: 'await Deno.writeTextFile(at(), "a"); return Deno.readTextFile(at());',
  sync: 'Deno.writeFileSync(at(), new Uint8Array(3)); return Deno.statSync(at()).size;',
  url: 'return (await Deno.readFile(new URL("file://" + at()))).length;',
  open: 'using file = await Deno.open(at(), { append: true, write: true }); return file.write(new Uint8Array(2));',
  folder:
    'await Deno.mkdir(at("-d/e"), { recursive: true }); return [...Deno.readDirSync(at("-d"))].map((entry) => entry.name);',
  rename:
    'await Deno.rename(at(), at("-d/moved")); await Deno.copyFile(at("-d/moved"), at()); return Deno.readFileSync(at()).length;',
  temporary:
    'const made = await Deno.makeTempFile({ dir: "/tmp" }); await Deno.writeTextFile(made, "t"); return Deno.readTextFile(made);',
  list: 'const names = []; for await (const entry of Deno.readDir("/tmp")) names.push(entry.name); return names.some((entry) => at().endsWith(entry));',
  remove: 'await Deno.remove(at("-d"), { recursive: true }); return Deno.lstat(at("-d"));',
  own: 'return (await Deno.readTextFile(new URL("./own.txt", import.meta.url))).trim();',
  outside: 'return Deno.readTextFile("/tmp/../etc/passwd");',
  machine: 'return Deno.readTextFile(at("-machine"));',
};

const nodeImports = `
  import fs, { writeFileSync, realpath } from 'node:fs';
  import * as all from 'fs';
  import { readFile, writeFile } from 'node:fs/promises';
  import { createRequire } from 'node:module';
  import { tmpdir } from 'node:os';
  import { join } from 'node:path';
  import { pipeline } from 'node:stream/promises';
  import { promisify } from 'node:util';
  const required = createRequire(import.meta.url)('fs');`;
const nodeSteps = {
  default: 'fs.writeFileSync(at(), "a"); return fs.readFileSync(at(), "utf8");',
  named: 'writeFileSync(at(), "bc"); return all.statSync(at()).size;',
  promises: 'await writeFile(at(), "def"); return (await readFile(at())).length;',
  member: 'await fs.promises.appendFile(at(), "g"); return (await fs.promises.stat(at())).size;',
  required: 'required.renameSync(at(), at("-r")); return required.existsSync(at("-r"));',
  streams:
    'await pipeline(fs.createReadStream(at("-r")), fs.createWriteStream(at())); return Deno.readTextFileSync(at());',
  promisified: 'return await promisify(fs.exists)(at()) && typeof realpath.native;',
  tmpdir:
    'const made = fs.mkdtempSync(join(tmpdir(), "x-")); fs.writeFileSync(join(made, "y"), "z"); return fs.readdirSync(made);',
  own: 'return fs.readFileSync(new URL("./own.txt", import.meta.url), "utf8").trim();',
  machine: 'return fs.readFileSync(at("-machine"), "utf8");',
};

let world: FunctionsWorld;
beforeAll(async () => {
  writeFileSync(`${path}-machine`, 'not for functions');
  world = await functionsWorld({
    files: {
      deno: functionOf('', denoSteps),
      node: functionOf(nodeImports, nodeSteps),
      packages: functionOf(`import { tmpdir } from 'node:os';`, { tmpdir: 'return tmpdir();' }),
      'supabase/functions/deno/own.txt': 'of the project\n',
      'supabase/functions/node/own.txt': 'of the project\n',
    },
  });
});
afterAll(async () => {
  await world?.stop();
  rmSync(`${path}-machine`, { force: true });
});

const call = async (slug: string) => (await world.call(slug)).json() as Promise<Record<string, unknown>>;

it('Deno’s functions read and write files below /tmp', async () => {
  expect(await call('deno')).toEqual({
    file: 'a',
    sync: 3,
    url: 3,
    open: 2,
    folder: ['e'],
    rename: 5,
    temporary: 't',
    list: true,
    remove: 'NotFound',
    own: 'of the project',
    outside: 'NotCapable',
    machine: 'NotFound',
  });
  expect(existsSync(path)).toBe(false);
});

it('Node’s functions read and write files below /tmp, however they are imported', async () => {
  expect(await call('node')).toEqual({
    default: 'a',
    named: 2,
    promises: 3,
    member: 4,
    required: true,
    streams: 'defg',
    promisified: 'function',
    tmpdir: ['y'],
    own: 'of the project',
    machine: 'Error',
  });
  expect(existsSync(path)).toBe(false);
});

it('the folder for temporary files is writable and differs from the machine’s', async () => {
  expect((await call('packages')).tmpdir).toMatch(/\/plinth-fn-[^/]+\/[^/]+\/tmp$/);
});
