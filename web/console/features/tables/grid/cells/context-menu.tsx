/**
 * A menu at a point on the page, as described in the ARIA Authoring Practices Guide. Arrow and letter keys move the
 * focus, and Escape closes the menu.
 */
import { type KeyboardEvent, useLayoutEffect, useRef } from 'react';
import { createPortal } from 'react-dom';
import { usePopupLayer } from '../../../../components/keyboard/modal-layer.ts';
import classes from './context-menu.module.css';

export interface MenuItem {
  readonly label: string;
  /** The key that has the same effect as the item while the grid has focus. */
  readonly shortcut?: string;
  readonly isDanger?: boolean;
  readonly onChoose: () => void;
}

export interface MenuPlace {
  readonly x: number;
  readonly y: number;
  /** The keys that were pressed before the menu appeared. These key presses apply to the menu. */
  readonly pressed: string[];
}

const margin = 8;
const closingKeys = ['Escape', 'Tab'];

export function ContextMenu({
  label,
  place,
  sections,
  onClose,
}: {
  label: string;
  place: MenuPlace;
  /** Groups of items, which are separated by lines. Empty groups are omitted. */
  sections: readonly (readonly MenuItem[])[];
  onClose: () => void;
}) {
  const menu = useRef<HTMLDivElement>(null);
  const close = useRef(onClose);
  usePopupLayer();
  close.current = onClose;

  useLayoutEffect(() => {
    const element = menu.current;
    if (element === null) return;
    const { width, height } = element.getBoundingClientRect();
    element.style.left = `${Math.max(margin, Math.min(place.x, window.innerWidth - width - margin))}px`;
    element.style.top = `${Math.max(margin, Math.min(place.y, window.innerHeight - height - margin))}px`;
    element.querySelector<HTMLElement>('[role=menuitem]')?.focus();
    for (const key of place.pressed.splice(0)) {
      if (closingKeys.includes(key)) return close.current();
      if (key === 'Enter' || key === ' ') return (document.activeElement as HTMLElement).click();
      moveFocus(element, key);
    }
  }, [place]);

  function onKeyDown(event: KeyboardEvent<HTMLElement>): void {
    // The grid must not handle key presses while its menu is open.
    event.stopPropagation();
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (closingKeys.includes(event.key)) onClose();
    else if (!moveFocus(event.currentTarget, event.key)) return;
    event.preventDefault();
  }

  return createPortal(
    <div
      ref={menu}
      role="menu"
      tabIndex={-1}
      aria-label={label}
      className={classes.menu}
      onKeyDown={onKeyDown}
      onPointerDown={(event) => event.stopPropagation()}
      onContextMenu={(event) => {
        event.preventDefault();
        event.stopPropagation();
      }}
    >
      {sections
        .filter((section) => section.length > 0)
        .map((section) => (
          // biome-ignore lint/a11y/useSemanticElements: a fieldset isn't allowed in a menu
          <div key={section[0]?.label} role="group" className={classes.section}>
            {section.map(({ label: name, shortcut, isDanger = false, onChoose }) => (
              <button
                key={name}
                type="button"
                role="menuitem"
                tabIndex={-1}
                className={classes.item}
                data-danger={isDanger || undefined}
                onClick={() => {
                  onClose();
                  onChoose();
                }}
              >
                <span>{name}</span>
                {shortcut === undefined ? null : (
                  <kbd className={classes.shortcut} aria-hidden>
                    {shortcut}
                  </kbd>
                )}
              </button>
            ))}
          </div>
        ))}
    </div>,
    // The menu is inside a landmark, like all content of a page.
    document.querySelector('main') ?? document.body,
  );
}

/** Moves the focus to the item that the key selects. Returns false if the key selects no item. */
function moveFocus(menu: HTMLElement, key: string): boolean {
  const all = [...menu.querySelectorAll<HTMLElement>('[role=menuitem]')];
  const at = all.indexOf(document.activeElement as HTMLElement);
  const targets: Readonly<Record<string, number>> = {
    ArrowDown: (at + 1) % all.length,
    ArrowUp: (at - 1 + all.length) % all.length,
    Home: 0,
    End: all.length - 1,
  };
  const target = targets[key] ?? (key.length === 1 && key !== ' ' ? byLetter(all, at, key) : undefined);
  if (target === undefined) return false;
  all[target]?.focus();
  return true;
}

/** Returns the next item that begins with the letter. */
function byLetter(items: readonly HTMLElement[], at: number, key: string): number | undefined {
  const letter = key.toLowerCase();
  for (let step = 1; step <= items.length; step++) {
    const index = (at + step) % items.length;
    if (items[index]?.textContent?.toLowerCase().startsWith(letter) === true) return index;
  }
  return undefined;
}
