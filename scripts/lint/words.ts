/**
 * Fails on words that plain English doesn't need and on British spellings, in every text file of the repository.
 * `words/ratchet.json` contains the number of findings that each rule still allows. The numbers can only decrease.
 *
 *   node scripts/lint/words.ts                 checks
 *   node scripts/lint/words.ts --list whoever  lists the findings of a rule
 *   node scripts/lint/words.ts --lower         lowers the ratchet to the current findings
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { wordExceptions } from './words/exceptions.ts';
import { countByRule, createWordFinder, type Ratchet, reportExcess } from './words/find.ts';
import { wordRules } from './words/rules.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const ratchetPath = fileURLToPath(new URL('words/ratchet.json', import.meta.url));

const textFiles = ['md', 'ts', 'tsx', 'mjs', 'js', 'sql', 'css', 'html', 'toml'].map(
  (ending) => `*.${ending}`,
);

/** The catalogs of other languages contain words of their own language. */
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
const ratchet = JSON.parse(readFileSync(ratchetPath, 'utf8')) as Ratchet;
const [action, argument] = process.argv.slice(2);

if (action === '--list') {
  for (const { path, line, rule, text } of findings) {
    if (argument === undefined || rule.name === argument) console.log(`${path}:${line}: ${text}`);
  }
} else if (action === '--lower') {
  const counts = countByRule(findings);
  const lowered = Object.entries(ratchet).map(
    ([name, allowed]) => [name, Math.min(allowed, counts[name] ?? 0)] as const,
  );
  const left = Object.fromEntries(lowered.filter(([, allowed]) => allowed > 0));
  writeFileSync(ratchetPath, `${JSON.stringify(left, null, 2)}\n`);
} else {
  const report = reportExcess(findings, ratchet);
  if (report.length > 0) {
    console.error(
      `${report.join('\n')}\n\nReplace these words, or add a reasoned entry to scripts/lint/words/exceptions.ts.`,
    );
    process.exitCode = 1;
  }
}
