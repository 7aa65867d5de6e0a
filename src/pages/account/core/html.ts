/** Fills the placeholders in the pages that `web/account/prerender.tsx` prerenders. */
import { escapeMarkup } from '../../../base/shared/printable.ts';
import type { Ways } from './offers.ts';
import type { Provider } from './providers.ts';

export interface PageFill {
  readonly name: string;
  /** The project's `site_url`. */
  readonly appUrl: string;
  readonly logo: string;
  /** The features that the project doesn't offer. A style sheet hides these features before the script runs. */
  readonly off: readonly string[];
  readonly brandCss: string;
  /** The CSS for the dark color scheme if the browser runs no scripts. */
  readonly brandDarkCss: string;
  /** The settings that the page's script reads. */
  readonly config: unknown;
}

export function fillPage(html: string, fill: PageFill): string {
  const values: Readonly<Record<string, string>> = {
    NAME: escapeMarkup(fill.name),
    APP_URL: escapeText(fill.appUrl),
    LOGO: escapeMarkup(fill.logo),
    OFF: escapeMarkup(fill.off.join(' ')),
    BRAND_CSS: fill.brandCss,
    BRAND_DARK_CSS: fill.brandDarkCss,
    CONFIG: scriptJson(fill.config),
  };
  return fillValues(html, values);
}

/**
 * Replaces `%PLINTH_NAME%` with the value of `NAME` in a single pass, so that placeholders in values are never
 * replaced.
 */
export function fillValues(html: string, values: Readonly<Record<string, string>>): string {
  return html.replace(/%PLINTH_([A-Z_]+)%/g, (placeholder, key: string) => values[key] ?? placeholder);
}

/** Escapes text that a client sent, for use in HTML whose placeholders haven't been filled yet. */
export function escapeText(text: string): string {
  return escapeMarkup(text).replaceAll('%', '&#37;');
}

/**
 * Repeats the prerendered button (`web/account/methods/social.tsx`) for each provider, in the list of all providers and
 * in the sign-in page's two lists.
 */
export function repeatWays(html: string, { providers, shown, isCollapsed, last }: Ways): string {
  const lists: Readonly<Record<string, readonly Provider[]>> = {
    all: providers,
    first: providers.slice(0, shown),
    more: providers.slice(shown),
  };
  const repeated = html.replace(
    /(<div[^>]* data-list="providers-([a-z]+)">)(.*?)(<\/div>)/gs,
    (...[, start = '', list = '', button = '', end = '']: string[]) => {
      const buttons = (lists[list] ?? []).map((provider) => providerButton(button, provider, last));
      return `${start}${buttons.join('')}${end}`;
    },
  );
  return isCollapsed ? repeated : repeated.replace(/<details(?=[^>]* data-fold)/, '<details open=""');
}

function providerButton(template: string, { id, name, mark }: Provider, last: string | undefined): string {
  const values: Readonly<Record<string, string>> = {
    ID: escapeMarkup(id),
    NAME: escapeMarkup(name),
    MARK: mark,
  };
  const button = id === last ? template : template.replace(/<span data-last="[^"]*"[^>]*>.*?<\/span>/s, '');
  return button.replace(
    /%PLINTH_PROVIDER_([A-Z]+)%/g,
    (placeholder, key: string) => values[key] ?? placeholder,
  );
}

/** An account in the list on the page on which users choose an account. */
export interface AccountRow {
  /** The value that the form sends for the account. */
  readonly key: string;
  readonly name: string;
  /**
   * An account with the state `current`, `in` or `guest` is signed in. A row with the state `link` opens the provider
   * with which the user last signed in to the account.
   */
  readonly state: 'current' | 'in' | 'guest' | 'out' | 'link';
  readonly way?: string;
}

/**
 * Repeats the prerendered row (`web/account/plain/accounts.tsx`) for each account. The page contains a separate
 * prerendered row for each state.
 */
export function repeatAccounts(html: string, rows: readonly AccountRow[]): string {
  return html.replace(
    /(<ul[^>]* data-list="accounts">)(.*?)(<\/ul>)/s,
    (_, start, templates: string, end) => {
      const byState = new Map(
        [...templates.matchAll(/<li data-state="([a-z]+)".*?<\/li>/gs)].map(([row, state]) => [state, row]),
      );
      const filled = rows.map(({ key, name, state, way = '' }) =>
        fillValues(byState.get(state) ?? '', {
          ACCOUNT_KEY: escapeText(key),
          ACCOUNT_NAME: escapeText(name),
          ACCOUNT_WAY: encodeURIComponent(way).replaceAll('%', '&#37;'),
        }),
      );
      return `${start}${filled.join('')}${end}`;
    },
  );
}

/** A change to the account that the user can undo on a page. */
export interface ChangeRow {
  readonly kind: string;
  readonly when: string;
  readonly browser?: string;
  readonly system?: string;
}

/**
 * Repeats the prerendered row (`web/account/plain/not-me.tsx`) for each change. Removes the list if it would be empty.
 */
export function repeatChanges(html: string, rows: readonly ChangeRow[]): string {
  return html.replace(
    /<li data-later="[^"]*">.*?(<ul[^>]* data-list="changes">)(.*?)<\/ul><\/li>/s,
    (whole, start: string, templates: string) => {
      if (rows.length === 0) return '';
      const byKind = new Map(
        [...templates.matchAll(/<li data-kind="([a-z_]+)".*?<\/li>/gs)].map(([row, kind]) => [kind, row]),
      );
      const filled = rows.map(({ kind, when, browser, system }) => {
        const row = fillValues(byKind.get(kind) ?? '', {
          CHANGE_WHEN: escapeText(when),
          CHANGE_BROWSER: escapeText(browser ?? ''),
          CHANGE_SYSTEM: escapeText(system ?? ''),
        });
        return browser === undefined ? row.replace(/<span data-device="[^"]*">.*?<\/span>/s, '') : row;
      });
      return whole.replace(start + templates, () => start + filled.join(''));
    },
  );
}

/**
 * The URLs of the project's own pages, by the name of the footer link. A URL is undefined if the project doesn't have
 * that page.
 */
export type FooterLinks = Readonly<Record<'support' | 'terms' | 'privacy', string | undefined>>;

/** Removes each prerendered footer link (`web/account/shell.tsx`) without a URL. */
export function keepLinks(html: string, links: FooterLinks): string {
  return html.replace(
    /<a data-link="(support|terms|privacy)" href="[^"]*"([^>]*>.*?<\/a>)/gs,
    (_, name: keyof FooterLinks, rest: string) => {
      const address = links[name];
      return address === undefined ? '' : `<a data-link="${name}" href="${escapeText(address)}"${rest}`;
    },
  );
}

/**
 * Keeps the prerendered sentence (`web/account/agreement.tsx`) that names exactly the documents that the project has,
 * and removes the other sentences.
 */
export function keepAgreement(html: string, { terms, privacy }: FooterLinks): string {
  const own = [terms && 'terms', privacy && 'privacy'].filter(Boolean).join('-and-');
  return html.replace(/<p data-agreement="([a-z-]+)".*?<\/p>/gs, (sentence, kind: string) =>
    kind === own
      ? fillValues(sentence, { TERMS_URL: escapeText(terms ?? ''), PRIVACY_URL: escapeText(privacy ?? '') })
      : '',
  );
}

/** Repeats the prerendered password requirement (`web/account/form/password-rules.tsx`) once for each text. */
export function repeatRules(html: string, texts: readonly string[]): string {
  return html.replace(
    /(<ul[^>]* data-list="password-rules">)(.*?)(<\/ul>)/s,
    (_, start, rule: string, end) => {
      const rules = texts.map((text) => rule.replace('%PLINTH_RULE%', () => escapeText(text)));
      return `${start}${rules.join('')}${end}`;
    },
  );
}

/** A language in the list of a page. */
export interface ListedLanguage {
  readonly tag: string;
  readonly name: string;
  readonly dir: string;
}

/**
 * Fills the prerendered list of languages (`web/account/language-links.tsx`) with the languages other than the page's. A
 * single language becomes a link, and if there is none, the list is empty.
 */
export function fillLanguages(html: string, languages: readonly ListedLanguage[], current: string): string {
  const others = languages.filter(({ tag }) => tag !== current);
  const own = languages.find(({ tag }) => tag === current);
  return html.replace(
    /(<div[^>]* data-list="languages"[^>]*>)(<details>.*?<ul>)(<li>(.*?)<\/li>)(<\/ul><\/details>)/s,
    (...[, start = '', open = '', item = '', link = '', end = '']: string[]) => {
      const fill = (template: string, language: ListedLanguage) =>
        fillValues(template, {
          LANGUAGE_TAG: escapeText(language.tag),
          LANGUAGE_NAME: escapeText(language.name),
          LANGUAGE_DIR: language.dir,
        });
      const [first, second] = others;
      if (first === undefined) return start;
      if (second === undefined) return start + fill(link, first);
      const opened = fillValues(open, { LANGUAGE: escapeText(own?.name ?? 'English') });
      return start + opened + others.map((language) => fill(item, language)).join('') + end;
    },
  );
}

/** Returns JSON that is safe inside a script element, because the JSON can't end the element or open a comment. */
export function scriptJson(value: unknown): string {
  return (
    JSON.stringify(value)
      .replaceAll('<', '\\u003c')
      // The page's remaining placeholders are filled for each response, so `%` must not appear in the JSON.
      .replaceAll('%', '\\u0025')
      .replaceAll('\u2028', '\\u2028')
      .replaceAll('\u2029', '\\u2029')
  );
}

/** The query parameters passed from page to page. `web/account/flow.ts` passes the same parameters. */
const carried = [
  'redirect_to',
  'code_challenge',
  'code_challenge_method',
  'next',
  'authorization_id',
  'add',
  'again',
  'section',
  'invitation',
  'organization',
] as const;

/**
 * Returns those parameters of a query that are passed from page to page, without the leading `?`. Returns an empty
 * string if the query contains no such parameters.
 */
export function carriedFlow(query: URLSearchParams): string {
  const kept = new URLSearchParams();
  for (const name of carried) {
    const value = query.get(name);
    if (value !== null && value !== '') kept.set(name, value);
  }
  return kept.toString();
}

/**
 * Adds the query to the links on a prerendered page, so that links keep the return URL even before the script runs or
 * if scripts are disabled. A link to the page in another language keeps the whole query.
 */
export function carryFlow(html: string, query: URLSearchParams, flow = carriedFlow(query)): string {
  const whole = new URLSearchParams(query);
  whole.delete('lang');
  return html.replace(
    /(<a [^>]*href="\/account\/[a-z/-]+)(?:\?([^"]*))?"/g,
    (_, start: string, own?: string) => {
      const kept = own?.startsWith('lang=') === true ? whole.toString() : flow;
      const parts = [escapeMarkup(kept), own ?? ''].filter((part) => part !== '');
      return `${start}${parts.length === 0 ? '' : `?${parts.join('&amp;')}`}"`;
    },
  );
}
