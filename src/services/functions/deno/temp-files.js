// Redirects paths below /tmp to the worker's private folder. Upstream's runtime gives each worker its own /tmp, so
// functions contain such paths as literals. Here, the machine's /tmp belongs to other programs too, and a function can't
// access it.

const folder = Deno.env.get('TMPDIR');
const query = Deno.permissions.querySync.bind(Deno.permissions);

/** Returns the name of the file or folder in /tmp that contains the path. */
const topOf = (path) => path.split('/')[2];

// Plinth's own folders and the project can be in /tmp. Their paths are kept, so that the permissions apply to them.
const kept = new Set(
  [folder, Deno.env.get('DENO_DIR'), Deno.env.get('PLINTH_FUNCTION_ENTRYPOINT')]
    .filter((path) => path?.startsWith('/tmp/'))
    .map(topOf),
);
const isKept = (path) => kept.has(topOf(path)) || query({ name: 'read', path }).state === 'granted';

/** Returns the path in the worker's folder if the path is below /tmp. Returns any other value unchanged. */
export function inWorkerFolder(value) {
  const path =
    value instanceof URL && value.protocol === 'file:' ? decodeURIComponent(value.pathname) : value;
  if (typeof path !== 'string' || !/^\/tmp(?:\/|$)/.test(path) || isKept(path)) return value;
  return folder + path.slice('/tmp'.length);
}

/** The replacements that exist already. A function can be a property of itself. */
const replacements = new WeakMap();

/**
 * Returns a function that redirects its first `count` arguments. Its properties are the same, but those that are
 * functions, such as `fs.realpath.native`, redirect too.
 */
function redirected(original, count) {
  if (replacements.has(original)) return replacements.get(original);
  const result = function (...args) {
    const paths = args.slice(0, count).map(inWorkerFolder);
    return Reflect.apply(original, this, [...paths, ...args.slice(count)]);
  };
  replacements.set(original, result).set(result, result);
  for (const key of Reflect.ownKeys(original)) {
    if (key === 'prototype') continue;
    const property = Object.getOwnPropertyDescriptor(original, key);
    if (typeof property.value === 'function') property.value = redirected(property.value, count);
    Object.defineProperty(result, key, property);
  }
  return result;
}

/** Replaces the functions of an object that have these names. Names that the object doesn't have are skipped. */
export function redirect(target, names, count) {
  for (const name of names) {
    if (typeof target[name] === 'function') target[name] = redirected(target[name], count);
  }
}

export const withSync = (names) => names.flatMap((name) => [name, `${name}Sync`]);
