// Redirects paths below /tmp in `node:fs`, as adapter.js does for Deno's own functions. This module is loaded only for
// functions that need it, because loading `node:fs` and intercepting imports takes about 30 ms.
import fs from 'node:fs';
import promises from 'node:fs/promises';
import { registerHooks } from 'node:module';
import { redirect, withSync } from './temp-files.js';

const onePath = withSync([
  ...['access', 'appendFile', 'chmod', 'chown', 'exists', 'lchmod', 'lchown', 'lstat', 'lutimes', 'mkdir'],
  ...['mkdtemp', 'open', 'opendir', 'readFile', 'readdir', 'readlink', 'realpath', 'rm', 'rmdir', 'stat'],
  ...['statfs', 'truncate', 'unlink', 'utimes', 'writeFile'],
]);
const streams = ['createReadStream', 'createWriteStream', 'openAsBlob', 'unwatchFile', 'watch', 'watchFile'];
const twoPaths = withSync(['copyFile', 'cp', 'link', 'rename', 'symlink']);
for (const target of [fs, promises]) {
  redirect(target, [...onePath, ...streams], 1);
  redirect(target, twoPaths, 2);
}

// Named imports aren't affected by changes to the modules' default exports, so they are resolved to these modules.
const modules = { fs, promises };
const shared = Symbol.for('plinth.node-files');
Object.defineProperty(globalThis, shared, { value: modules });
const replacements = new Map([
  ['fs', 'fs'],
  ['node:fs', 'fs'],
  ['fs/promises', 'promises'],
  ['node:fs/promises', 'promises'],
]);
const prefix = 'plinth-files:';

registerHooks({
  resolve(specifier, context, next) {
    const name = replacements.get(specifier);
    // `require` returns the default export, which is already changed.
    if (name === undefined || context.conditions.includes('require')) return next(specifier, context);
    return { url: prefix + name, format: 'module', shortCircuit: true };
  },
  load(url, context, next) {
    if (!url.startsWith(prefix)) return next(url, context);
    const name = url.slice(prefix.length);
    const names = Object.keys(modules[name]).filter((key) => key !== 'default');
    const source =
      `const files = globalThis[Symbol.for('plinth.node-files')].${name};\n` +
      `export default files;\nexport const { ${names.join(', ')} } = files;`;
    return { format: 'module', source, shortCircuit: true };
  },
});
