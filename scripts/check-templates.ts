/**
 * Installs, type-checks and builds the app templates of `plinth init` with this clone's npm package, as a newcomer would:
 * the package is packed and installed into an empty folder, `npx plinth init` extends its package.json, and a function is
 * added before the build. This script isn't one of the tests, because it downloads packages.
 *
 *     node scripts/check-templates.ts [react] [next] [sveltekit] [expo] [ai]
 *
 * With `next`, the script also adds the code in docs/nextjs.md to the template's app, and type-checks and builds the
 * app.
 *
 * Prints how many seconds each step took. If a step fails, the script exits with 1 and keeps the folder of the app.
 */
import { spawnSync } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { templateNames } from '../src/entry/cli/core/templates.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const plinthPackage = join(root, 'dist', 'package');
const install = ['install', '--no-audit', '--no-fund'];
const names = process.argv.length > 2 ? process.argv.slice(2) : templateNames;

/**
 * The environment variables that each framework requires. If the variables that a framework requires are missing, the
 * build of its app stops with an explanation.
 */
const addresses = Object.fromEntries(
  ['VITE_', 'NEXT_PUBLIC_', 'PUBLIC_', 'EXPO_PUBLIC_'].flatMap((prefix) => [
    [`${prefix}SUPABASE_URL`, 'https://api.example.com'],
    [`${prefix}SUPABASE_PUBLISHABLE_KEY`, 'sb_publishable_example'],
  ]),
);

function step(title: string, cwd: string, file: string, args: readonly string[]): boolean {
  const startedAt = performance.now();
  const env = { ...process.env, ...addresses, CI: '1', NEXT_TELEMETRY_DISABLED: '1', EXPO_NO_TELEMETRY: '1' };
  const { status, stdout, stderr } = spawnSync(file, args, { cwd, env, encoding: 'utf8' });
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  console.log(`  ${title}: ${status === 0 ? 'passed' : 'failed'} in ${seconds} s`);
  if (status !== 0) console.log(`${stdout}${stderr}`.trimEnd().split('\n').slice(-40).join('\n'));
  return status === 0;
}

function check(name: string): boolean {
  const folder = mkdtempSync(join(tmpdir(), `plinth-template-${name}-`));
  console.log(name);
  const isSound =
    step('npm init', folder, 'npm', ['init', '--yes']) &&
    step('install plinth', folder, 'npm', [...install, '--save-dev', archive]) &&
    step('init', folder, 'npx', ['--no', 'plinth', 'init', '--template', name]) &&
    step('install', folder, 'npm', install) &&
    step('add a function', folder, 'npx', ['--no', 'plinth', 'functions', 'new', 'hello']) &&
    step('check', folder, 'npm', ['run', 'check']) &&
    step('test', folder, 'npm', ['test']) &&
    step('build', folder, 'npm', ['run', 'build']) &&
    (name !== 'next' || checkPage(folder));
  if (isSound) rmSync(folder, { recursive: true, force: true });
  else console.log(`  The app is in ${folder}.`);
  return isSound;
}

/** Replaces the app's pages with the code in docs/nextjs.md. */
function checkPage(folder: string): boolean {
  const page = readFileSync(join(root, 'docs', 'nextjs.md'), 'utf8');
  for (const [, path = '', text = ''] of page.matchAll(/^`([\w./-]+)`:\n\n```tsx?\n([\s\S]*?)^```$/gm)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  rmSync(join(folder, 'components'), { recursive: true });
  // These are the settings that create-next-app writes.
  writeFileSync(
    join(folder, 'next.config.ts'),
    'export default { cacheComponents: true, partialPrefetching: true };\n',
  );
  return (
    step('install @supabase/ssr', folder, 'npm', [...install, '@supabase/ssr']) &&
    step('check docs/nextjs.md', folder, 'npm', ['run', 'check']) &&
    step('build docs/nextjs.md', folder, 'npm', ['run', 'build'])
  );
}

/** Packs the npm package. Returns the path to the archive, or undefined if a step failed. */
function pack(): string | undefined {
  if (!step('package', root, process.execPath, [join(root, 'scripts', 'package.mjs')])) return undefined;
  const target = mkdtempSync(join(tmpdir(), 'plinth-archive-'));
  if (!step('pack', plinthPackage, 'npm', ['pack', '--pack-destination', target])) return undefined;
  return globSync('*.tgz', { cwd: target }).map((name) => join(target, name))[0];
}

const archive = pack() ?? '';
process.exitCode = archive !== '' && names.map(check).every(Boolean) ? 0 : 1;
