/**
 * Types for the pages of the Console's settings. Every setting with an effect is on exactly one page, where it has a
 * label. `pages.test.ts` checks this.
 */

export interface EntryExtras {
  /** Search words that neither the label nor the help text contains. */
  readonly words?: string;
  /** The unit of a number, such as `seconds`. */
  readonly unit?: string;
  /** The labels of an enum's values. */
  readonly options?: Readonly<Record<string, string>>;
}

/** A setting's key, its label and optional extras. */
export type Entry = readonly [key: string, label: string, extras?: EntryExtras];

/** A tool that the page shows below the settings of a part. */
export type Panel =
  /** `url` is the page on which OAuth apps are created. With `hasServer`, the URL of the provider's server is often set. */
  | { readonly kind: 'provider'; readonly name: string; readonly url: string; readonly hasServer: boolean }
  | { readonly kind: 'hook'; readonly name: string }
  | { readonly kind: 'template'; readonly name: string }
  | { readonly kind: 'test-mail' }
  | { readonly kind: 'test-text' };

export interface PagePart {
  readonly title?: string;
  readonly text?: string;
  /** Whether the part is collapsed until the operator opens it. */
  readonly isRare?: true;
  readonly settings: readonly Entry[];
  /** The path of a table whose keys the user chooses, if the part shows one. Its settings contain `*`. */
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
  /** Search words for all settings of the page. */
  readonly words?: string;
  readonly parts: readonly PagePart[];
}

/** Adds a prefix to the keys of entries. */
export const under = (prefix: string, entries: readonly Entry[]): Entry[] =>
  entries.map(([key, label, extras]) =>
    extras === undefined ? [`${prefix}.${key}`, label] : [`${prefix}.${key}`, label, extras],
  );
