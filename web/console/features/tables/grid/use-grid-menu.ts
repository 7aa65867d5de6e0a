/** Opens the context menu of the grid, with the pointer or with the keyboard. */
import { type KeyboardEvent, type MouseEvent, type RefObject, useEffect, useState } from 'react';
import type { Position } from './movement.ts';

export interface OpenMenu {
  readonly at: Position;
  readonly x: number;
  readonly y: number;
  /** The keys that were pressed before the menu appeared. The menu's code is loaded when the menu is first opened. */
  readonly pressed: string[];
}

export interface GridMenuState {
  readonly open: OpenMenu | undefined;
  readonly onContextMenu: (event: MouseEvent<HTMLElement>) => void;
  /** Opens the menu below a cell. */
  openAt(at: Position): void;
  /** Stores a key press for the menu if the menu is about to appear. Returns whether the grid must ignore the key. */
  takeKey(event: KeyboardEvent): boolean;
  /** Closes the menu and returns the focus to the grid. */
  readonly close: () => void;
}

export function useGridMenu(
  scroller: RefObject<HTMLElement | null>,
  { isEditing, onOpen, onClose }: { isEditing: boolean; onOpen: (at: Position) => void; onClose: () => void },
): GridMenuState {
  const [open, setOpen] = useState<OpenMenu>();

  useEffect(() => {
    if (open === undefined) return;
    const leave = (): void => setOpen(undefined);
    const onPointerDown = ({ target }: PointerEvent): void => {
      if ((target as Element).closest('[role=menu]') === null) leave();
    };
    document.addEventListener('pointerdown', onPointerDown, { capture: true });
    window.addEventListener('resize', leave);
    window.addEventListener('blur', leave);
    return () => {
      document.removeEventListener('pointerdown', onPointerDown, { capture: true });
      window.removeEventListener('resize', leave);
      window.removeEventListener('blur', leave);
    };
  }, [open]);

  function show(at: Position, x: number, y: number): void {
    // The header's checkbox doesn't have a menu.
    if (at.row < 0 && at.column === 0) return;
    onOpen(at);
    setOpen({ at, x, y, pressed: [] });
  }

  return {
    open,
    onContextMenu(event) {
      const target = event.target as HTMLElement;
      const cell = target.closest<HTMLElement>('[data-cell]');
      // In an editor, the browser's own context menu is used. The grid's context menu itself is outside the grid's
      // element.
      if (isEditing || cell === null || scroller.current?.contains(cell) !== true) return;
      event.preventDefault();
      // On Windows, the menu key also triggers this event after the key press has already opened the menu.
      if (open !== undefined) return;
      const [row = 0, column = 0] = (cell.dataset.cell ?? '').split(':').map(Number);
      show({ row, column }, event.clientX, event.clientY);
    },
    openAt(at) {
      const cell = scroller.current?.querySelector(`[data-cell="${at.row}:${at.column}"]`);
      const box = cell?.getBoundingClientRect();
      if (box !== undefined) show(at, box.left + 8, box.bottom);
    },
    takeKey(event) {
      if (open === undefined) return false;
      if (event.ctrlKey || event.metaKey || event.altKey) return true;
      event.preventDefault();
      event.stopPropagation();
      open.pressed.push(event.key);
      return true;
    },
    close() {
      setOpen(undefined);
      onClose();
    },
  };
}
