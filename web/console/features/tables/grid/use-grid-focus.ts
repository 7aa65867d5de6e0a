/** Moves the browser's focus to the grid's focused cell, which may not be rendered until the grid has scrolled. */
import { type RefObject, useLayoutEffect, useRef } from 'react';
import type { Position } from './movement.ts';

export interface GridFocus {
  /** Focuses the cell once the grid has been rendered again. */
  request(): void;
  /** Whether the focus is in the grid. */
  isInside(): boolean;
  readonly onFocus: () => void;
  readonly onBlur: () => void;
}

export function useGridFocus(scroller: RefObject<HTMLElement | null>, at: Position): GridFocus {
  const wantsFocus = useRef(false);
  /**
   * Whether the focus is in the grid. If so, the grid keeps the focus even if the focused cell is removed from the
   * page.
   */
  const ownsFocus = useRef(false);

  useLayoutEffect(() => {
    const isLost = ownsFocus.current && document.activeElement === document.body;
    if (!wantsFocus.current && !isLost) return;
    wantsFocus.current = false;
    scroller.current
      ?.querySelector<HTMLElement>(`[data-cell="${at.row}:${at.column}"]`)
      ?.focus({ preventScroll: true });
  });

  return {
    request() {
      wantsFocus.current = true;
    },
    isInside: () => ownsFocus.current,
    onFocus() {
      ownsFocus.current = true;
    },
    onBlur() {
      ownsFocus.current = false;
    },
  };
}
