/**
 * The stack of everything that Escape closes: dialogs, panels, menus, lists, completions and editors. Escape closes only
 * the topmost layer. While a dialog is open, the page and the dialogs below the topmost dialog are inert. When a dialog
 * closes, the focus returns to the element that opened it.
 */
import { type RefObject, useLayoutEffect, useRef } from 'react';
import { pathOf } from '../../../ui/watch-focus.ts';
import { focusNearest, focusPath } from './nearest-focus.ts';

interface Layer {
  /** The dialog's outermost element. Undefined for a popup, which doesn't cover the page. */
  readonly root?: RefObject<HTMLDivElement | null>;
}

const layers: Layer[] = [];
/** The event that closed the last dialog. The dialogs below also receive this event and must ignore it. */
let closing: Event | undefined;
/**
 * The layer that was topmost when Escape was pressed. Every layer receives the event, and the topmost layer may close
 * before the others receive it.
 */
let pressed: { readonly event: Event; readonly top: Layer | undefined } | undefined;
window.addEventListener(
  'keydown',
  (event) => {
    pressed = event.key === 'Escape' ? { event, top: layers.at(-1) } : undefined;
  },
  { capture: true },
);

const isModal = ({ root }: Layer): boolean => root !== undefined;

/** Whether no dialog or popup was open when the key was pressed. */
export const isPageOnTop = (event: Event): boolean =>
  pressed !== undefined && pressed.event === event ? pressed.top === undefined : layers.length === 0;

/** Adds a popup that handles Escape itself. Returns a function that removes it. */
export function openLayer(): () => void {
  const layer: Layer = {};
  layers.push(layer);
  return () => {
    const at = layers.indexOf(layer);
    if (at >= 0) layers.splice(at, 1);
  };
}

/** Adds a popup that handles Escape itself while it is open. */
export function usePopupLayer(isOpen = true): void {
  useLayoutEffect(() => (isOpen ? openLayer() : undefined), [isOpen]);
}

/** A popup layer for the content of a component from the library, which is rendered only while the popup is open. */
export function PopupLayer(): null {
  usePopupLayer();
  return null;
}

export function useModalLayer(): {
  /** The `ref` of the dialog's outermost element. */
  readonly root: RefObject<HTMLDivElement | null>;
  /** Returns false if another layer covers this dialog. A covered dialog doesn't close on Escape. */
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
  function isTop(): boolean {
    const { event } = window;
    if (event !== undefined && pressed?.event === event) return pressed.top === own.current;
    // A click outside of a popup closes the popup itself, so it doesn't prevent a click on the dialog's close button.
    return layers.findLast(isModal) === own.current && (closing === undefined || event !== closing);
  }
  return { root, isTop };
}

function updateInert(): void {
  const modals = layers.filter(isModal);
  const page = document.getElementById('root');
  if (page !== null) page.inert = modals.length > 0;
  for (const [index, { root }] of modals.entries())
    if (root?.current != null) root.current.inert = index < modals.length - 1;
}
