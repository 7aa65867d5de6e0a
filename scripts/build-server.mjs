/**
 * Bundles the server into dist/server. When the server starts, it then reads about 50 files instead of a thousand,
 * which halves the CPU time of the start (decision 9). `node bin/plinth.mjs` runs the source files without a bundle.
 */
import { createHash } from 'node:crypto';
import {
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

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const outDir = path.join(root, 'dist', 'server');
const stampFile = path.join(outDir, '.stamp');
/**
 * The number of builds that are kept. A running server loads parts of its build on demand, even if there are newer
 * builds.
 */
const maxBuilds = 3;

/**
 * The packages that the server loads at every start, and zod, which consists of a hundred files and is needed for the
 * first click in the Console. None of these packages reads files from its own folder. All other packages are loaded
 * from node_modules.
 */
const bundled = [
  /^@fastify\/busboy$/,
  /^@fastify\/(?:deepmerge|error|fast-json-stringify-compiler|forwarded|merge-json-schemas|proxy-addr)$/,
  /^@lukeed\/ms$/,
  /^@pinojs\/redact$/,
  /^abstract-logging$/,
  /^atomic-sleep$/,
  /^avvio$/,
  /^croner$/,
  /^eslint-visitor-keys$/,
  /^fast-(?:decode-uri-component|deep-equal|querystring)$/,
  /^fastify$/,
  /^fastq$/,
  /^find-my-way$/,
  /^ipaddr\.js$/,
  /^light-my-request$/,
  /^on-exit-leak-free$/,
  /^pino(?:-std-serializers)?$/,
  /^process-warning$/,
  /^quick-format-unescaped$/,
  /^real-require$/,
  /^ret$/,
  /^reusify$/,
  /^rfdc$/,
  /^safe-regex2$/,
  /^safe-stable-stringify$/,
  /^saxes$/,
  /^secure-json-parse$/,
  /^semver(?:\/.*)?$/,
  /^set-cookie-parser$/,
  /^sonic-boom$/,
  /^thread-stream$/,
  /^toad-cache$/,
  /^toml-eslint-parser$/,
  /^ws$/,
  /^xmlchars(?:\/.*)?$/,
  /^zod$/,
];

/**
 * Returns a hash of all files from which the bundle is built. If this hash differs from {@link builtServerStamp}, the
 * bundle is outdated.
 */
export function serverStamp() {
  const sources = globSync('src/**/*.ts', { cwd: root }).filter((file) => !file.endsWith('.test.ts'));
  const inputs = [...sources, 'scripts/build-server.mjs', 'package-lock.json'];
  const hash = createHash('sha256');
  for (const file of inputs.map((name) => name.replaceAll(path.sep, '/')).sort()) {
    hash.update(`${file}\0`);
    hash.update(readFileSync(path.join(root, file)));
    hash.update('\0');
  }
  return hash.digest('hex');
}

/**
 * Returns the hash of the files from which the bundle in dist/server was built. Returns undefined if the bundle is
 * missing or incomplete.
 */
export function builtServerStamp() {
  try {
    return readFileSync(stampFile, 'utf8').trim();
  } catch {
    return undefined;
  }
}

/**
 * Some files, such as SQL files, extensions and the functions adapter, aren't bundled but stay in src. The code finds
 * these files relative to its own location, so this plugin inserts the code's original location into the bundle. `src`
 * is the path from the bundle to the folder src.
 */
export const placesOfSources = (/** @type {string} */ src) => ({
  name: 'plinth:places-of-sources',
  enforce: /** @type {const} */ ('pre'),
  transform(/** @type {string} */ code, /** @type {string} */ id) {
    const file = path.relative(path.join(root, 'src'), id).replaceAll(path.sep, '/');
    if (file.startsWith('../') || !code.includes('import.meta.url')) return undefined;
    const place = `new URL(${JSON.stringify(`${src}/${file}`)}, import.meta.url).href`;
    return { code: code.replaceAll('import.meta.url', place), map: null };
  },
});

/**
 * Loads Node's TLS and HTTP/2 modules only when a package first uses them. Fastify and ws import these modules at
 * startup but rarely use them, and loading the modules takes a tenth of the startup time.
 */
export const tlsWhenAsked = {
  name: 'plinth:tls-when-asked',
  enforce: /** @type {const} */ ('pre'),
  resolveId(/** @type {string} */ id, /** @type {string | undefined} */ importer) {
    const builtin = id.replace(/^node:/, '');
    const isPackage = importer?.includes('node_modules') ?? false;
    return isPackage && ['http2', 'https', 'tls'].includes(builtin)
      ? `\0when-asked:${builtin}.cjs`
      : undefined;
  },
  load(/** @type {string} */ id) {
    const builtin = /^\0when-asked:(.*)\.cjs$/.exec(id)?.[1];
    if (builtin === undefined) return undefined;
    return `module.exports = new Proxy({}, { get: (_, key) => process.getBuiltinModule('node:${builtin}')[key] });`;
  },
};

/** Builds the bundle. Calls `say` with each line of progress. */
export async function buildServer(say = (/** @type {string} */ line) => console.error(line)) {
  const stamp = serverStamp();
  const started = performance.now();
  const { build } = await import('vite');
  const name = stamp.slice(0, 12);
  await build({
    configFile: false,
    root,
    logLevel: 'warn',
    publicDir: false,
    plugins: [placesOfSources('../../../src'), tlsWhenAsked],
    define: { __PLINTH_SOURCES__: JSON.stringify(stamp) },
    ssr: { target: 'node', noExternal: bundled },
    build: {
      ssr: 'src/entry/cli/main.ts',
      outDir: path.join(outDir, name),
      emptyOutDir: true,
      target: 'esnext',
      sourcemap: true,
      rolldownOptions: {
        output: {
          entryFileNames: '[name].mjs',
          chunkFileNames: '[name]-[hash].mjs',
          keepNames: true,
          // Removes comments and indentation, because the text of all loaded files stays in memory.
          minify: {
            compress: false,
            mangle: false,
            codegen: { removeWhitespace: true, legalComments: 'none' },
          },
        },
      },
    },
  });
  // The entry file is replaced in a single step after the new build is complete.
  mkdirSync(outDir, { recursive: true });
  const draft = path.join(outDir, 'main.mjs.new');
  writeFileSync(draft, `export { main } from './${name}/main.mjs';\n`);
  renameSync(draft, path.join(outDir, 'main.mjs'));
  writeFileSync(stampFile, `${stamp}\n`);
  removeOldBuilds();
  say(`Built the server in ${((performance.now() - started) / 1000).toFixed(1)} s.`);
}

function removeOldBuilds() {
  const builds = readdirSync(outDir, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => path.join(outDir, entry.name))
    .sort((one, other) => statSync(other).mtimeMs - statSync(one).mtimeMs);
  for (const build of builds.slice(maxBuilds)) rmSync(build, { recursive: true, force: true });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildServer();
