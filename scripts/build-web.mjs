/**
 * Builds the Console and the Account pages into dist/web, and then renders the Account pages as HTML. Writes a hash of
 * all source files, so that `npm start` builds the web app only if it is outdated.
 */
import { createHash } from 'node:crypto';
import { globSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import zlib from 'node:zlib';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const outDir = path.join(root, 'dist', 'web');
const allFaces = ['account', 'console'];
const stampFile = path.join(outDir, '.stamp');

/**
 * Returns a hash of the web app's source files. If this hash differs from {@link builtStamp}, the build is outdated.
 */
export function webStamp() {
  const inputs = [
    ...globSync('web/**/*.{ts,tsx,css,html,svg}', { cwd: root }).filter((file) => !file.endsWith('.test.ts')),
    'scripts/build-web.mjs',
    'package-lock.json',
  ];
  const hash = createHash('sha256');
  for (const file of inputs.map((name) => name.replaceAll(path.sep, '/')).sort()) {
    hash.update(`${file}\0`);
    hash.update(readFileSync(path.join(root, file)));
    hash.update('\0');
  }
  return hash.digest('hex');
}

/**
 * Returns the hash of the files from which dist/web was built. Returns undefined if the build is missing or incomplete.
 */
export function builtStamp() {
  try {
    return readFileSync(stampFile, 'utf8').trim();
  } catch {
    return undefined;
  }
}

const gzip = promisify(zlib.gzip);
const brotli = promisify(zlib.brotliCompress);

/** Compresses the assets at the highest level. Each asset is compressed only once, because assets never change. */
async function compressAssets(/** @type {string} */ dir) {
  const names = readdirSync(dir).filter((name) => /\.(js|css|svg)$/.test(name));
  await Promise.all(
    names.map(async (name) => {
      const file = path.join(dir, name);
      const bytes = readFileSync(file);
      writeFileSync(`${file}.gz`, await gzip(bytes, { level: 9 }));
      const params = { [zlib.constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
      writeFileSync(`${file}.br`, await brotli(bytes, { params }));
    }),
  );
}

/**
 * Builds the given apps, or both apps by default. Calls `say` with each line of progress. Writes the hash only if both
 * apps were built.
 */
export async function buildWeb(say = (/** @type {string} */ line) => console.error(line), faces = allFaces) {
  const stamp = webStamp();
  const started = performance.now();
  // React selects its development or production version when it is loaded, and it is loaded before Vite sets this
  // variable.
  process.env.NODE_ENV = 'production';
  const { build } = await import('vite');
  const { faceConfig, prerenderConfig } = await import('../web/vite.config.ts');
  mkdirSync(outDir, { recursive: true });
  rmSync(stampFile, { force: true });
  for (const face of faces) {
    say(`Building the web app: ${face} …`);
    await build({ configFile: false, ...faceConfig(face) });
    await compressAssets(path.join(outDir, face, 'assets'));
    if (face === 'account') await prerender(build, prerenderConfig());
  }
  if (allFaces.every((face) => faces.includes(face))) writeFileSync(stampFile, `${stamp}\n`);
  say(`Built the web app in ${((performance.now() - started) / 1000).toFixed(1)} s.`);
}

/** Renders the Account pages as HTML. */
async function prerender(
  /** @type {typeof import('vite').build} */ build,
  /** @type {import('vite').UserConfig} */ config,
) {
  await build({ configFile: false, ...config });
  const { writePages } = await import(
    pathToFileURL(path.join(root, 'dist', '.prerender', 'prerender.js')).href
  );
  await writePages(path.join(outDir, 'account'));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const named = process.argv.slice(2);
  await buildWeb(undefined, named.length > 0 ? named : allFaces);
}
