import { queryOptions } from '@tanstack/react-query';
import { fetchConsole } from '../../api/session.ts';

export type { ExtensionRow } from '../../../../src/pages/console/extensions/contract.ts';

export const extensionsQuery = queryOptions({
  queryKey: ['extensions'],
  queryFn: ({ signal }) => fetchConsole('GET /extensions', { signal }),
});

export interface ExtensionsSearch {
  /** The words that the name or the description must contain. */
  readonly filter?: string;
}

export const validateExtensionsSearch = ({ filter }: Record<string, unknown>): ExtensionsSearch =>
  typeof filter === 'string' && filter !== '' ? { filter } : {};
