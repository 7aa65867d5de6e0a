/** Manages the selected rows of a table: individual rows, or all rows that match the filters. */
import { hashKey } from '@tanstack/react-query';
import { useCallback, useState } from 'react';
import type { RowView } from '../../../api/queries.ts';
import type { RowKey } from '../../../api/types.ts';
import type { RowScope } from './scope.ts';

export interface RowSelection {
  readonly selected: ReadonlyMap<string, RowKey>;
  readonly isAll: boolean;
  readonly scope: RowScope;
  readonly select: (selected: ReadonlyMap<string, RowKey>) => void;
  readonly selectAll: () => void;
}

export function useRowSelection(view: RowView): RowSelection {
  const [selected, setSelected] = useState<ReadonlyMap<string, RowKey>>(new Map());
  const [isAll, setAll] = useState(false);

  // Any change of the view clears the selection, including a change through the Back button.
  const viewText = hashKey([view]);
  const [chosenIn, setChosenIn] = useState(viewText);
  if (chosenIn !== viewText) {
    setChosenIn(viewText);
    setAll(false);
    setSelected(new Map());
  }
  const select = useCallback((next: ReadonlyMap<string, RowKey>) => {
    setAll(false);
    setSelected(next);
  }, []);

  const scope = isAll ? { filters: view.filters } : { keys: [...selected.values()] };
  return { selected, isAll, scope, select, selectAll: () => setAll(true) };
}
