/** Collects the licenses of all software that Plinth's npm package includes. */
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** @typedef {{ name: string, version: string, license: string, text: string | undefined }} Notice */

/**
 * Returns the license texts, combined in one file.
 * @param {string} root the path to the clone
 * @param {readonly string[]} modules the files in the server's bundles
 * @param {readonly { name: string, version: string }[]} downloaded the packages that are downloaded at run time
 */
export function thirdPartyNotices(root, modules, downloaded) {
  const folders = new Set([...modules.flatMap(packageOf), ...webPackages(root)]);
  const notices = [...folders].map(readNotice).sort((one, other) => one.name.localeCompare(other.name));
  /** @type {Map<string, string[]>} */
  const byText = new Map();
  for (const { name, version, license, text } of notices) {
    const key = text ?? `License: ${license}`;
    byText.set(key, [...(byText.get(key) ?? []), `${name} ${version} (${license})`]);
  }
  const line = '-'.repeat(80);
  return [
    'Plinth includes the following packages. Their licenses follow each list.',
    ...[...byText].map(([text, names]) => [line, ...names, '', text.trim()].join('\n')),
    line,
    'Plinth downloads the following packages from the npm registry when they are first needed. They contain their own',
    'licenses.',
    '',
    ...downloaded.map(({ name, version }) => `${name} ${version}`),
    '',
  ].join('\n');
}

/** Returns the folder of the package that contains a file. */
function packageOf(/** @type {string} */ file) {
  const match = /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file.replace(/^\0/, ''));
  return match?.[1] === undefined ? [] : [match[1]];
}

/** Returns the packages that the web app's sources import, with their dependencies. */
function webPackages(/** @type {string} */ root) {
  const sources = globSync('web/**/*.{ts,tsx,css}', { cwd: root }).filter((file) => !file.includes('.test.'));
  const found = new Set();
  const visit = (/** @type {string} */ name) => {
    const folder = path.join(root, 'node_modules', name);
    if (found.has(folder) || !existsSync(path.join(folder, 'package.json'))) return;
    found.add(folder);
    const { dependencies = {} } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
    Object.keys(dependencies).forEach(visit);
  };
  for (const source of sources) {
    // The web app's tests and build scripts can import tools that the app itself doesn't include.
    if (source === path.join('web', 'vite.config.ts')) continue;
    const text = readFileSync(path.join(root, source), 'utf8');
    for (const [, name] of text.matchAll(/(?:from|import) ['"]((?:@[\w.-]+\/)?[\w.-]+)(?:\/[^'"]*)?['"]/g)) {
      if (name !== undefined && !name.startsWith('.')) visit(name);
    }
  }
  return found;
}

/** @returns {Notice} */
function readNotice(/** @type {string} */ folder) {
  const { name, version, license } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((each) => /^(licen[cs]e|copying)(\..*)?$/i.test(each));
  const text = file === undefined ? undefined : readFileSync(path.join(folder, file), 'utf8');
  return { name, version, license: typeof license === 'string' ? license : 'see below', text };
}
