/**
 * Types for the Console's settings pages. Every setting that has an effect is on exactly one page, with a label.
 * `pages.test.ts` checks this.
 */

export interface EntryExtras {
  /** Search terms that neither the label nor the help text contains. */
  readonly words?: string;
  /** A number's unit, such as `seconds`. */
  readonly unit?: string;
  /** The labels of an enum's values. */
  readonly options?: Readonly<Record<string, string>>;
}

/** A setting's key and label, with optional extras. */
export type Entry = readonly [key: string, label: string, extras?: EntryExtras];

/** Additional controls below a section's settings, such as a button that tests a hook. */
export type Panel =
  /**
   * A provider. `url` is the URL of the provider's page for creating OAuth apps. `hasServer` is true if the provider
   * has no fixed URL, so that the `url` setting is usually needed.
   */
  | { readonly kind: 'provider'; readonly name: string; readonly url: string; readonly hasServer: boolean }
  | { readonly kind: 'hook'; readonly name: string }
  | { readonly kind: 'template'; readonly name: string }
  | { readonly kind: 'test-mail' }
  | { readonly kind: 'test-text' };

export interface PagePart {
  readonly title?: string;
  readonly text?: string;
  /** Whether the section is collapsed until the operator expands it. */
  readonly isRare?: true;
  readonly settings: readonly Entry[];
  /**
   * The path of the table with user-chosen keys that the section shows, if any. The keys of the settings in this table
   * contain `*`.
   */
  readonly names?: string;
  readonly panel?: Panel;
}

export const pageGroups = ['project', 'users', 'messages', 'services', 'database', 'server'] as const;
export type PageGroup = (typeof pageGroups)[number];

export interface PageSpec {
  readonly id: string;
  readonly group: PageGroup;
  readonly title: string;
  readonly text: string;
  /** Search terms that apply to all settings on the page. */
  readonly words?: string;
  readonly parts: readonly PagePart[];
}

/** Adds a prefix to the keys of settings entries. */
export const under = (prefix: string, entries: readonly Entry[]): Entry[] =>
  entries.map(([key, label, extras]) =>
    extras === undefined ? [`${prefix}.${key}`, label] : [`${prefix}.${key}`, label, extras],
  );
