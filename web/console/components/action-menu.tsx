/**
 * A button that opens a menu, as described in the ARIA Authoring Practices Guide. The first item receives focus, arrow
 * and letter keys move the focus, and Escape returns the focus to the button.
 */
import { Button, Popover } from '@mantine/core';
import { IconChevronDown } from '@tabler/icons-react';
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import classes from './action-menu.module.css';
import { PopupLayer } from './keyboard/modal-layer.ts';

export interface MenuAction {
  readonly label: string;
  readonly icon: ReactNode;
  readonly isDanger?: boolean;
  readonly onChoose: () => void;
}

export function ActionMenu({
  label,
  actions,
  isBusy = false,
}: {
  label: string;
  actions: readonly MenuAction[];
  isBusy?: boolean;
}) {
  const [isOpen, setOpen] = useState(false);
  const list = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const items = (): HTMLElement[] => [
    ...(list.current?.querySelectorAll<HTMLElement>('[role=menuitem]') ?? []),
  ];
  useEffect(() => {
    if (isOpen) list.current?.querySelector<HTMLElement>('[role=menuitem]')?.focus();
  }, [isOpen]);

  function walk(event: KeyboardEvent): void {
    const all = items();
    const at = all.indexOf(document.activeElement as HTMLElement);
    const targets: Readonly<Record<string, number>> = {
      ArrowDown: (at + 1) % all.length,
      ArrowUp: (at - 1 + all.length) % all.length,
      Home: 0,
      End: all.length - 1,
    };
    const letter = event.key.length === 1 ? event.key.toLowerCase() : undefined;
    const byLetter = all.findIndex(
      (item, index) =>
        index > at && letter !== undefined && item.textContent?.toLowerCase().startsWith(letter),
    );
    const target = targets[event.key] ?? (byLetter === -1 ? undefined : byLetter);
    if (target !== undefined) {
      event.preventDefault();
      all[target]?.focus();
    } else if (event.key === 'Escape') {
      // Prevents the surrounding panel from closing.
      event.stopPropagation();
      close();
    } else if (event.key === 'Tab') setOpen(false);
  }

  function close(): void {
    setOpen(false);
    button.current?.focus();
  }

  return (
    <Popover
      opened={isOpen}
      onChange={setOpen}
      position="bottom-end"
      withinPortal={false}
      withRoles={false}
      closeOnEscape={false}
      transitionProps={{ duration: 0 }}
      shadow="md"
    >
      <Popover.Target>
        <Button
          ref={button}
          size="compact-sm"
          variant="default"
          loading={isBusy}
          aria-haspopup="menu"
          aria-expanded={isOpen}
          rightSection={<IconChevronDown size={14} aria-hidden />}
          onClick={() => setOpen(!isOpen)}
        >
          {label}
        </Button>
      </Popover.Target>
      <Popover.Dropdown className={classes.dropdown}>
        <PopupLayer />
        <div ref={list} role="menu" tabIndex={-1} aria-label={label} onKeyDown={walk}>
          {actions.map(({ label: name, icon, isDanger = false, onChoose }) => (
            <button
              key={name}
              type="button"
              role="menuitem"
              tabIndex={-1}
              className={classes.item}
              data-danger={isDanger || undefined}
              onClick={() => {
                close();
                onChoose();
              }}
            >
              {icon}
              {name}
            </button>
          ))}
        </div>
      </Popover.Dropdown>
    </Popover>
  );
}
