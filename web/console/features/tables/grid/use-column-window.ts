/** Computes the columns' positions, and determines which columns are visible. Pinned columns are always rendered. */
import { type RefObject, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { filledWidths, type GridColumn, pinnedCount } from './columns.ts';
import { withItem } from './layout.ts';

export interface PlacedColumn {
  readonly column: GridColumn;
  /** The index among the visible columns. */
  readonly index: number;
  /** The distance from the left edge of the row in pixels. */
  readonly left: number;
  readonly width: number;
}

export interface ColumnWindow {
  readonly pinned: readonly PlacedColumn[];
  readonly scrolling: readonly PlacedColumn[];
  /** The width of the checkboxes and the pinned columns. */
  readonly pinnedWidth: number;
  readonly width: number;
  show(index: number): void;
}

/** The positions of all columns. */
interface Places {
  readonly placed: readonly PlacedColumn[];
  /** The number of pinned columns. */
  readonly pins: number;
  readonly pinnedWidth: number;
  readonly width: number;
}

function placesOf(columns: readonly GridColumn[], boxWidth: number, room: number): Places {
  const widths = filledWidths(columns, room - boxWidth);
  const pins = pinnedCount(columns, widths, room);
  let left = boxWidth;
  const placed = columns.map((column, index): PlacedColumn => {
    const place = { column, index, left, width: widths[index] ?? column.width };
    left += place.width;
    return place;
  });
  return { placed, pins, pinnedWidth: placed[pins]?.left ?? left, width: left };
}

/** The number of columns that are rendered on each side of the visible columns. */
const overscan = 2;

export function useColumnWindow(
  scroller: RefObject<HTMLElement | null>,
  columns: readonly GridColumn[],
  /** The width of the checkboxes. 0 if rows can't be selected. */
  boxWidth: number,
  /** The index of the column that has focus, which must remain rendered. */
  active: number,
): ColumnWindow {
  const [room, setRoom] = useState(0);
  const [seen, setSeen] = useState({ first: 0, last: 0 });
  const places = useMemo(() => placesOf(columns, boxWidth, room), [columns, boxWidth, room]);
  const { placed, pins, pinnedWidth, width } = places;
  const latest = useRef(columns);
  latest.current = columns;
  const look = useCallback(
    ({ placed, pins, pinnedWidth }: Places) => {
      const element = scroller.current;
      if (element === null) return;
      const start = element.scrollLeft + pinnedWidth;
      const end = element.scrollLeft + element.clientWidth;
      const isSeen = (place: PlacedColumn): boolean =>
        place.index >= pins && place.left < end && place.left + place.width > start;
      const first = placed.findIndex(isSeen);
      const last = placed.findLastIndex(isSeen);
      setSeen((previous) =>
        previous.first === first && previous.last === last ? previous : { first, last },
      );
    },
    [scroller],
  );
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    const measure = (): void => {
      setRoom(element.clientWidth);
      // The visible columns are updated together with the width, so the cells aren't rendered twice.
      look(placesOf(latest.current, boxWidth, element.clientWidth));
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [scroller, look, boxWidth]);
  useLayoutEffect(() => look(places), [look, places]);
  useEffect(() => {
    const element = scroller.current;
    const onScroll = (): void => look(places);
    element?.addEventListener('scroll', onScroll, { passive: true });
    return () => element?.removeEventListener('scroll', onScroll);
  }, [scroller, look, places]);

  const rendered = useMemo(() => {
    const indexes: number[] = [];
    if (seen.first >= 0)
      for (let index = seen.first - overscan; index <= seen.last + overscan; index++)
        if (index >= pins && index < placed.length) indexes.push(index);
    return (active < pins ? indexes : withItem(indexes, active, placed.length)).flatMap(
      (index) => placed[index] ?? [],
    );
  }, [seen, active, placed, pins]);

  return {
    pinned: useMemo(() => placed.slice(0, pins), [placed, pins]),
    scrolling: rendered,
    pinnedWidth,
    width,
    show(index) {
      const element = scroller.current;
      const place = placed[index];
      if (element === null || place === undefined || index < pins) return;
      const start = place.left - pinnedWidth;
      const end = place.left + place.width - element.clientWidth;
      // If a column is wider than the grid, its left edge is made visible.
      if (element.scrollLeft > start || end > start) element.scrollLeft = start;
      else if (element.scrollLeft < end) element.scrollLeft = end;
    },
  };
}
