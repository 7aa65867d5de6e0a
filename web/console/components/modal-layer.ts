/**
 * Keeps the keyboard and screen readers inside the topmost dialog. While a dialog is open, the page and the dialogs
 * below the topmost dialog are inert. When a dialog closes, the focus returns to the element that opened it.
 */
import { type RefObject, useLayoutEffect, useRef } from 'react';
import { pathOf } from '../../ui/watch-focus.ts';
import { focusNearest, focusPath } from './nearest-focus.ts';

interface Layer {
  readonly root: RefObject<HTMLDivElement | null>;
}

const layers: Layer[] = [];
/** The event that closed the last dialog. The dialogs below also receive this event and must ignore it. */
let closing: Event | undefined;

export function useModalLayer(): {
  /** The `ref` of the dialog's outermost element. */
  readonly root: RefObject<HTMLDivElement | null>;
  /** Returns false if another dialog covers this dialog. A covered dialog doesn't close on Escape. */
  readonly isTop: () => boolean;
} {
  const root = useRef<HTMLDivElement>(null);
  const own = useRef<Layer>(null);
  useLayoutEffect(() => {
    const opener = focusPath();
    const layer: Layer = { root };
    own.current = layer;
    layers.push(layer);
    updateInert();
    return () => {
      layers.splice(layers.indexOf(layer), 1);
      updateInert();
      closing = window.event;
      // Runs later, because the code that closes a dialog can move the focus itself.
      setTimeout(() => {
        closing = undefined;
        if (document.activeElement === null || document.activeElement === document.body)
          // If no control opened the dialog, for example because the operator opened the dialog's URL, the Tab key
          // continues in the page's content.
          focusNearest([...opener, ...pathOf(document.getElementById('content'), document.body)]);
      });
    };
  }, []);
  const isTop = () => layers.at(-1) === own.current && (closing === undefined || window.event !== closing);
  return { root, isTop };
}

function updateInert(): void {
  const page = document.getElementById('root');
  if (page !== null) page.inert = layers.length > 0;
  for (const [index, { root }] of layers.entries())
    if (root.current !== null) root.current.inert = index < layers.length - 1;
}
