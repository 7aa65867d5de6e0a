/**
 * Bundles the code of Plinth's npm package. The bundles include all dependencies, so npm doesn't install other packages
 * with Plinth.
 */
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { placesOfSources, tlsWhenAsked } from '../build-server.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');

/** The packages with native code, which Plinth downloads at run time. `importPackage` loads them. */
const native = ['sharp', '@node-rs/argon2', '@node-rs/bcrypt'];

/**
 * Some modules create their own `require` to load a package on first use. This plugin removes the modules' own
 * `require`, so the bundler includes the package.
 */
const includedRequires = {
  name: 'plinth:included-requires',
  enforce: /** @type {const} */ ('pre'),
  transform(/** @type {string} */ code, /** @type {string} */ id) {
    const line = 'const require = createRequire(import.meta.url);';
    return id.startsWith(path.join(root, 'src')) && code.includes(line)
      ? { code: code.replace(line, ''), map: null }
      : undefined;
  },
};

/**
 * Replaces oxfmt, which formats generated types and contains native code, with a module that downloads oxfmt on first
 * use.
 */
const formatterWhenAsked = {
  name: 'plinth:formatter-when-asked',
  enforce: /** @type {const} */ ('pre'),
  resolveId: (/** @type {string} */ id) => (id === 'oxfmt' ? '\0oxfmt-when-asked.js' : undefined),
  load: (/** @type {string} */ id) =>
    id === '\0oxfmt-when-asked.js'
      ? `import { importPackage } from ${JSON.stringify(path.join(root, 'src/platform/packages/index.ts'))};
export const format = async (...input) => (await importPackage('types', 'oxfmt')).format(...input);`
      : undefined,
};

/**
 * @typedef {object} Bundle
 * @property {Record<string, string>} entries the source file of each bundle, by bundle name
 * @property {string} outDir
 * @property {string} target the oldest Node version, such as `node20`
 * @property {string} src the path from the bundle to the folder src
 * @property {'es' | 'cjs'} [format]
 * @property {string[]} [external]
 */

/**
 * @param {Bundle} bundle
 * @returns {Promise<string[]>} the files that the bundle includes
 */
export async function bundle({ entries, outDir, target, src, format = 'es', external = [] }) {
  const ending = format === 'es' ? 'mjs' : 'cjs';
  const result = await build({
    configFile: false,
    root,
    logLevel: 'warn',
    publicDir: false,
    plugins: [includedRequires, placesOfSources(src), tlsWhenAsked, formatterWhenAsked],
    ssr: { target: 'node', noExternal: true, external: [...native, ...external] },
    build: {
      ssr: true,
      outDir,
      emptyOutDir: false,
      target,
      minify: true,
      rolldownOptions: {
        input: Object.fromEntries(
          Object.entries(entries).map(([name, file]) => [name, path.join(root, file)]),
        ),
        output: {
          format,
          entryFileNames: `[name].${ending}`,
          chunkFileNames: `[name]-[hash].${ending}`,
          keepNames: true,
        },
      },
    },
  });
  const outputs = Array.isArray(result) ? result : [result];
  return outputs
    .flatMap((each) => ('output' in each ? each.output : []))
    .flatMap((chunk) => (chunk.type === 'chunk' ? Object.keys(chunk.modules) : []));
}
