/** Opens the context menu of the grid, with the pointer or with the keyboard. */
import { type MouseEvent, type RefObject, useState } from 'react';
import type { Position } from './movement.ts';

export interface OpenMenu {
  readonly at: Position;
  readonly x: number;
  readonly y: number;
}

export interface GridMenuState {
  readonly open: OpenMenu | undefined;
  readonly onContextMenu: (event: MouseEvent<HTMLElement>) => void;
  /** Opens the menu below a cell. */
  openAt(at: Position): void;
  /** Closes the menu. With `isLeft`, the focus doesn't return to the grid. */
  readonly close: (isLeft: boolean) => void;
}

export function useGridMenu(
  scroller: RefObject<HTMLElement | null>,
  { isEditing, onOpen, onClose }: { isEditing: boolean; onOpen: (at: Position) => void; onClose: () => void },
): GridMenuState {
  const [open, setOpen] = useState<OpenMenu>();

  function show(next: OpenMenu): void {
    // The header's checkbox doesn't have a menu.
    if (next.at.row < 0 && next.at.column === 0) return;
    onOpen(next.at);
    setOpen(next);
  }

  return {
    open,
    onContextMenu(event) {
      const target = event.target as HTMLElement;
      const cell = target.closest<HTMLElement>('[data-cell]');
      // In an editor, the browser's own menu is used. The context menu itself is outside of the grid's element.
      if (isEditing || cell === null || scroller.current?.contains(cell) !== true) return;
      event.preventDefault();
      const [row = 0, column = 0] = (cell.dataset.cell ?? '').split(':').map(Number);
      show({ at: { row, column }, x: event.clientX, y: event.clientY });
    },
    openAt(at) {
      const cell = scroller.current?.querySelector(`[data-cell="${at.row}:${at.column}"]`);
      const box = cell?.getBoundingClientRect();
      if (box !== undefined) show({ at, x: box.left + 8, y: box.bottom });
    },
    close(isLeft) {
      setOpen(undefined);
      if (!isLeft) onClose();
    },
  };
}
