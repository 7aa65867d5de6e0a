/**
 * The frame of a user's details. In a wide window, the details are beside the list, which stays usable. In other
 * windows, they are in a panel above the list.
 */
import { ActionIcon } from '@mantine/core';
import { IconChevronDown, IconChevronUp, IconX } from '@tabler/icons-react';
import { type ReactNode, useCallback, useEffect, useId, useRef, useState, useSyncExternalStore } from 'react';
import { SidePanel } from '../../components/side-panel.tsx';
import { UnsavedParts, useUnsaved } from '../../components/unsaved.tsx';
import classes from './beside.module.css';
import { t } from './text.ts';

export interface BesideProps {
  readonly title: string;
  /** The users before and after this one in the list. */
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
  useKeys(props, isWide);
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
  return (
    <section className={classes.column} aria-labelledby={titleId}>
      <div className={classes.head}>
        <h2 id={titleId} className={classes.title}>
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

/** J and K move through the list, as in mail programs. Escape closes the column, because it isn't a dialog. */
function useKeys({ previous, next, onOpen, onClose }: BesideProps, isWide: boolean): void {
  const handle = useRef<(event: KeyboardEvent) => void>(() => undefined);
  handle.current = (event) => {
    const target = event.target as HTMLElement;
    if (event.ctrlKey || event.metaKey || event.altKey || target.closest?.(editable)) return;
    if (document.querySelectorAll('[role=dialog]').length > (isWide ? 0 : 1)) return;
    const id = event.key === 'j' ? next : event.key === 'k' ? previous : undefined;
    if (id !== undefined) {
      event.preventDefault();
      onOpen(id);
    } else if (event.key === 'Escape' && isWide) onClose();
  };
  useEffect(() => {
    const listener = (event: KeyboardEvent): void => handle.current(event);
    document.addEventListener('keydown', listener);
    return () => document.removeEventListener('keydown', listener);
  }, []);
}
