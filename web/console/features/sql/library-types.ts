import type { TabContent } from './tabs.ts';

/** Opens a query from the library in a new tab. */
export type OpenQuery = (content: TabContent) => void;

/** Whether the texts of an entry match the search. */
export type Matcher = (...texts: readonly string[]) => boolean;
