/**
 * Reports paths in comments and documents whose file doesn't exist, and relative links in documents whose file or heading
 * doesn't exist. A path can omit its first folders. `paths/exceptions.ts` lists paths that aren't files of the repository.
 * Exits with 1 if there is such a path or link.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { headingsOf } from '../../src/base/shared/documents/sections.ts';
import { pathExceptions } from './paths/exceptions.ts';
import { createPathIndex, findLinks, findPaths } from './paths/find.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\0')
  .filter((path) => path !== '' && existsSync(join(root, path)));
const isKnown = createPathIndex(files);
const isExcepted = (file: string, path: string): boolean =>
  pathExceptions.some(
    (exception) =>
      exception.path.test(path) && (exception.files?.some((prefix) => file.startsWith(prefix)) ?? true),
  );

const anchors = new Map<string, ReadonlySet<string>>();
function anchorsOf(file: string): ReadonlySet<string> {
  const known = anchors.get(file);
  if (known !== undefined) return known;
  const found = new Set(headingsOf(readFileSync(join(root, file), 'utf8')).map(({ anchor }) => anchor));
  anchors.set(file, found);
  return found;
}

let checked = 0;
let faults = 0;
const report = (file: string, line: number, path: string): void => {
  faults += 1;
  console.error(`${file}:${line}: ${path} doesn't exist`);
};
for (const file of files.filter((path) => /\.(tsx?|mjs|sql|css|md)$/.test(path))) {
  const source = readFileSync(join(root, file), 'utf8');
  const paths = findPaths(file, source);
  const links = file.endsWith('.md') && !file.startsWith('templates/') ? findLinks(source) : [];
  checked += paths.length + links.length;
  for (const { line, path } of paths) {
    if (!isKnown(path) && !isExcepted(file, path)) report(file, line, path);
  }
  for (const { line, path, anchor } of links) {
    const target = path === '' ? file : join(dirname(file), path);
    if (!existsSync(join(root, target))) report(file, line, path);
    else if (anchor !== undefined && target.endsWith('.md') && !anchorsOf(target).has(anchor))
      report(file, line, `${path}#${anchor}`);
  }
}
console.log(`Checked ${checked} paths in comments and documents: ${faults} faults.`);
process.exitCode = faults === 0 ? 0 : 1;
