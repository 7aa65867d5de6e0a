/**
 * Reports British spellings, and words that plain English avoids, in all text files of the repository.
 * `words/exceptions.ts` lists the places where such a word is correct.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { wordExceptions } from './words/exceptions.ts';
import { createWordFinder, reportFindings } from './words/find.ts';
import { wordRules } from './words/rules.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

const textFiles = ['md', 'ts', 'tsx', 'mjs', 'js', 'sql', 'css', 'html', 'toml'].map(
  (ending) => `*.${ending}`,
);

/** The catalogs for other languages aren't checked. */
const isEnglish = (path: string): boolean => !/^web\/locales\/(?!en\/|languages)[^/]+\//.test(path);

const listed = execFileSync(
  'git',
  ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--', ...textFiles],
  { cwd: root, encoding: 'utf8' },
);
const paths = listed
  .split('\0')
  .filter((path) => path !== '' && isEnglish(path) && existsSync(join(root, path)));

const find = createWordFinder(wordRules, wordExceptions);
const findings = paths.flatMap((path) => find(path, readFileSync(join(root, path), 'utf8')));
if (findings.length > 0) {
  const report = reportFindings(findings).join('\n');
  console.error(
    `${report}\n\nReplace these words, or add a reasoned entry to scripts/lint/words/exceptions.ts.`,
  );
  process.exitCode = 1;
}
