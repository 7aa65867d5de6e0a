import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { languageTags } from '../../../../base/shared/languages.ts';
import { defaultMail } from '../defaults.ts';
import { renderHtml, renderText } from '../template/render.ts';
import { catalogIn, type MailCatalog, type MailLanguage, templateNames } from './mails.ts';

const read = (language: MailLanguage) =>
  JSON.parse(readFileSync(new URL(`${language}.json`, import.meta.url), 'utf8')) as MailCatalog;

/** The fields of an email's texts. */
const fieldsOf = (language: MailLanguage) =>
  Object.entries(catalogIn(language).mails).map(([name, texts]) => [name, Object.keys(texts)]);

/** The template values in a text, such as `.Email`. */
const valuesIn = (text: string): string[] =>
  [...new Set(text.match(/(?<![\w.])\.[A-Z][\w.]*/g) ?? [])].sort();

const bracesIn = (text: string): string[] => [...new Set(text.match(/\{\w+\}/g) ?? [])].sort();

test('each language has a catalog', () => {
  const files = readdirSync(import.meta.dirname).filter((name) => name.endsWith('.json'));
  expect(files.map((name) => name.replace('.json', '')).sort()).toEqual([...languageTags].sort());
});

describe.each(languageTags)('%s', (language) => {
  test('has the same emails and texts as English', () => {
    expect(fieldsOf(language)).toEqual(fieldsOf('en'));
    expect(Object.keys(read(language).words).sort()).toEqual(Object.keys(read('en').words).sort());
    expect(Object.keys(read(language))).toEqual(['words', 'parts', 'mails']);
  });

  test('uses the same values as English', () => {
    for (const name of templateNames)
      for (const [part, text] of Object.entries(catalogIn(language).mails[name])) {
        const english = Object.entries(catalogIn('en').mails[name]).find(([key]) => key === part)?.[1] ?? '';
        expect({ name, part, values: valuesIn(text) }).toEqual({ name, part, values: valuesIn(english) });
        expect({ name, part, unknownParts: bracesIn(text.replaceAll(/\{\{.*?\}\}/g, '')) }).toEqual({
          name,
          part,
          unknownParts: [],
        });
      }
    for (const [word, text] of Object.entries(catalogIn(language).words))
      expect({ word, values: bracesIn(text) }).toEqual({
        word,
        values: bracesIn(Object.entries(catalogIn('en').words).find(([key]) => key === word)?.[1] ?? ''),
      });
  });

  test('all emails can be rendered', () => {
    const data = { Brand: { name: 'Harbor' }, Email: 'ada@example.com', Token: '123456', FactorType: 'totp' };
    for (const name of templateNames) {
      const { subject, html, text } = defaultMail(name, { color: '#2b42c0' }, language);
      expect(renderText(subject, data)).not.toBe('');
      expect(renderHtml(html, data)).toContain(`<html lang="${language}"`);
      expect(renderText(text, data)).toContain('Harbor');
    }
  });

  test.skipIf(language === 'en')('isn’t a copy of English', () => {
    const english = read('en').mails;
    const same = Object.entries(read(language).mails).flatMap(([name, texts]) =>
      Object.entries(texts)
        .filter(
          ([part, text]) =>
            !/^\{\w+\}$/.test(text) &&
            Object.entries(english).some(
              ([other, each]) =>
                other === name && Object.entries(each).some(([key, value]) => key === part && value === text),
            ),
        )
        .map(([part]) => `${name}.${part}`),
    );
    expect(same).toEqual([]);
  });
});
