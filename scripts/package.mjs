/**
 * Builds Plinth's npm package in dist/package. The commands `npm publish ./dist/package` and `npm pack ./dist/package`
 * then use exactly these files.
 *
 *     node scripts/package.mjs [FOLDER]
 */
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import zlib from 'node:zlib';
import { buildWeb, builtStamp, webStamp } from './build-web.mjs';
import { bundle } from './package/bundle.mjs';
import { thirdPartyNotices } from './package/notices.mjs';
import { repositoryFields } from './package/repository-fields.ts';
import { runtimePackages } from './package/runtime-packages.mjs';
import { writeTypes } from './package/types.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');

/** Builds the package in `target`. Calls `say` with each line of progress. */
export async function buildPackage(
  target = path.join(root, 'dist', 'package'),
  say = (/** @type {string} */ line) => console.error(line),
) {
  const started = performance.now();
  const work = `${target}.${process.pid}`;
  rmSync(work, { recursive: true, force: true });
  const into = (/** @type {string[]} */ ...parts) => path.join(work, ...parts);
  mkdirSync(work, { recursive: true });
  if (webStamp() !== builtStamp()) await buildWeb(say);
  const modules = await bundleAll(into);
  await writeTypes(root, into('dist'));
  copyAssets(into);
  copyTemplates(into);
  copyDocuments(into);
  copyWeb(into);
  const platforms = runtimePackages(path.join(root, 'package-lock.json'));
  const downloaded = Object.values(platforms).flatMap((groups) => Object.values(groups).flat());
  const unique = [...new Map(downloaded.map((each) => [each.name, each])).values()];
  writeFileSync(into('THIRD_PARTY_NOTICES.txt'), thirdPartyNotices(root, modules, unique));
  for (const name of ['LICENSE']) cpSync(path.join(root, name), into(name));
  cpSync(path.join(root, 'docs', 'npm-readme.md'), into('README.md'));
  writeJson(into('package.json'), publishedManifest());
  writeJson(into('runtime-packages.json'), { build: hashOf(work), platforms });
  rmSync(target, { recursive: true, force: true });
  renameSync(work, target);
  say(`Built ${path.relative(root, target)} in ${((performance.now() - started) / 1000).toFixed(1)} s.`);
}

async function bundleAll(/** @type {(...parts: string[]) => string} */ into) {
  const server = await bundle({
    entries: {
      main: 'src/entry/cli/main.ts',
      index: 'src/entry/npm/index.ts',
      'testing-host': 'src/entry/npm/testing-host.ts',
    },
    outDir: into('dist', 'server'),
    target: 'node24',
    src: '../../src',
  });
  // These files must also run on older versions of Node. There, they only start a newer version of Node.
  const small = { target: 'node20', external: ['vite'] };
  const launcher = await bundle({
    ...small,
    entries: { plinth: 'src/entry/npm/bin.ts', supabase: 'src/entry/npm/supabase-bin.ts' },
    outDir: into('bin'),
    src: '../src',
  });
  const clients = await bundle({
    ...small,
    entries: { testing: 'src/entry/npm/testing.ts', vite: 'src/entry/npm/vite.ts' },
    outDir: into('dist'),
    src: '../src',
  });
  await bundle({
    ...small,
    entries: { testing: 'src/entry/npm/testing.ts' },
    outDir: into('dist'),
    src: '../src',
    format: 'cjs',
  });
  return [...server, ...launcher, ...clients];
}

/** Copies the files that the server reads at run time: SQL, extensions, texts of emails, and the functions adapter. */
function copyAssets(/** @type {(...parts: string[]) => string} */ into) {
  const files = globSync(['src/**/*.{sql,control,js,d.ts}', 'src/services/auth/messages/texts/*.json'], {
    cwd: root,
  });
  for (const file of files) cpSync(path.join(root, file), into(file));
  cpSync(
    path.join(root, 'node_modules', '@electric-sql', 'pglite-pgtap', 'dist', 'pgtap.tar.gz'),
    into('src', 'platform', 'database', 'embedded', 'pgtap.tar.gz'),
  );
}

/**
 * Copies the documentation for `plinth docs` and `search_docs`, and writes llms.txt, which lists its pages for language
 * models (llmstxt.org).
 */
function copyDocuments(/** @type {(...parts: string[]) => string} */ into) {
  mkdirSync(into('docs'));
  for (const page of globSync('docs/*.md', { cwd: root })) cpSync(path.join(root, page), into(page));
  const index = readFileSync(path.join(root, 'docs', 'index.md'), 'utf8');
  writeFileSync(into('llms.txt'), index.replaceAll(/\]\(([\w-]+\.md)\)/g, '](docs/$1)'));
}

/** Copies the app templates of `plinth init`. */
function copyTemplates(/** @type {(...parts: string[]) => string} */ into) {
  cpSync(path.join(root, 'templates'), into('templates'), { recursive: true });
}

/**
 * Copies the built web app. Pages, scripts and styles are stored only with brotli compression. The other forms would make
 * up a large part of the package's size, and the server derives them from the compressed files.
 */
function copyWeb(/** @type {(...parts: string[]) => string} */ into) {
  const from = path.join(root, 'dist', 'web');
  for (const name of globSync('**/*', { cwd: from })) {
    const file = path.join(from, name);
    // Pages in the pseudo language are for developers of Plinth.
    if (!statSync(file).isFile() || name === path.join('account', 'pages', 'pseudo.json')) continue;
    if (existsSync(`${file}.br`) || name.endsWith('.gz')) continue;
    const to = into('dist', 'web', name);
    mkdirSync(path.dirname(to), { recursive: true });
    if (/\.html$|[/\\]pages[/\\][^/\\]+\.json$|shared-style\.css$/.test(name)) {
      const bytes = readFileSync(file);
      // The pages in a file are similar, so the window contains the whole file.
      const params = {
        [zlib.constants.BROTLI_PARAM_LGWIN]: 22,
        [zlib.constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
      };
      writeFileSync(`${to}.br`, zlib.brotliCompressSync(bytes, { params }));
    } else cpSync(file, to);
  }
}

/**
 * Returns the package.json of the npm package. The clone's own package.json is marked as private and contains
 * development scripts.
 */
function publishedManifest() {
  const own = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
  return {
    name: own.name,
    version: own.version,
    description: own.description,
    keywords: ['supabase', 'postgresql', 'backend', 'auth', 'rest', 'realtime', 'storage', 'testing'],
    license: own.license,
    ...repositoryFields(own.repository),
    type: 'module',
    engines: own.engines,
    os: ['linux', 'darwin', 'win32'],
    bin: { plinth: 'bin/plinth.mjs' },
    exports: {
      '.': { types: './dist/index.d.ts', default: './dist/server/index.mjs' },
      './testing': {
        import: { types: './dist/testing.d.ts', default: './dist/testing.mjs' },
        require: { types: './dist/testing.d.cts', default: './dist/testing.cjs' },
      },
      './vite': { types: './dist/vite.d.ts', default: './dist/vite.mjs' },
      './package.json': './package.json',
    },
    sideEffects: false,
    publishConfig: { access: 'public', provenance: true },
  };
}

/** Returns a hash of all files, which identifies the build. */
function hashOf(/** @type {string} */ folder) {
  const hash = createHash('sha256');
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
    const file = path.join(folder, name);
    if (statSync(file).isFile()) hash.update(`${name}\0`).update(readFileSync(file));
  }
  return hash.digest('hex').slice(0, 16);
}

const writeJson = (/** @type {string} */ file, /** @type {object} */ value) =>
  writeFileSync(file, `${JSON.stringify(value, undefined, 2)}\n`);

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildPackage(process.argv[2]);
