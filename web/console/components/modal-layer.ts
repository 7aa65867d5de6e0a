/**
 * Keeps the keyboard and screen readers inside the topmost dialog. While a dialog is open, the page and the dialogs
 * below are inert. When it closes, the focus returns to the element that opened it.
 */
import { type RefObject, useLayoutEffect, useRef } from 'react';
import { pathOf } from '../../ui/watch-focus.ts';
import { focusNearest, focusPath } from './nearest-focus.ts';

interface Layer {
  readonly root: RefObject<HTMLDivElement | null>;
  isOpen: boolean;
}

const layers: Layer[] = [];

export function useModalLayer(): {
  /** For the dialog's outermost element. */
  readonly root: RefObject<HTMLDivElement | null>;
  /** Returns false if another dialog covers this one, which then doesn't close on Escape. */
  readonly isTop: () => boolean;
} {
  const root = useRef<HTMLDivElement>(null);
  const own = useRef<Layer>(null);
  useLayoutEffect(() => {
    const opener = focusPath();
    const layer: Layer = { root, isOpen: true };
    own.current = layer;
    layers.push(layer);
    updateInert();
    return () => {
      layer.isOpen = false;
      updateInert();
      // Runs later, because the dialogs below also receive the Escape key that closed this dialog. The code that closes
      // a dialog can also move the focus itself.
      setTimeout(() => {
        layers.splice(layers.indexOf(layer), 1);
        if (document.activeElement === null || document.activeElement === document.body)
          // Without an opener, for example if the address opened the dialog, Tab continues in the page.
          focusNearest([...opener, ...pathOf(document.getElementById('content'), document.body)]);
      });
    };
  }, []);
  return { root, isTop: () => layers.at(-1) === own.current };
}

function updateInert(): void {
  const open = layers.filter(({ isOpen }) => isOpen);
  const page = document.getElementById('root');
  if (page !== null) page.inert = open.length > 0;
  for (const [index, { root }] of open.entries())
    if (root.current !== null) root.current.inert = index < open.length - 1;
}
