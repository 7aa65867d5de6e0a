/** Moves and zooms the diagram with the mouse, the trackpad or touch, and drags tables. */
import { type MouseEvent, type PointerEvent, type RefObject, useEffect, useRef, useState } from 'react';
import type { Point, Size } from './geometry.ts';
import { type View, zoomed } from './view.ts';

/** A movement by fewer pixels is a click. */
const clickPixels = 4;
/** The zoom factor for each pixel of a wheel movement with Ctrl, as which browsers report the pinch of a trackpad. */
const wheelFactor = 1.004;
/** The pixels in a line of a mouse wheel that scrolls by lines. */
const linePixels = 16;

interface Gesture {
  /** The dragged table. Undefined if the diagram itself is moved. */
  readonly table: { readonly id: string; readonly from: Point } | undefined;
  readonly start: Point;
  hasMoved: boolean;
}

export interface ViewTools {
  readonly view: View | undefined;
  readonly size: Size | undefined;
  readonly setView: (view: View) => void;
  readonly handlers: {
    readonly onPointerDown: (event: PointerEvent) => void;
    readonly onPointerMove: (event: PointerEvent) => void;
    readonly onPointerUp: (event: PointerEvent) => void;
    readonly onPointerCancel: (event: PointerEvent) => void;
    readonly onClickCapture: (event: MouseEvent) => void;
  };
}

export function useView(
  root: RefObject<HTMLElement | null>,
  {
    tableAt,
    onDrag,
  }: {
    /** Returns the table that contains the element, and its position. */
    readonly tableAt: (element: Element) => Gesture['table'];
    readonly onDrag: (id: string, to: Point, isEnd: boolean) => void;
  },
): ViewTools {
  const [view, setView] = useState<View>();
  const [size, setSize] = useState<Size>();
  const pointers = useRef(new Map<number, Point>());
  const gesture = useRef<Gesture>(undefined);
  const ignoresClick = useRef(false);

  useEffect(() => {
    const element = root.current;
    if (element === null) return;
    const observer = new ResizeObserver(() =>
      setSize({ width: element.clientWidth, height: element.clientHeight }),
    );
    observer.observe(element);
    // React registers passive listeners, which can't prevent the browser from zooming the page.
    const onWheel = (event: WheelEvent): void => {
      event.preventDefault();
      const scale = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? linePixels : 1;
      const at = pointIn(element, event);
      setView((current) => {
        if (current === undefined) return current;
        if (event.ctrlKey || event.metaKey)
          return zoomed(current, wheelFactor ** (-event.deltaY * scale), at);
        const [x, y] = event.shiftKey ? [event.deltaY, event.deltaX] : [event.deltaX, event.deltaY];
        return { ...current, x: current.x - x * scale, y: current.y - y * scale };
      });
    };
    element.addEventListener('wheel', onWheel, { passive: false });
    return () => {
      observer.disconnect();
      element.removeEventListener('wheel', onWheel);
    };
  }, [root]);

  function move(event: PointerEvent, isEnd: boolean): void {
    const before = pointers.current.get(event.pointerId);
    const { current } = gesture;
    if (before === undefined || current === undefined || root.current === null) return;
    const at = pointIn(root.current, event);
    if (!current.hasMoved) {
      if (distance(current.start, at) < clickPixels) return;
      current.hasMoved = true;
      root.current.setPointerCapture(event.pointerId);
    }
    const [other] = [...pointers.current].filter(([id]) => id !== event.pointerId).map(([, point]) => point);
    pointers.current.set(event.pointerId, at);
    if (current.table !== undefined && view !== undefined) {
      const { id, from } = current.table;
      const to = {
        x: from.x + (at.x - current.start.x) / view.zoom,
        y: from.y + (at.y - current.start.y) / view.zoom,
      };
      onDrag(id, to, isEnd);
      return;
    }
    setView((shown) => {
      if (shown === undefined) return shown;
      if (other !== undefined)
        return zoomed(shown, distance(at, other) / Math.max(1, distance(before, other)), other);
      return { ...shown, x: shown.x + at.x - before.x, y: shown.y + at.y - before.y };
    });
  }

  function end(event: PointerEvent): void {
    move(event, true);
    pointers.current.delete(event.pointerId);
    if (pointers.current.size > 0) return;
    ignoresClick.current = gesture.current?.hasMoved === true;
    gesture.current = undefined;
  }

  return {
    view,
    size,
    setView,
    handlers: {
      onPointerDown(event) {
        if (event.button !== 0 || root.current === null) return;
        const start = pointIn(root.current, event);
        ignoresClick.current = false;
        pointers.current.set(event.pointerId, start);
        // With a finger, the diagram is moved, because tables cover most of a small screen.
        const table = event.pointerType === 'touch' ? undefined : tableAt(event.target as Element);
        gesture.current = { table, start, hasMoved: false };
      },
      onPointerMove: (event) => move(event, false),
      onPointerUp: end,
      onPointerCancel: end,
      onClickCapture(event) {
        if (!ignoresClick.current) return;
        ignoresClick.current = false;
        event.preventDefault();
        event.stopPropagation();
      },
    },
  };
}

function pointIn(element: Element, { clientX, clientY }: { clientX: number; clientY: number }): Point {
  const { left, top } = element.getBoundingClientRect();
  return { x: clientX - left, y: clientY - top };
}

const distance = (left: Point, right: Point): number => Math.hypot(left.x - right.x, left.y - right.y);
