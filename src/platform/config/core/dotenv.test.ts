import fc from 'fast-check';
import { expect, test } from 'vitest';
import { dependentVariables, maskDotenv, parseDotenv, setDotenv } from './dotenv.ts';
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

test('a value that is set is parsed unchanged, and everything else remains', () => {
  const before = '# Keys\nexport A=1 # one\n\nB="two\nlines"\n';
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (value) => {
      for (const name of ['A', 'B', 'NEW']) {
        const after = setDotenv(before, '.env', name, value);
        const expected = { A: '1', B: 'two\nlines', [name]: value };
        expect(parse(after)).toEqual(expected);
        expect(after).toContain('# Keys\nexport A=');
      }
    }),
  );
  fc.assert(
    fc.property(fc.stringMatching(/^[$A{}'"\\n\r\n #=]*$/), (value) => {
      expect(parse(setDotenv('', '.env', 'X', value))).toEqual({ X: value });
    }),
  );
  expect(setDotenv(before, '.env', 'A', 'x')).toBe(before.replace('A=1', "A='x'"));
  expect(setDotenv(before, '.env', 'B', undefined)).toBe('# Keys\nexport A=1 # one\n\n');
  expect(setDotenv('A=1\r\n', '.env', 'B', 'x')).toBe("A=1\r\nB='x'\r\n");
  expect(maskDotenv(before, '.env', () => '…')).toBe('# Keys\nexport A=… # one\n\nB=…\n');
});

test('the variables that contain another variable', () => {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: dotenv files contain this syntax
  const text = 'A=1\nB="x$A"\nC=$B\nD=\'$A\'\nE=${A}\nF=\\$A\n';
  expect(dependentVariables(text, '.env', 'A')).toEqual(['B', 'C', 'E']);
  expect(dependentVariables(text, '.env', 'C')).toEqual([]);
  expect(dependentVariables(text, '.env', 'Z')).toEqual([]);
});
