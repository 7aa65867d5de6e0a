/** Repeats the prerendered rows of the lists on pages about organizations (`web/account/plain/organizations.tsx`). */
import { escapeText, fillValues } from './html.ts';

/** The rows of a list. Each row has a state, which selects its prerendered template, and the template's values. */
export interface ListRow {
  readonly state: string;
  readonly values?: Readonly<Record<string, string>>;
}

/**
 * Repeats the prerendered rows of a list for the given rows. Removes the section
 * that contains the list if the list would be empty.
 */
function repeatList(html: string, name: string, rows: readonly ListRow[]): string {
  const section = new RegExp(`<section[^>]* data-section="${name}".*?</section>`, 's');
  if (rows.length === 0) return html.replace(section, '');
  return html.replace(
    new RegExp(`(<ul[^>]* data-list="${name}"[^>]*>)(.*?)(</ul>)`, 's'),
    (_, start: string, templates: string, end: string) => {
      const byState = new Map(
        [...templates.matchAll(/<li data-state="([a-z-]+)".*?<\/li>/gs)].map(([row, state]) => [state, row]),
      );
      const filled = rows.map(({ state, values = {} }) =>
        fillValues(
          byState.get(state) ?? '',
          Object.fromEntries(Object.entries(values).map(([key, text]) => [key, escapeText(text)])),
        ),
      );
      return `${start}${filled.join('')}${end}`;
    },
  );
}

/** Returns a function that fills the lists of a page, by the name of the list. */
export const repeatLists =
  (lists: Readonly<Record<string, readonly ListRow[]>>) =>
  (html: string): string =>
    Object.entries(lists).reduce((page, [name, rows]) => repeatList(page, name, rows), html);
