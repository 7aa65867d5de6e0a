/**
 * The frame of a user's details. In a wide window, the details are next to the list, which stays usable. In a narrow
 * window, the details are in a side panel over the list.
 */
import { ActionIcon } from '@mantine/core';
import { IconChevronDown, IconChevronUp, IconX } from '@tabler/icons-react';
import { type ReactNode, useCallback, useEffect, useId, useRef, useState, useSyncExternalStore } from 'react';
import { SidePanel } from '../../components/frame/side-panel.tsx';
import { isPageOnTop } from '../../components/keyboard/modal-layer.ts';
import { areKeysOn } from '../../components/keyboard/single-keys.ts';
import { UnsavedParts, useUnsaved } from '../../components/unsaved.tsx';
import classes from './beside.module.css';
import { t } from './text.ts';

export interface BesideProps {
  readonly title: string;
  /** The users before and after this user in the list. */
  readonly previous: string | undefined;
  readonly next: string | undefined;
  readonly onOpen: (id: string) => void;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

const wide = matchMedia('(min-width: 75em)');
const followWide = (onChange: () => void): (() => void) => {
  wide.addEventListener('change', onChange);
  return () => wide.removeEventListener('change', onChange);
};

export function Beside(props: BesideProps) {
  const isWide = useSyncExternalStore(followWide, () => wide.matches);
  useKeys(props, isWide ? 0 : 1);
  if (isWide) return <Column {...props} />;
  return (
    <SidePanel title={props.title} onClose={props.onClose}>
      <div className={classes.inPanel}>
        <Steps {...props} />
      </div>
      {props.children}
    </SidePanel>
  );
}

function Column(props: BesideProps) {
  const { title, onClose, children } = props;
  const [dirtyParts, setDirtyParts] = useState(0);
  const report = useCallback((more: 1 | -1) => setDirtyParts((parts) => parts + more), []);
  const { close, question } = useUnsaved(dirtyParts > 0, onClose);
  const titleId = useId();
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    // The operator may still be typing in the search field.
    if (document.activeElement?.matches(editable) !== true) heading.current?.focus({ preventScroll: true });
  }, []);
  useKey((event) => {
    if (event.key === 'Escape' && isPageOnTop(event) && isOnPage(event, 0)) close();
  });
  return (
    <section className={classes.column} aria-labelledby={titleId}>
      <div className={classes.head}>
        <h2 ref={heading} id={titleId} className={classes.title} tabIndex={-1}>
          {title}
        </h2>
        <Steps {...props} />
        <ActionIcon variant="subtle" color="gray" aria-label={t('panel.close')} onClick={close}>
          <IconX size={18} aria-hidden />
        </ActionIcon>
      </div>
      <div className={classes.body}>
        <UnsavedParts value={report}>{children}</UnsavedParts>
      </div>
      {question}
    </section>
  );
}

function Steps({ previous, next, onOpen }: BesideProps) {
  return (
    <span className={classes.steps}>
      <ActionIcon
        variant="subtle"
        color="gray"
        disabled={previous === undefined}
        aria-label={t('users.previous-user')}
        title={t('users.previous-user-key')}
        onClick={() => previous !== undefined && onOpen(previous)}
      >
        <IconChevronUp size={18} aria-hidden />
      </ActionIcon>
      <ActionIcon
        variant="subtle"
        color="gray"
        disabled={next === undefined}
        aria-label={t('users.next-user')}
        title={t('users.next-user-key')}
        onClick={() => next !== undefined && onOpen(next)}
      >
        <IconChevronDown size={18} aria-hidden />
      </ActionIcon>
    </span>
  );
}

const editable = 'input, textarea, select, [contenteditable=true]';

/**
 * Whether a key press is meant for the page, and not for a field, a menu or a dialog. `ownDialogs` is the number of
 * dialogs that contain the details.
 */
function isOnPage(event: KeyboardEvent, ownDialogs: 0 | 1): boolean {
  const target = event.target as HTMLElement;
  return (
    !(event.ctrlKey || event.metaKey || event.altKey) &&
    !target.closest?.(editable) &&
    document.querySelectorAll('[role=dialog]').length <= ownDialogs
  );
}

/** The J and K keys open the next and the previous user, as in mail programs. */
function useKeys({ previous, next, onOpen }: BesideProps, ownDialogs: 0 | 1): void {
  useKey((event) => {
    const id = event.key === 'j' ? next : event.key === 'k' ? previous : undefined;
    if (id === undefined || !isOnPage(event, ownDialogs) || !areKeysOn()) return;
    event.preventDefault();
    onOpen(id);
  });
}

function useKey(onKey: (event: KeyboardEvent) => void): void {
  const handle = useRef(onKey);
  handle.current = onKey;
  useEffect(() => {
    const listener = (event: KeyboardEvent): void => handle.current(event);
    document.addEventListener('keydown', listener);
    return () => document.removeEventListener('keydown', listener);
  }, []);
}
