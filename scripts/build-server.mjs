/**
 * Bundles the server into dist/server: a start then reads some 50 files instead of a thousand, which halves the time that
 * it keeps the processor (decision 9). The sources run as they are, too: `node bin/plinth.mjs`.
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
/** A server that runs goes on loading its own parts when it needs them, whatever has been built since. */
const keptBuilds = 3;

/** Packages that every start loads, and that read no file beside them. All others are loaded from where they are. */
const bundled = [
  /^@fastify\/busboy$/,
  /^@fastify\/(?:deepmerge|error|fast-json-stringify-compiler|forwarded|merge-json-schemas|proxy-addr)$/,
  /^@lukeed\/ms$/,
  /^abstract-logging$/,
  /^avvio$/,
  /^fast-(?:decode-uri-component|deep-equal|querystring)$/,
  /^fastify$/,
  /^fastq$/,
  /^find-my-way$/,
  /^ipaddr\.js$/,
  /^light-my-request$/,
  /^process-warning$/,
  /^ret$/,
  /^reusify$/,
  /^rfdc$/,
  /^safe-regex2$/,
  /^secure-json-parse$/,
  /^semver(?:\/.*)?$/,
  /^set-cookie-parser$/,
  /^toad-cache$/,
  /^ws$/,
];

/** A hash of what the bundle is made of. Compare it with {@link builtServerStamp}. */
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

/** The stamp of what lies in dist/server; undefined when nothing complete does. */
export function builtServerStamp() {
  try {
    return readFileSync(stampFile, 'utf8').trim();
  } catch {
    return undefined;
  }
}

/** Files that the code names by where it is (SQL, extensions, the functions' adapter) stay below src. */
const placesOfSources = {
  name: 'plinth:places-of-sources',
  enforce: /** @type {const} */ ('pre'),
  transform(/** @type {string} */ code, /** @type {string} */ id) {
    const file = path.relative(path.join(root, 'src'), id).replaceAll(path.sep, '/');
    if (file.startsWith('../') || !code.includes('import.meta.url')) return undefined;
    const place = `new URL(${JSON.stringify(`../../../src/${file}`)}, import.meta.url).href`;
    return { code: code.replaceAll('import.meta.url', place), map: null };
  },
};

/** Fastify and ws load TLS and HTTP/2 to have them at hand; nobody here asks them for it. Loading takes a tenth of a start. */
const tlsWhenAsked = {
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

/** `say` gets a line of progress at a time. */
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
    plugins: [placesOfSources, tlsWhenAsked],
    ssr: { target: 'node', noExternal: bundled },
    build: {
      ssr: 'src/cli/main.ts',
      outDir: path.join(outDir, name),
      emptyOutDir: true,
      target: 'esnext',
      minify: false,
      sourcemap: true,
      rolldownOptions: {
        output: { entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs', keepNames: true },
      },
    },
  });
  // The entry changes in one step, to a build that is there.
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
  for (const build of builds.slice(keptBuilds)) rmSync(build, { recursive: true, force: true });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildServer();
