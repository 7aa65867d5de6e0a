/**
 * A menu at a point on the page, as described in the ARIA Authoring Practices Guide. Arrow and letter keys move the
 * focus, and Escape closes the menu.
 */
import { type KeyboardEvent, useEffect, useLayoutEffect, useRef } from 'react';
import { createPortal } from 'react-dom';
import classes from './context-menu.module.css';

export interface MenuItem {
  readonly label: string;
  /** The key with the same effect in the grid. */
  readonly shortcut?: string;
  readonly isDanger?: boolean;
  readonly onChoose: () => void;
}

export interface MenuPlace {
  readonly x: number;
  readonly y: number;
}

const margin = 8;

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
  /** Called when the menu closes. `isLeft` means that the focus has already moved elsewhere. */
  onClose: (isLeft: boolean) => void;
}) {
  const menu = useRef<HTMLDivElement>(null);
  const items = (): HTMLElement[] => [
    ...(menu.current?.querySelectorAll<HTMLElement>('[role=menuitem]') ?? []),
  ];

  useLayoutEffect(() => {
    const element = menu.current;
    if (element === null) return;
    const { width, height } = element.getBoundingClientRect();
    element.style.left = `${Math.max(margin, Math.min(place.x, window.innerWidth - width - margin))}px`;
    element.style.top = `${Math.max(margin, Math.min(place.y, window.innerHeight - height - margin))}px`;
    element.querySelector<HTMLElement>('[role=menuitem]')?.focus();
  }, [place]);

  const close = useRef(onClose);
  close.current = onClose;
  useEffect(() => {
    const onPointerDown = (event: PointerEvent): void => {
      if (menu.current !== null && !event.composedPath().includes(menu.current)) close.current(true);
    };
    const leave = (): void => close.current(true);
    document.addEventListener('pointerdown', onPointerDown, { capture: true });
    window.addEventListener('resize', leave);
    window.addEventListener('blur', leave);
    return () => {
      document.removeEventListener('pointerdown', onPointerDown, { capture: true });
      window.removeEventListener('resize', leave);
      window.removeEventListener('blur', leave);
    };
  }, []);

  function onKeyDown(event: KeyboardEvent): void {
    // The grid must not handle key presses while its menu is open.
    event.stopPropagation();
    const all = items();
    const at = all.indexOf(document.activeElement as HTMLElement);
    const { key } = event;
    const targets: Readonly<Record<string, number>> = {
      ArrowDown: (at + 1) % all.length,
      ArrowUp: (at - 1 + all.length) % all.length,
      Home: 0,
      End: all.length - 1,
    };
    const target = targets[key] ?? (key.length === 1 && key !== ' ' ? byLetter(all, at, key) : undefined);
    if (target !== undefined) {
      event.preventDefault();
      all[target]?.focus();
    } else if (key === 'Escape' || key === 'Tab') {
      event.preventDefault();
      onClose(false);
    }
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
                  onClose(false);
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

/** Returns the next item that begins with the letter. */
function byLetter(items: readonly HTMLElement[], at: number, key: string): number | undefined {
  const letter = key.toLowerCase();
  for (let step = 1; step <= items.length; step++) {
    const index = (at + step) % items.length;
    if (items[index]?.textContent?.toLowerCase().startsWith(letter) === true) return index;
  }
  return undefined;
}
