/** Manages the operator's arrangement of a table's columns, which is stored in the browser. */
import { useMemo, useState } from 'react';
import type { Relation } from '../../../api/types.ts';
import {
  type ColumnLayout,
  defaultLayout,
  type GridColumn,
  gridColumns,
  readLayout,
} from '../grid/columns.ts';

export interface Columns {
  /** The visible columns, in the order of the grid. */
  readonly shown: readonly GridColumn[];
  readonly layout: ColumnLayout;
  readonly change: (next: ColumnLayout) => void;
  readonly reset: () => void;
}

export function useColumnLayout({ schema, name, columns }: Relation): Columns {
  const storageKey = `plinth.columns:${JSON.stringify([schema, name])}`;
  const [layout, setLayout] = useState(() => readLayout(localStorage.getItem(storageKey)));
  const shown = useMemo(() => gridColumns(columns, layout), [columns, layout]);
  return {
    shown,
    layout,
    change(next) {
      setLayout(next);
      try {
        localStorage.setItem(storageKey, JSON.stringify(next));
      } catch {
        // If browser storage is full or disabled, the layout lasts until the page is closed.
      }
    },
    reset() {
      setLayout(defaultLayout);
      localStorage.removeItem(storageKey);
    },
  };
}
