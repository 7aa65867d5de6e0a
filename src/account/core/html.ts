/** Fills the placeholders of the prerendered pages (`web/account/prerender.tsx` writes them). */
import type { Provider } from './providers.ts';

export interface PageFill {
  readonly name: string;
  readonly logo: string;
  /** Parts that this project does not offer; a style sheet hides them before the script runs. */
  readonly off: readonly string[];
  readonly brandCss: string;
  /** For a dark screen without scripts. */
  readonly brandDarkCss: string;
  /** What the script of the page reads. */
  readonly config: unknown;
}

export function fillPage(html: string, fill: PageFill): string {
  const values: Readonly<Record<string, string>> = {
    NAME: escapeHtml(fill.name),
    LOGO: escapeHtml(fill.logo),
    OFF: escapeHtml(fill.off.join(' ')),
    BRAND_CSS: fill.brandCss,
    BRAND_DARK_CSS: fill.brandDarkCss,
    CONFIG: scriptJson(fill.config),
  };
  return fillValues(html, values);
}

/** Replaces `%PLINTH_NAME%` by the value of `NAME`, in one go: a value is never searched. */
export function fillValues(html: string, values: Readonly<Record<string, string>>): string {
  return html.replace(/%PLINTH_([A-Z_]+)%/g, (placeholder, key: string) => values[key] ?? placeholder);
}

/** Text of a client, in HTML that is filled in again afterwards. */
export function escapeText(text: string): string {
  return escapeHtml(text).replaceAll('%', '&#37;');
}

/** The one button that was prerendered (`web/account/methods/social.tsx`) becomes one for each provider. */
export function repeatProviders(html: string, providers: readonly Provider[]): string {
  return html.replace(
    /(<div[^>]* data-list="providers">)(.*?)(<\/div>)/s,
    (_, start, button: string, end) => {
      const buttons = providers.map(({ id, name, mark }) => {
        const values: Readonly<Record<string, string>> = {
          ID: escapeHtml(id),
          NAME: escapeHtml(name),
          MARK: mark,
        };
        return button.replace(
          /%PLINTH_PROVIDER_([A-Z]+)%/g,
          (placeholder, key: string) => values[key] ?? placeholder,
        );
      });
      return `${start}${buttons.join('')}${end}`;
    },
  );
}

/** Where the project's own pages are, by the name of the link in the footer; undefined where it has none. */
export type FooterLinks = Readonly<Record<'support' | 'terms' | 'privacy', string | undefined>>;

/** Of the links that were prerendered (`web/account/shell.tsx`) those that lead somewhere stay. */
export function keepLinks(html: string, links: FooterLinks): string {
  return html.replace(
    /<a data-link="(support|terms|privacy)" href="[^"]*"([^>]*>.*?<\/a>)/gs,
    (_, name: keyof FooterLinks, rest: string) => {
      const address = links[name];
      return address === undefined ? '' : `<a data-link="${name}" href="${escapeText(address)}"${rest}`;
    },
  );
}

/** The one rule that was prerendered (`web/account/password-rules.tsx`) becomes one for each. */
export function repeatRules(html: string, texts: readonly string[]): string {
  return html.replace(
    /(<ul[^>]* data-list="password-rules">)(.*?)(<\/ul>)/s,
    (_, start, rule: string, end) => {
      const rules = texts.map((text) => rule.replace('%PLINTH_RULE%', () => escapeText(text)));
      return `${start}${rules.join('')}${end}`;
    },
  );
}

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** JSON that can stand in a script element: nothing in it ends the element or opens a comment. */
export function scriptJson(value: unknown): string {
  return (
    JSON.stringify(value)
      .replaceAll('<', '\\u003c')
      // The page is filled in again with each answer.
      .replaceAll('%', '\\u0025')
      .replaceAll('\u2028', '\\u2028')
      .replaceAll('\u2029', '\\u2029')
  );
}

/** What goes along from page to page (`web/account/flow.ts` names the same). */
const carried = [
  'redirect_to',
  'code_challenge',
  'code_challenge_method',
  'next',
  'authorization_id',
] as const;

/** The part of a query that goes along, without `?`; empty when there is none. */
export function carriedFlow(query: URLSearchParams): string {
  const kept = new URLSearchParams();
  for (const name of carried) {
    const value = query.get(name);
    if (value !== null && value !== '') kept.set(name, value);
  }
  return kept.toString();
}

/**
 * Puts what brought somebody here into the links of a prerendered page, so that the way back to the app is not lost
 * where the script has not run yet, or never does. A link to another language leads to the very same page: it keeps the
 * whole query.
 */
export function carryFlow(html: string, query: URLSearchParams): string {
  const flow = carriedFlow(query);
  const whole = new URLSearchParams(query);
  whole.delete('lang');
  return html.replace(
    /(<a [^>]*href="\/account\/[a-z-]+)(?:\?([^"]*))?"/g,
    (_, start: string, own?: string) => {
      const kept = own?.startsWith('lang=') === true ? whole.toString() : flow;
      const parts = [escapeHtml(kept), own ?? ''].filter((part) => part !== '');
      return `${start}${parts.length === 0 ? '' : `?${parts.join('&amp;')}`}"`;
    },
  );
}
