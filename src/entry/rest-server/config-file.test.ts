import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ConfigFileError, readConfigFile } from './config-file.ts';

const environment = { SECRET: 's3', EMPTY: '' };

const read = (text: string, files: Record<string, string> = {}) =>
  Object.fromEntries(
    readConfigFile('/etc/a.conf', {
      environment,
      read: (path) => (path === '/etc/a.conf' ? text : (files[path] ?? fail(path))),
    }),
  );

function fail(path: string): never {
  throw new Error(`no file ${path}`);
}

describe('the grammar of the configuration file', () => {
  test.each([
    [
      'texts, numbers, booleans',
      'a = "x"\nb = 12\nc = true\nd = off\ne=1.5e2',
      { a: 'x', b: 12, c: true, d: false, e: 150 },
    ],
    ['comments and blank lines', '# one\n\n  a = "#x" # two\n\t\n#last', { a: '#x' }],
    ['a setting that does not count', '#; a = 1\nb = 2', { b: 2 }],
    ['values on the next line', 'a =\n  "x"', { a: 'x' }],
    ['dotted names', 'app.settings.my_key = "x"', { 'app.settings.my_key': 'x' }],
    ['groups', 'app {\n settings {\n  x = 1\n }\n}\ny = 2', { 'app.settings.x': 1, y: 2 }],
    ['escapes', String.raw`a = "q\" b\\ \n \u00e9 \ud83d\ude00"`, { a: 'q" b\\ \n é 😀' }],
    ['texts over several lines', 'a = "x\ny"', { a: 'x\ny' }],
    ['lists', 'a = ["x", 1,\n true]\nb = []', { a: ['x', 1, true], b: [] }],
    ['variables', 'a = "<$(SECRET)>"\nb = "$$.role"', { a: '<s3>', b: '$.role' }],
    [
      'settings as variables',
      'n = 5\ng { n = "in"\n a = "$(n)" }\nb = "$(n)"',
      { n: 5, 'g.n': 'in', 'g.a': 'in', b: '5' },
    ],
    ['CRLF', 'a = 1\r\nb = 2\r\n', { a: 1, b: 2 }],
    ['the last of two', 'a = 1\na = 2', { a: 2 }],
    ['names with letters of any script', 'é-1 = 1', { 'é-1': 1 }],
    ['nothing', '', {}],
  ])('%s', (_what, text, values) => {
    expect(read(text)).toEqual(values);
  });

  test('an import is relative to its file', () => {
    expect(
      read('import "sub/b.conf"\nc = 1', {
        '/etc/sub/b.conf': 'import "c.conf"',
        '/etc/sub/c.conf': 'x = 2',
      }),
    ).toEqual({
      x: 2,
      c: 1,
    });
  });
});

test.each([
  ['a = ', 'line 1, column 5: expected text in'],
  ['a = "x', 'expected a closing double quote'],
  ['a = "x" b = 1', 'unexpected text after the setting'],
  ['\n 1 = 2', 'line 2, column 2: expected a name'],
  ['a "x"', 'expected = after a'],
  ['a { b = 1', 'a } is missing'],
  ['a = [1 2]', 'expected a comma'],
  [String.raw`a = "\x"`, 'expected the escape'],
  ['a = "$x"', 'write $$ for a single $'],
  ['a = "$(UNKNOWN)"', "variable UNKNOWN isn't set"],
  ['import "a.conf"', 'circular import'],
])('%s is rejected with its position and the reason', (text, words) => {
  expect(() => read(text, { '/etc/a.conf': text })).toThrow(words);
});

test('text is either parsed or rejected with a listed error', () => {
  const fragment = fc.constantFrom(
    'a',
    '.',
    '=',
    '"',
    '\\',
    '\n',
    ' ',
    '#',
    ';',
    '{',
    '}',
    '[',
    ']',
    ',',
    '1',
    '$',
    '(',
    ')',
    'true',
    'import ',
  );
  const text = fc.oneof(
    fc.array(fragment, { maxLength: 24 }).map((parts) => parts.join('')),
    fc.string(),
  );
  fc.assert(
    fc.property(text, (written) => {
      try {
        readConfigFile('/f', { environment, read: () => written });
      } catch (error) {
        expect(error).toBeInstanceOf(ConfigFileError);
      }
    }),
    { numRuns: 1000 },
  );
});
