import fc from 'fast-check';
import { expect, test } from 'vitest';
import { chooseLanguage } from './languages.ts';

const none = { requested: null, kept: undefined, accepted: undefined };
const both = ['en', 'ar'];

test.each([
  ['nothing', none, 'en'],
  ['what was asked for', { requested: 'ar', kept: 'en', accepted: 'en' }, 'ar'],
  ['a language that is not there', { ...none, requested: 'xx', kept: 'ar' }, 'ar'],
  ['the cookie before the browser', { ...none, kept: 'en', accepted: 'ar' }, 'en'],
  ['a region', { ...none, accepted: 'ar-EG,en;q=0.5' }, 'ar'],
  ['weights in any order', { ...none, accepted: 'en;q=0.2, ar;q=0.9' }, 'ar'],
  ['a refusal', { ...none, accepted: 'ar;q=0, fr' }, 'en'],
  ['a star', { ...none, accepted: 'fr, *;q=0.1, ar;q=0.01' }, 'en'],
  ['nonsense', { ...none, accepted: ';;q=,,=;q=a' }, 'en'],
  ['the one for tests', { ...none, requested: 'pseudo' }, 'pseudo'],
])('%s', (_name, preference, language) => {
  expect(chooseLanguage(preference, both)).toBe(language);
});

test('only languages of the project are chosen, by default the first', () => {
  expect(chooseLanguage({ requested: 'en', kept: 'en', accepted: 'en' }, ['ar'])).toBe('ar');
});

const many = ['en', 'de', 'pt-BR', 'zh-Hans'];

test.each([
  ['zh-CN', 'zh-Hans'],
  ['zh-SG', 'zh-Hans'],
  ['zh', 'zh-Hans'],
  ['zh-hans-cn', 'zh-Hans'],
  ['zh-TW', 'zh-Hans'],
  ['zh-TW,zh;q=0.9,de;q=0.8', 'de'],
  ['zh-HK,de;q=0.8', 'de'],
  ['zh-Hant,zh-Hans;q=0.5', 'zh-Hans'],
  ['pt', 'pt-BR'],
  ['pt-PT,pt;q=0.9,en;q=0.8', 'pt-BR'],
  ['de-AT,de;q=0.9', 'de'],
  ['de-CH-1996', 'de'],
  ['x-klingon, i-default, de', 'de'],
  ['nl,nb;q=0.9', 'en'],
])('%s selects %s', (accepted, language) => {
  expect(chooseLanguage({ ...none, accepted }, many)).toBe(language);
});

test('an explicit tag is matched like a header', () => {
  expect(chooseLanguage({ ...none, requested: 'ZH-cn' }, many)).toBe('zh-Hans');
  expect(chooseLanguage({ ...none, kept: 'pt', accepted: 'de' }, many)).toBe('pt-BR');
  expect(chooseLanguage({ ...none, requested: 'de', kept: 'pseudo' }, many)).toBe('de');
});

test('any header selects an available language', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), fc.string(), (requested, kept, accepted) => {
      expect([...both, 'pseudo']).toContain(chooseLanguage({ requested, kept, accepted }, both));
    }),
  );
});
