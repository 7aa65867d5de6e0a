/** Maps key presses in the grid to commands. */
import { type Bounds, move, type Position } from './movement.ts';

/** The commands without arguments. */
export type PlainCommand =
  | 'clear-range'
  | 'clear-selection'
  | 'delete'
  | 'leave'
  | 'menu'
  | 'open'
  | 'peek'
  | 'sort'
  | 'toggle-all'
  | 'undo';

export type GridCommand =
  | { readonly kind: 'move'; readonly to: Position; readonly extend: boolean }
  | { readonly kind: 'toggle'; readonly extend: boolean }
  | { readonly kind: 'edit'; readonly typed?: string }
  /** Changes a boolean to its next value. */
  | { readonly kind: 'toggle-value' }
  /** Resizes the focused column by a number of pixels, or moves it by a number of positions. */
  | { readonly kind: 'resize' | 'reorder'; readonly by: number }
  | { readonly kind: PlainCommand };

export interface KeyPress {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  readonly shiftKey: boolean;
}

export interface KeyState {
  /** The focused cell. */
  readonly at: Position;
  readonly bounds: Bounds;
  /** Whether the focused row is loaded and has a key. */
  readonly hasKey: boolean;
  readonly isRangeExtended: boolean;
  readonly hasSelection: boolean;
  /** Whether the focused cell contains a boolean. */
  readonly isBoolean: boolean;
  readonly canWrite: boolean;
}

/** Returns the command for a key press, or undefined if the browser should handle the key. */
export function commandOf(press: KeyPress, state: KeyState): GridCommand | undefined {
  const { key, altKey, shiftKey } = press;
  const { at, bounds } = state;
  const command = press.ctrlKey || press.metaKey;
  if (key === 'ContextMenu' || (key === 'F10' && shiftKey)) return { kind: 'menu' };
  if (altKey) return key === 'Enter' ? { kind: 'peek' } : undefined;
  const change = at.row < 0 && at.column > 0 && shiftKey ? columnCommand(key, command) : undefined;
  if (change !== undefined) return change;
  const to = move(at, { key, command }, bounds);
  if (to !== undefined) return { kind: 'move', to, extend: shiftKey };
  if (command && key.toLowerCase() === 'z' && !shiftKey) return { kind: 'undo' };
  // Ctrl+C and Ctrl+V are handled by the copy and paste events.
  if (command) return undefined;
  return at.row < 0 ? headerCommand(press, at) : cellCommand(press, state);
}

const resizeStep = 16;

/**
 * Returns the command for an arrow key in the header. With Shift, the key changes the column's width. With Ctrl and
 * Shift, the key changes the column's position.
 */
function columnCommand(key: string, command: boolean): GridCommand | undefined {
  const step = key === 'ArrowRight' ? 1 : key === 'ArrowLeft' ? -1 : 0;
  if (step === 0) return undefined;
  return command ? { kind: 'reorder', by: step } : { kind: 'resize', by: step * resizeStep };
}

function headerCommand({ key }: KeyPress, at: Position): GridCommand | undefined {
  if (key === 'Escape') return { kind: 'leave' };
  if (key !== 'Enter' && key !== ' ') return undefined;
  return { kind: at.column === 0 ? 'toggle-all' : 'sort' };
}

function cellCommand({ key, shiftKey }: KeyPress, state: KeyState): GridCommand | undefined {
  const isBox = state.at.column === 0;
  if (key === 'Enter' && shiftKey) return state.hasKey ? { kind: 'open' } : undefined;
  if (key === ' ' && state.canWrite && (isBox || shiftKey))
    return { kind: 'toggle', extend: shiftKey && isBox };
  if (key === ' ' && state.isBoolean && state.canWrite) return { kind: 'toggle-value' };
  if (key === 'Delete' && state.hasSelection) return { kind: 'delete' };
  if (key === 'Escape' && state.isRangeExtended) return { kind: 'clear-range' };
  if (key === 'Escape') return { kind: state.hasSelection ? 'clear-selection' : 'leave' };
  if (key === 'Enter' || key === 'F2') return isBox ? { kind: 'toggle', extend: false } : { kind: 'edit' };
  if (key.length === 1 && key !== ' ' && !isBox && state.canWrite) return { kind: 'edit', typed: key };
  return undefined;
}
