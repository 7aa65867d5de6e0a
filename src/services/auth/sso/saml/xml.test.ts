import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { escapeXml } from '../../../../base/shared/printable.ts';
import { childOf, childrenOf, XmlError } from '../../../../base/shared/xml.ts';
import { parseSamlXml } from './xml.ts';

describe('reads', () => {
  test('elements, namespaces, attributes and text', () => {
    const root = parseSamlXml(
      '\uFEFF<?xml version="1.0" encoding="UTF-8"?>\r\n<!-- by hand --><a:x xmlns:a="urn:a" xmlns="urn:d" ID=\'1\' a:k="v">' +
        'one<y z="&lt;&#65;&#x42;\ttab"/>two<![CDATA[<&]]><a:y xmlns:a="urn:b"/></a:x>\n',
    );
    expect(root).toMatchObject({ name: 'x', namespace: 'urn:a', text: 'onetwo<&' });
    expect([...root.attributes]).toEqual([['ID', '1']]);
    expect(childOf(root, 'urn:d', 'y')?.attributes.get('z')).toBe('<AB tab');
    expect(childrenOf(root, 'urn:b', 'y')).toHaveLength(1);
  });

  test('a text that is split by comments is read as one', () => {
    const name = parseSamlXml('<n>admin@example.com<!-- -->.evil.example</n>').text;
    expect(name).toBe('admin@example.com.evil.example');
  });
});

test.each([
  ['a document type', '<!DOCTYPE x [<!ENTITY e "e">]><x>&e;</x>'],
  ['an external entity', '<!DOCTYPE x SYSTEM "file:///etc/passwd"><x/>'],
  ['a document type inside', '<x><!DOCTYPE y></x>'],
  ['an undeclared entity', '<x>&e;</x>'],
  ['a bare ampersand', '<x>a & b</x>'],
  ['a processing instruction', '<x><?php ?></x>'],
  ['two roots', '<x/><y/>'],
  ['text after the root', '<x/>y'],
  ['a root that stays open', '<x><y></y>'],
  ['tags that cross', '<x><y></x></y>'],
  ['an attribute twice', '<x a="1" a="2"/>'],
  ['an attribute twice by two prefixes', '<x xmlns:a="u" xmlns:b="u" a:k="1" b:k="2"/>'],
  ['an undeclared prefix', '<a:x/>'],
  ['a prefix undeclared', '<a:x xmlns:a=""/>'],
  ['a tag in an attribute', '<x a="<"/>'],
  ['a NUL', '<x>\u0000</x>'],
  ['a NUL as a reference', '<x>&#0;</x>'],
  ['half a surrogate pair', '<x>\ud800</x>'],
  ['half a surrogate pair as a reference', '<x>&#xD800;</x>'],
  ['a comment with two hyphens', '<x><!-- a -- b --></x>'],
  ['an end of character data', '<x>]]></x>'],
  ['character data outside', '<![CDATA[ ]]><x/>'],
  ['nothing', ''],
  ['elements without end', `<x>${'<y/>'.repeat(20_001)}</x>`],
  ['attributes without end', `<x ${Array.from({ length: 300 }, (_, index) => `a${index}=""`).join(' ')}/>`],
  ['a depth without end', `${'<x>'.repeat(10_000)}${'</x>'.repeat(10_000)}`],
])('refuses %s', (_name, text) => {
  expect(() => parseSamlXml(text)).toThrow(XmlError);
});

const letters = fc.string({ unit: 'grapheme' }).filter((text) => {
  try {
    parseSamlXml(`<x>${escapeXml(text)}</x>`);
    return true;
  } catch {
    return false;
  }
});

test('an escaped text decodes to itself', () => {
  const anyText = fc.string({
    unit: fc.constantFrom('a', '<', '&', '"', "'", '>', '\n', '\t', ']', 'é', '😀'),
  });
  fc.assert(
    fc.property(fc.oneof(anyText, letters), (text) => {
      const root = parseSamlXml(`<x a="${escapeXml(text)}">${escapeXml(text)}</x>`);
      return root.text === text && root.attributes.get('a') === text;
    }),
  );
});

test('any text is parsed as a document or rejected with an XmlError', () => {
  const fragment = fc.constantFrom(
    '<',
    '>',
    '/',
    'x',
    ' ',
    '"',
    '=',
    '&',
    ';',
    '<!--',
    '-->',
    '<x>',
    '</x>',
    '<![CDATA[',
    ']]>',
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.array(fragment).map((all) => all.join('')),
      ),
      (text) => {
        try {
          parseSamlXml(text);
        } catch (error) {
          if (!(error instanceof XmlError)) throw error;
        }
      },
    ),
  );
});
