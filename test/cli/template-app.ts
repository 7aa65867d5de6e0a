/** Runs a template's app from this clone, with the clone's packages. */
import { execFile, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
export const root = fileURLToPath(new URL('../..', import.meta.url));

/** Creates the folder `cwd` and writes the template, which uses free ports, because other tests run at the same time. */
export async function createApp(cwd: string, template: string): Promise<void> {
  mkdirSync(cwd);
  await run(process.execPath, [join(root, 'bin', 'plinth-built.mjs'), 'init', '--template', template], {
    cwd,
  });
  const config = join(cwd, 'vite.config.ts');
  writeFileSync(
    config,
    readFileSync(config, 'utf8').replace(
      'plinth()',
      // SvelteKit reads the environment in this hook.
      `plinth({ port: 0 }), {
          name: 'framework',
          configResolved: () => console.log('in the hook: ' + process.env.PUBLIC_SUPABASE_URL),
        }`,
    ),
  );
  linkPackages(cwd);
}

export interface RunningApp {
  readonly url: string;
  /** Returns the output of the development server. */
  output(): string;
  stop(): Promise<void>;
}

/** Starts the app's development server. */
export async function serveApp(cwd: string): Promise<RunningApp> {
  const child = spawn(
    process.execPath,
    [join(root, 'node_modules/vite/bin/vite.js'), '--port', '0', '--strictPort'],
    { cwd, stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, VITEST: undefined } },
  );
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (data) => {
      output += data;
    });
  for (;;) {
    const url = /Local:\s+(http:\/\/localhost:\d+\/)/.exec(plain(output))?.[1];
    if (url !== undefined)
      return {
        url,
        output: () => output,
        async stop() {
          const ended = new Promise((resolve) => child.once('exit', resolve));
          child.kill('SIGTERM');
          await ended;
        },
      };
    if (child.exitCode !== null) throw new Error(output);
    await sleep(50);
  }
}

/** Returns the output without color codes. */
const plain = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the escape character
  text.replaceAll(/\u001b\[[0-9;]*m/g, '');

/** Links the clone's packages and the source of Plinth's modules into the app's node_modules. */
function linkPackages(cwd: string): void {
  const modules = join(cwd, 'node_modules');
  mkdirSync(join(modules, 'plinth'), { recursive: true });
  for (const name of ['react', 'react-dom', 'vite', '@vitejs', '@types', '@supabase', 'csstype', 'scheduler'])
    if (existsSync(join(root, 'node_modules', name)))
      symlinkSync(join(root, 'node_modules', name), join(modules, name));
  const exported = ['vite', 'testing'];
  writeFileSync(
    join(modules, 'plinth', 'package.json'),
    JSON.stringify({
      name: 'plinth',
      type: 'module',
      exports: Object.fromEntries(exported.map((name) => [`./${name}`, `./${name}.ts`])),
    }),
  );
  for (const name of exported)
    symlinkSync(join(root, 'src', 'entry', 'npm', `${name}.ts`), join(modules, 'plinth', `${name}.ts`));
}
