import { useMemo, useRef } from 'react';
import type { GridActions } from './grid-row.tsx';

/**
 * Returns functions that keep their identity and call the latest version of each action, so rows that receive them
 * aren't rendered again.
 */
export function useStableActions(current: GridActions): GridActions {
  const latest = useRef(current);
  latest.current = current;
  return useMemo(
    () => ({
      press: (position, extend) => latest.current.press(position, extend),
      drag: (position) => latest.current.drag(position),
      focus: (position) => latest.current.focus(position),
      edit: (position) => latest.current.edit(position),
      toggle: (index, extend) => latest.current.toggle(index, extend),
      peek: (position) => latest.current.peek(position),
      save: (change, after) => latest.current.save(change, after),
      cancel: (keepFocus) => latest.current.cancel(keepFocus),
    }),
    [],
  );
}
