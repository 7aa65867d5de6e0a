import type { ReactNode } from 'react';
import type { SearchGroup, SearchTarget } from '../../../../src/pages/console/search/contract.ts';

export type { SearchTarget };

/** The groups. If the best results of two groups match equally well, this order applies. */
export const groupOrder = [
  'recent',
  'actions',
  'pages',
  'tables',
  'users',
  'rows',
  'queries',
  'functions',
  'columns',
  'files',
  'jobs',
  'settings',
  'requests',
  'migrations',
  'docs',
] as const satisfies readonly (
  | SearchGroup
  | 'recent'
  | 'actions'
  | 'pages'
  | 'tables'
  | 'queries'
  | 'docs'
)[];
export type Group = (typeof groupOrder)[number];

export interface Item {
  /** Identifies the result across searches. */
  readonly id: string;
  readonly group: Group;
  readonly title: string;
  readonly detail?: string;
  /** Additional text that the search matches. */
  readonly words?: string;
  readonly icon?: ReactNode;
  /** The page that the result opens. Undefined for actions, because recent results identify an action by its ID. */
  readonly target?: SearchTarget;
  readonly run: () => void;
}
