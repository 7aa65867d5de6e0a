/**
 * Builds the web app into dist/web: both faces, then the Account pages as HTML. Writes a stamp of everything the
 * result depends on, so that `npm start` builds only what is stale.
 */
import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const outDir = path.join(root, 'dist', 'web');
const stampFile = path.join(outDir, '.stamp');

/** A hash of the sources the web app is built from. Compare it with {@link builtStamp}. */
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

/** The stamp of what lies in dist/web; undefined when nothing complete does. */
export function builtStamp() {
  try {
    return readFileSync(stampFile, 'utf8').trim();
  } catch {
    return undefined;
  }
}

/** Assets never change, so they are compressed once, here. */
function compressAssets(/** @type {string} */ dir) {
  for (const name of readdirSync(dir)) {
    if (!/\.(js|css|svg)$/.test(name)) continue;
    const file = path.join(dir, name);
    writeFileSync(`${file}.gz`, gzipSync(readFileSync(file), { level: 9 }));
  }
}

/** Builds both faces. `say` gets a line of progress at a time. */
export async function buildWeb(say = (/** @type {string} */ line) => console.error(line)) {
  const stamp = webStamp();
  const started = performance.now();
  // React has two forms and picks when it is first loaded, which is before Vite sets this.
  process.env.NODE_ENV = 'production';
  const { build } = await import('vite');
  const { faceConfig, prerenderConfig } = await import('../web/vite.config.ts');
  mkdirSync(outDir, { recursive: true });
  for (const face of ['account', 'console']) {
    if (!existsSync(path.join(root, 'web', face, 'index.html'))) continue;
    say(`Building the web app: ${face} …`);
    await build({ configFile: false, ...faceConfig(face) });
    compressAssets(path.join(outDir, face, 'assets'));
  }
  say('Building the web app: pages …');
  await build({ configFile: false, ...prerenderConfig() });
  const { writePages } = await import(
    pathToFileURL(path.join(root, 'node_modules', '.plinth-prerender', 'prerender.js')).href
  );
  writePages(path.join(outDir, 'account'));
  writeFileSync(stampFile, `${stamp}\n`);
  say(`Built the web app in ${((performance.now() - started) / 1000).toFixed(1)} s.`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildWeb();
