/** Finds the listed words in the text of a file. The caller reads the file. */
import type { WordException } from './exceptions.ts';
import type { WordRule } from './rules.ts';

export interface WordFinding {
  readonly path: string;
  readonly line: number;
  readonly rule: WordRule;
  /** The line in which the word begins, without surrounding whitespace. */
  readonly text: string;
}

/** A space in a pattern also matches a line break and the comment marker on the next line. */
const gap = String.raw`(?:[ \t]|\r?\n[ \t]*(?:\*|//|--|#|>)?[ \t]*)`;

const compile = (rule: WordRule): RegExp => new RegExp(rule.pattern.replaceAll(' ', gap), 'gi');

function lineAt(source: string, index: number): { line: number; text: string } {
  const start = source.lastIndexOf('\n', index - 1) + 1;
  const end = source.indexOf('\n', index);
  const line = source.slice(0, start).split('\n').length;
  return { line, text: source.slice(start, end < 0 ? undefined : end).trim() };
}

const isExcepted = (found: WordFinding, exceptions: readonly WordException[]): boolean =>
  exceptions.some(
    ({ paths, rule, line }) =>
      paths.some((path) => found.path.startsWith(path)) &&
      (rule === undefined || rule === found.rule.name) &&
      (line === undefined || found.text.includes(line)),
  );

/**
 * Returns a function that finds the words of `rules` in the text of a file. Words to which an exception applies are
 * omitted.
 */
export function createWordFinder(
  rules: readonly WordRule[],
  exceptions: readonly WordException[],
): (path: string, source: string) => WordFinding[] {
  const compiled = rules.map((rule) => ({ rule, pattern: compile(rule) }));
  return (path, source) =>
    compiled
      .flatMap(({ rule, pattern }) =>
        [...source.matchAll(pattern)].map(({ index }) => ({ path, rule, ...lineAt(source, index) })),
      )
      .filter((found) => !isExcepted(found, exceptions));
}

/** Formats the findings. The words are grouped by rule, with the suggested replacement for each rule. */
export const reportFindings = (findings: readonly WordFinding[]): string[] =>
  [...Map.groupBy(findings, ({ rule }) => rule)].flatMap(([rule, found]) => [
    `"${rule.name}": write instead: ${rule.instead}`,
    ...found.map(({ path, line, text }) => `  ${path}:${line}: ${text.slice(0, 140)}`),
  ]);
