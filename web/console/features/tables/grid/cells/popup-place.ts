/** Determines the position of a box next to a cell. The box is always completely inside the window. */

const gap = 2;
const margin = 8;
const minWidth = 384;
const maxWidth = 512;
/** If there is less room than this below the cell and more room above it, the box is shown above the cell. */
const enoughHeight = 280;

export interface PopupPlace {
  readonly left: string;
  readonly width: string;
  readonly top: string;
  readonly bottom: string;
  readonly maxHeight: string;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

export function popupPlace(
  cell: { readonly left: number; readonly top: number; readonly bottom: number; readonly width: number },
  window_: Size = { width: window.innerWidth, height: window.innerHeight },
): PopupPlace {
  const width = Math.min(Math.max(cell.width, minWidth), maxWidth, window_.width - 2 * margin);
  const left = Math.max(margin, Math.min(cell.left, window_.width - width - margin));
  const below = window_.height - cell.bottom - gap - margin;
  const above = cell.top - gap - margin;
  const isAbove = below < enoughHeight && above > below;
  return {
    left: `${left}px`,
    width: `${width}px`,
    top: isAbove ? 'auto' : `${Math.min(cell.bottom + gap, window_.height - enoughHeight)}px`,
    bottom: isAbove ? `${window_.height - cell.top + gap}px` : 'auto',
    maxHeight: `${Math.max(isAbove ? above : below, enoughHeight)}px`,
  };
}
