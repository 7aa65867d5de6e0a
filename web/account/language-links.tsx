import { useLocation, useSearch } from 'wouter';
import { i18n } from '../lib/i18n.ts';
import { languages } from '../locales/languages.ts';
import { usePageConfig } from './page-config.ts';

/** Links to the project's other languages, each labeled in that language. The links reload the page. */
export function LanguageLinks() {
  const [path] = useLocation();
  const search = useSearch();
  const { languages: offered } = usePageConfig();
  return Object.entries(languages)
    .filter(([code]) => code !== i18n.locale && offered.includes(code))
    .map(([code, { name, dir }]) => (
      <a
        key={code}
        href={`/account${path}?${withLanguage(search, code)}`}
        lang={code}
        hrefLang={code}
        dir={dir}
      >
        {name}
      </a>
    ));
}

function withLanguage(search: string, code: string): string {
  const query = new URLSearchParams(search);
  query.set('lang', code);
  return query.toString();
}
