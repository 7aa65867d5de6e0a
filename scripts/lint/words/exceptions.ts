/** Places where a word of the list is correct, each with its reason. */

export interface WordException {
  /** Path prefixes, relative to the repository's root. */
  readonly paths: readonly string[];
  /** The rule that doesn't apply. If absent, no rule applies. */
  readonly rule?: string;
  /** If set, the exception only covers lines that contain this text. */
  readonly line?: string;
  readonly reason: string;
}

export const wordExceptions: readonly WordException[] = [
  {
    paths: ['scripts/lint/words/', 'test/docs/words.test.ts'],
    reason: 'The list itself and its test.',
  },
  {
    paths: ['src/realtime/errors.ts', 'docs/errors.md'],
    rule: 'British spelling',
    line: 'Query was cancelled',
    reason: 'The text of the realtime server that clients see.',
  },
];
