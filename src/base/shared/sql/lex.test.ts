import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lex, significant, type TokenKind, tokenize } from './lex.ts';
import { splitSql } from './split.ts';

const kindsOf = (text: string, standardConformingStrings = true): TokenKind[] =>
  [...lex(text, { standardConformingStrings })].map(({ kind }) => kind);

describe('the tokens of SQL', () => {
  it.each<[string, TokenKind[]]>([
    ["E'a''b\\';c'", ['string']],
    ["e'a'\n'\\';b'", ['string']],
    ["N'a'", ['string']],
    ["U&'\\003b;'", ['string']],
    ['U&"d!0061" uescape', ['name', 'space', 'word']],
    ["b'\\'", ['string']],
    ["name'x'", ['word', 'string']],
    ['"a""b"', ['name']],
    ['$1', ['parameter']],
    ['$a$ $$ $a$', ['string']],
    ['a$b$', ['word']],
    ['1_000.5e3', ['number']],
    ['/* /* */ */-- x', ['comment', 'comment']],
    ['a::b', ['word', 'symbol', 'symbol', 'word']],
  ])('%s', (text, kinds) => {
    expect(kindsOf(text)).toEqual(kinds);
  });

  it('follows standard_conforming_strings', () => {
    expect(kindsOf("'\\';'", true)).toEqual(['string', 'symbol', 'string']);
    expect(kindsOf("'\\';'", false)).toEqual(['string']);
  });

  it.each(["'a", "E'\\'", '"a""', '$$ $a$', '/* /* */', "U&'"])('%s isn’t terminated', (text) => {
    expect([...lex(text)].map(({ isOpen }) => isOpen)).toEqual([true]);
  });
});

const fragments = 'a|E|N|U&|\'|"|$$|$a$|$1|--|\n|\r|/*|*/|;|(|)|\\|begin|atomic|end|1.5| |\u00a0'.split('|');
const soup = fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom(...fragments) }));

describe('arbitrary text', () => {
  it('is covered by its tokens, in order', () => {
    fc.assert(
      fc.property(soup, fc.boolean(), (text, standardConformingStrings) => {
        let at = 0;
        for (const { start, end } of lex(text, { standardConformingStrings })) {
          expect(start).toBe(at);
          expect(end).toBeGreaterThan(start);
          at = end;
        }
        expect(at).toBe(text.length);
      }),
    );
  });

  it('is covered by its statements and their semicolons', () => {
    fc.assert(
      fc.property(soup, (text) => {
        const parts = [...splitSql(text)].map(({ start, end }) => text.slice(start, end));
        expect(parts.join(';')).toBe(text);
      }),
    );
  });

  it('has the same tokens in a single statement as in the script', () => {
    fc.assert(
      fc.property(soup, (text) => {
        for (const { start, end, words, settings } of splitSql(text)) {
          const tokens = significant(tokenize(text.slice(start, end), settings));
          const shown = tokens.map((token) => token.text).filter((word) => word !== ';');
          expect(shown.slice(0, words.length)).toEqual(words);
        }
      }),
    );
  });
});
