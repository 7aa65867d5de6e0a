/** Determines which rows of a scrolling element are visible, and scrolls to other rows. */
import {
  type RefObject,
  useCallback,
  useDeferredValue,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { elementHeight, type ScrollState, scrolled, scrollTopFor, type Track, topToShow } from './scroll.ts';

/** When the user hasn't scrolled for this time, the scroll bar of a long table is moved to its exact position. */
const restMs = 200;

/** The number of rows that are rendered above and below the visible rows. */
const overscan = 6;

export interface RowWindow {
  /** The visible rows, including `last`. */
  readonly first: number;
  readonly last: number;
  /** The number of rows to render above and below the visible rows. */
  readonly overscan: number;
  /** The offset of the layer that contains the rows, in pixels. 0 unless the scroll range is scaled. */
  readonly shift: number;
  readonly height: number;
  show(row: number): void;
}

export function useRowWindow(
  scroller: RefObject<HTMLElement | null>,
  { rows, rowHeight, headHeight }: { rows: number; rowHeight: number; headHeight: number },
): RowWindow {
  const [view, setView] = useState(0);
  const scrollState = useRef<ScrollState>({ scrollTop: 0, top: 0 });
  const [seen, setSeen] = useState({ first: 0, last: 0, shift: 0 });
  const track: Track = { whole: rows * rowHeight, view };
  const latest = useRef(track);
  latest.current = track;

  const settle = useCallback(
    (next: ScrollState) => {
      scrollState.current = next;
      const first = Math.floor(next.top / rowHeight);
      const last = Math.floor((next.top + latest.current.view) / rowHeight);
      const shift = next.scrollTop - next.top;
      setSeen((previous) =>
        previous.first === first && previous.last === last && previous.shift === shift
          ? previous
          : { first, last, shift },
      );
    },
    [rowHeight],
  );

  const goTo = useCallback(
    (top: number) => {
      const element = scroller.current;
      if (element === null) return;
      element.scrollTop = scrollTopFor(latest.current, top);
      // The browser may have rounded or limited the position. The actual position is stored so that the resulting event
      // isn't treated as scrolling by the user.
      const { scrollTop } = element;
      const isSame = elementHeight(latest.current) === latest.current.whole;
      settle({ scrollTop, top: isSame ? scrollTop : top });
    },
    [scroller, settle],
  );

  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    const measure = (): void => {
      const view = Math.max(0, element.clientHeight - headHeight);
      setView(view);
      // The rows are updated together with the height, so they aren't rendered twice.
      latest.current = { ...latest.current, view };
      settle(scrolled(latest.current, scrollState.current, element.scrollTop));
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [scroller, headHeight, settle]);

  // With fewer rows or a taller window, the visible rows may be after the end.
  // biome-ignore lint/correctness/useExhaustiveDependencies: `latest` contains the current values
  useLayoutEffect(
    () => settle(scrolled(latest.current, scrollState.current, scroller.current?.scrollTop ?? 0)),
    [rows, view, rowHeight],
  );

  useEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const onScroll = (): void => {
      settle(scrolled(latest.current, scrollState.current, element.scrollTop));
      clearTimeout(timer);
      if (elementHeight(latest.current) < latest.current.whole)
        timer = setTimeout(() => goTo(scrollState.current.top), restMs);
    };
    element.addEventListener('scroll', onScroll, { passive: true });
    return () => {
      clearTimeout(timer);
      element.removeEventListener('scroll', onScroll);
    };
  }, [scroller, settle, goTo]);

  return {
    first: Math.min(seen.first, Math.max(0, rows - 1)),
    last: Math.min(seen.last, rows - 1),
    // The visible rows are rendered first, and the rows above and below them in a second pass.
    overscan: useDeferredValue(overscan, 0),
    shift: seen.shift,
    height: elementHeight(track),
    show: (row) => goTo(topToShow(latest.current, scrollState.current.top, row * rowHeight, rowHeight)),
  };
}
