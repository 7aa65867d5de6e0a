import { useLocation, useSearch } from 'wouter';
import { i18n } from '../lib/i18n.ts';
import classes from './language-links.module.css';
import { usePageConfig } from './page-config.ts';

/**
 * The project's other languages, each labeled in that language. A single language is a link, and several languages are
 * a list that opens without scripts. The links reload the page. The server fills this list before the script runs
 * (`fillLanguages` in `src/pages/account/core/html.ts`).
 */
export function LanguageLinks() {
  const { languages } = usePageConfig();
  const locale = i18n.locale === 'pseudo' ? 'en' : i18n.locale;
  const others = languages.filter(({ tag }) => tag !== locale);
  return (
    <div data-list="languages" className={classes.languages}>
      {others.length === 0 ? null : others.length === 1 && !import.meta.env.SSR ? (
        others.map((language) => <LanguageLink key={language.tag} {...language} />)
      ) : (
        <details>
          <summary lang={locale}>
            {languages.find(({ tag }) => tag === locale)?.name ?? '%PLINTH_LANGUAGE%'}
          </summary>
          <ul>
            {others.map((language) => (
              <li key={language.tag}>
                <LanguageLink {...language} />
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  );
}

function LanguageLink({ tag, name, dir }: { tag: string; name: string; dir: string }) {
  const [path] = useLocation();
  const search = useSearch();
  return (
    <a href={`/account${path}?${withLanguage(search, tag)}`} lang={tag} hrefLang={tag} dir={dir}>
      {name}
    </a>
  );
}

/** Returns the query with a language. A placeholder of the prerendered page isn't encoded. */
function withLanguage(search: string, tag: string): string {
  const query = new URLSearchParams(search);
  query.delete('lang');
  const kept = query.toString();
  return `${kept === '' ? '' : `${kept}&`}lang=${tag}`;
}
