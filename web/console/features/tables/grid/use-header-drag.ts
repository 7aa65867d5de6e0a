/** Resizes and moves columns with the pointer. The keyboard commands have the same effects. */
import { type PointerEvent, useRef, useState } from 'react';

/** If the pointer moves less than this distance, the press is a click, which sorts the rows. */
const clickPixels = 5;

export interface HeaderDrag {
  /** The column whose position the dragged column would take. */
  readonly target: number | undefined;
  startMove(event: PointerEvent<HTMLElement>, column: number): void;
  startResize(event: PointerEvent<HTMLElement>, column: number, width: number): void;
  /** Whether the click that just ended was the end of a drag. */
  wasDragged(): boolean;
}

export function useHeaderDrag({
  onResize,
  onReorder,
}: {
  readonly onResize: (column: number, width: number) => void;
  readonly onReorder: (column: number, target: number) => void;
}): HeaderDrag {
  const [target, setTarget] = useState<number>();
  const wasDragged = useRef(false);

  /** Follows the pointer until the button is released. Escape or the loss of the pointer cancels the drag. */
  function follow(
    event: PointerEvent<HTMLElement>,
    onMove: (event: globalThis.PointerEvent) => void,
    onEnd: (event: globalThis.PointerEvent) => void,
  ): void {
    const ended = new AbortController();
    const { signal } = ended;
    wasDragged.current = false;
    const { pointerId } = event;
    const own = (react: (event: globalThis.PointerEvent) => void) => (each: globalThis.PointerEvent) => {
      if (each.pointerId === pointerId) react(each);
    };
    window.addEventListener('pointermove', own(onMove), { signal });
    window.addEventListener(
      'pointerup',
      own((last) => {
        ended.abort();
        onEnd(last);
      }),
      { signal },
    );
    window.addEventListener('pointercancel', () => ended.abort(), { signal });
  }

  return {
    target,
    wasDragged: () => wasDragged.current,
    startMove(event, column) {
      if (event.button !== 0 || event.pointerType === 'touch') return;
      const start = event.clientX;
      follow(
        event,
        (moved) => {
          if (Math.abs(moved.clientX - start) < clickPixels && !wasDragged.current) return;
          wasDragged.current = true;
          setTarget(columnAt(moved) ?? column);
        },
        (last) => {
          setTarget(undefined);
          const to = columnAt(last);
          if (wasDragged.current && to !== undefined && to !== column) onReorder(column, to);
        },
      );
    },
    startResize(event, column, width) {
      if (event.button !== 0) return;
      event.preventDefault();
      event.stopPropagation();
      const start = event.clientX;
      follow(
        event,
        (moved) => {
          wasDragged.current = true;
          onResize(column, width + moved.clientX - start);
        },
        () => {
          wasDragged.current = true;
        },
      );
    },
  };
}

/** Returns the column whose header is under the pointer. */
function columnAt({ clientX, clientY }: globalThis.PointerEvent): number | undefined {
  const header = document
    .elementFromPoint(clientX, clientY)
    ?.closest<HTMLElement>('[role=columnheader][data-cell]');
  const column = Number(header?.dataset.cell?.split(':')[1] ?? 0);
  return column > 0 ? column : undefined;
}
