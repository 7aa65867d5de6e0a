import { readdirSync } from 'node:fs';
import { compileMessage } from '@lingui/message-utils/compileMessage';
import { describe, expect, test } from 'vitest';
import {
  type LanguageTag,
  languageTags,
  directionOf as serverDirectionOf,
} from '../../src/base/shared/languages.ts';
import { accountErrors } from '../../src/pages/account/errors.ts';
import { errorTable } from '../../src/services/auth/errors.ts';
import type { Catalog } from '../lib/i18n.ts';
import { faultMessages } from '../lib/session/faults.ts';
import { messages as errors } from './en/errors.ts';
import { directionOf } from './languages.ts';
import { pseudoMessages } from './pseudo.ts';

const paths = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
  .filter((path) => /^[^/\\]+[/\\][^/\\]+\.ts$/.test(path))
  .map((path) => `./${path.replaceAll('\\', '/')}`);
const files = Object.fromEntries(
  await Promise.all(
    paths.map(async (path) => [path, (await import(path)) as { messages: Catalog }] as const),
  ),
);

/** Returns the catalogs of a language by name. */
function catalogs(language: LanguageTag): Record<string, Catalog> {
  return Object.fromEntries(
    Object.entries(files)
      .filter(([path]) => path.startsWith(`./${language}/`) && !/\/console[^/]*$/.test(path))
      .map(([path, { messages }]) => [path.slice(`./${language}/`.length), messages]),
  );
}

function texts(language: LanguageTag): Catalog {
  return Object.assign({}, ...Object.values(catalogs(language)));
}

/**
 * Returns the parts of a compiled message that translations must match, which are the names of its values and the cases
 * of its plurals.
 */
function needs(message: unknown): { values: string[]; plurals: string[][] } {
  const values = new Set<string>();
  const plurals: string[][] = [];
  const walk = (part: unknown): void => {
    if (!Array.isArray(part)) return;
    for (const token of part) {
      if (!Array.isArray(token)) continue;
      const [name, format, options] = token as [string, string?, Record<string, unknown>?];
      values.add(name);
      if (format === 'plural' && options)
        plurals.push(Object.keys(options).filter((key) => key !== 'offset'));
      for (const option of Object.values(options ?? {})) walk(option);
    }
  };
  walk(message);
  return { values: [...values].sort(), plurals };
}

test('every ID is in only one catalog', () => {
  const ids = Object.values(catalogs('en')).flatMap((catalog) => Object.keys(catalog));
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
});

test('every ID of the Console is in only one catalog, because all loaded pages share their messages', () => {
  const ids = Object.entries(files)
    .filter(([path]) => /^\.\/en\/(console[^/]*|shared)\.ts$/.test(path))
    .flatMap(([, { messages }]) => Object.keys(messages));
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
});

test('each language of the server has a folder of catalogs', () => {
  const folders = readdirSync(import.meta.dirname, { withFileTypes: true }).filter((each) =>
    each.isDirectory(),
  );
  expect(folders.map(({ name }) => name).sort()).toEqual([...languageTags].sort());
});

test('pages and server agree on the direction of a language', () => {
  for (const tag of [...languageTags, 'he', 'fa', 'ur', 'dv', 'pa-Arab', 'pa', 'uz-Latn', 'yi'])
    expect({ tag, dir: directionOf(tag) }).toEqual({ tag, dir: serverDirectionOf(tag) });
  expect(['ar', 'he', 'pa-Arab', 'de', 'zh-Hans'].map(directionOf)).toEqual([
    'rtl',
    'rtl',
    'rtl',
    'ltr',
    'ltr',
  ]);
});

describe.each(languageTags)('%s', (language) => {
  test('has every catalog with exactly the same messages', () => {
    const ids = (of: LanguageTag) =>
      Object.entries(catalogs(of)).map(([name, catalog]) => [name, Object.keys(catalog).sort()]);
    expect(Object.fromEntries(ids(language))).toEqual(Object.fromEntries(ids('en')));
    expect(Object.entries(texts(language)).filter(([, text]) => text.trim() === '')).toEqual([]);
  });

  test('uses the same values as English, and every plural form', () => {
    const cases = new Intl.PluralRules(language).resolvedOptions().pluralCategories;
    for (const [id, text] of Object.entries(texts(language))) {
      const own = needs(compileMessage(text));
      expect({ id, values: own.values }).toEqual({
        id,
        values: needs(compileMessage(texts('en')[id] ?? '')).values,
      });
      for (const plural of own.plurals)
        expect({ id, cases: [...plural].sort() }).toEqual({ id, cases: [...cases].sort() });
    }
  });

  test('explains in every error what happened and what to do', () => {
    for (const [id, text] of Object.entries(catalogs(language)['errors.ts'] ?? {})) {
      const sentences = text.split(/[.!?؟।](?:\s|$)|[。！？]/).filter(Boolean);
      const advice = `${id} in web/locales/${language}/errors.ts needs at least two sentences: what happened, and what to do.`;
      expect(sentences.length, advice).toBeGreaterThanOrEqual(2);
    }
  });
});

/** Texts that are the same in English and in the language, because they are names or international words. */
const sameAsEnglish: Readonly<Partial<Record<LanguageTag, readonly string[]>>> = {
  hi: [],
  id: [],
  it: ['field.password', 'footer.privacy', 'passkey.unnamed', 'security.password', 'setup.scim'],
  ko: [],
  'zh-Hans': [],
  ja: [],
  'pt-BR': [],
  fr: ['field.code', 'invite.title', 'setup.test'],
  es: ['roles.title'],
  de: [
    'field.code',
    'ui.scheme-auto',
    'passkey.title',
    'passkey.unnamed',
    'passkey.name',
    'consent.site',
    'roles.name',
    'settings.name',
    'domains.domain',
    'setup.domains',
    'setup.test',
  ],
};

test.each(languageTags.filter((tag) => tag !== 'en'))('%s isn’t a copy of English', (language) => {
  const same = Object.entries(texts(language))
    .filter(([id, text]) => text === texts('en')[id])
    .map(([id]) => id);
  const names = ['page.title', 'setup.oidc', 'setup.saml'];
  expect(same.sort()).toEqual([...names, ...(sameAsEnglish[language] ?? [])].sort());
});

test('every error that a user can see has a message', () => {
  const ours = Object.keys(accountErrors).filter(
    (code) => !['not_found', 'internal_error', 'bad_request'].includes(code),
  );
  for (const code of [...Object.keys(errorTable), ...Object.keys(faultMessages), ...ours])
    expect(errors, `Add error.${code} to errors.ts in every language.`).toHaveProperty([`error.${code}`]);
});

test('the pseudo-locale changes texts and keeps placeholders', () => {
  const compiled = { hello: compileMessage('Hello {name}, {count, plural, one {# day} other {# days}}') };
  expect(pseudoMessages(compiled as never).hello).toEqual([
    '⟨',
    'Héĺĺó ',
    ['name'],
    ', ',
    ['count', 'plural', { one: ['#', ' đáý'], other: ['#', ' đáýš'] }],
    ' ···⟩',
  ]);
});
