import { expect, test } from 'vitest';
import { parseXml, XmlError, type XmlRules } from './xml.ts';

const rules: XmlRules = {
  maxDepth: 10,
  maxElements: 10,
  maxAttributes: 10,
  namespaces: false,
  rejected: [],
};

test('text after an unpaired surrogate is kept', () => {
  expect(() => parseXml('<a>\uD800<b/></a>', rules)).toThrow(XmlError);
  expect(parseXml('<a>\u{1F600}<b/></a>', rules).children.length).toBe(1);
});
