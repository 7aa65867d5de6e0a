import fc from 'fast-check';
import { expect, test } from 'vitest';
import { languageCodes } from '../../../../web/locales/languages.ts';
import { chooseLanguage, languages } from './languages.ts';

const none = { requested: null, kept: undefined, accepted: undefined };
const both = ['en', 'ar'];

test('the pages are built in all languages that the server can choose', () => {
  expect(languages).toEqual(languageCodes);
});

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

test('any header selects an available language', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), fc.string(), (requested, kept, accepted) => {
      expect([...both, 'pseudo']).toContain(chooseLanguage({ requested, kept, accepted }, both));
    }),
  );
});
