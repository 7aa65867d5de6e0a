/** Searches the rows that a foreign key can reference, after a pause in typing. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { fetchConsole } from '../../../api/session.ts';
import { useDebounced } from '../../../components/use-debounced.ts';
import type { EditorProps } from './editor.ts';

export function useReferences({ table, column, as }: EditorProps, isOpen: boolean) {
  /** The text to search for. Until the user types, the first rows are listed. */
  const [asked, setAsked] = useState('');
  const [text, setSearch] = useDebounced(asked, setAsked);
  const { data, error, isFetching, isPlaceholderData } = useQuery({
    queryKey: ['references', table.schema, table.table, column.name, as, asked],
    queryFn: ({ signal }) =>
      fetchConsole('GET /tables/:schema/:table/references/:column', {
        params: { schema: table.schema, table: table.table, column: column.name },
        query: { as, search: asked },
        signal,
      }),
    enabled: isOpen,
    retry: false,
    staleTime: 5000,
    placeholderData: (previous) => previous,
  });
  return {
    text,
    asked,
    setSearch,
    choices: data?.choices ?? [],
    hasMore: data?.more ?? false,
    error,
    isLoading: isFetching && data === undefined,
    /** Whether the choices belong to the current text. */
    isSettled: text === asked && !isPlaceholderData && (data !== undefined || error !== null),
  };
}

/** Returns the text that describes the row with the given key. Empty if the key is empty or unknown. */
export function useReferenceLabel({ table, column, as }: EditorProps, key: string): string {
  const { data } = useQuery({
    queryKey: ['reference', table.schema, table.table, column.name, as, key],
    queryFn: ({ signal }) =>
      fetchConsole('GET /tables/:schema/:table/references/:column', {
        params: { schema: table.schema, table: table.table, column: column.name },
        query: { as, search: key, exact: 'true' },
        signal,
      }),
    enabled: key !== '',
    retry: false,
    staleTime: 5000,
  });
  return data?.choices[0]?.label ?? '';
}
