/** Determines which pages of rows the grid currently shows. */
import { useCallback, useState } from 'react';
import { pageSize } from '../../../api/queries.ts';

const pageStart = (row: number): number => Math.floor(row / pageSize) * pageSize;

/** The component is rendered again only if different pages are needed. The grid itself tracks individual rows. */
export function useVisiblePages() {
  const [visible, setVisible] = useState({ first: 0, last: 0 });
  const onVisible = useCallback((firstRow: number, lastRow: number) => {
    const [first, last] = [pageStart(firstRow), pageStart(lastRow)];
    setVisible((previous) =>
      previous.first === first && previous.last === last ? previous : { first, last },
    );
  }, []);
  return { visible, onVisible };
}
