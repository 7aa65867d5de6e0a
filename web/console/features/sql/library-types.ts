import type { TabContent } from './tabs.ts';

/** Opens a query from the library in a new tab. */
export type OpenQuery = (content: TabContent) => void;

/** Checks whether the texts of an entry match the search. */
export type Matcher = (...texts: readonly string[]) => boolean;
