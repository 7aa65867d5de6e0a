/** A list with its toolbar and its empty state. */
import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useMay } from '../../api/session.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { SkeletonLines } from '../../components/frame/skeleton.tsx';
import list from '../../components/list.module.css';
import { MissingNote } from '../../components/missing-note.tsx';
import { ProblemBox } from '../../components/problem-box.tsx';
import classes from './jobs.module.css';

interface EntriesProps<T> {
  readonly entries: readonly T[] | undefined;
  readonly error: Error | null;
  /** Text that is shown next to the button. */
  readonly note?: string;
  readonly add: { readonly label: string; readonly onClick: () => void };
  /** Shown instead of an empty list. */
  readonly none: { readonly icon: ReactNode; readonly title: string; readonly text: string };
  /** Shown above the list if the URL contains the ID of an entry that doesn't exist. */
  readonly missing: { readonly title: string; readonly onBack: () => void } | undefined;
  readonly children: (entries: readonly T[]) => ReactNode;
}

export function Entries<T>({ entries, error, note, add, none, missing, children }: EntriesProps<T>) {
  const mayWrite = useMay('write');
  return (
    <>
      {mayWrite || note !== undefined ? (
        <div className={classes.bar}>
          <span className={classes.note}>{note}</span>
          {mayWrite ? (
            <Button
              size="compact-sm"
              leftSection={<IconPlus size={15} aria-hidden />}
              onClick={() => add.onClick()}
            >
              {add.label}
            </Button>
          ) : null}
        </div>
      ) : null}
      <div className={list.scroll}>
        {error === null ? null : <ProblemBox error={error} />}
        {missing === undefined ? null : (
          <div className={classes.missing}>
            <MissingNote {...missing} />
          </div>
        )}
        {entries === undefined ? (
          error === null ? (
            <SkeletonLines lines={8} />
          ) : null
        ) : entries.length === 0 ? (
          <EmptyState {...none} />
        ) : (
          children(entries)
        )}
      </div>
    </>
  );
}
