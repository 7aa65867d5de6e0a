import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseDotenv } from './dotenv.ts';
import { ConfigError } from './tree.ts';

const parse = (text: string) => Object.fromEntries(parseDotenv(text, '.env'));

test.each([
  ['A=1', { A: '1' }],
  ['export A=1', { A: '1' }],
  ['A = spaced value  # comment', { A: 'spaced value' }],
  ['# only a comment\n\n  A=b#c', { A: 'b#c' }],
  ['A: yaml', { A: 'yaml' }],
  ['A=', { A: '' }],
  [`A='$B \\n'`, { A: '$B \\n' }],
  ['A="two\\nlines"', { A: 'two\nlines' }],
  ['A="two\nlines"\nB=2', { A: 'two\nlines', B: '2' }],
  ['A="say \\"hi\\""', { A: 'say "hi"' }],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: dotenv files contain this syntax
  ['A=x\nB=$A-${A}-\\$A', { A: 'x', B: 'x-x-$A' }],
  ['A=x\r\nB=y\r\n', { A: 'x', B: 'y' }],
  ['\uFEFFA=x', { A: 'x' }],
])('%j', (text, values) => {
  expect(parse(text)).toEqual(values);
});

test.each([
  ['A=1\nnonsense\n', ".env:2: this line doesn't have the form NAME=value"],
  ['A=1\nB="open\n', '.env:2: B has an unclosed quote'],
])('%j is rejected with its line but without its content', (text, message) => {
  expect(() => parse(text)).toThrow(message);
});

test('any text is parsed or rejected with a line number', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('A', '=', '"', "'", '\n', '$', '{', '}', '\\', '#', ' ') }),
      (text) => {
        try {
          parse(text);
        } catch (error) {
          expect(error).toBeInstanceOf(ConfigError);
          expect((error as ConfigError).faults[0]?.location?.line).toBeGreaterThan(0);
        }
      },
    ),
  );
});
