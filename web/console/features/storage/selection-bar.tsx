/**
 * The actions on the selected files and folders. The bar is below the list because rows must not move when it appears.
 */
import { Button } from '@mantine/core';
import { IconArrowsMove, IconTrash } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { fetchConsole } from '../../api/session.ts';
import { ProblemBox } from '../../components/problem-box.tsx';
import classes from './folder-view.module.css';
import { t } from './text.ts';

export function SelectionBar({
  bucket,
  prefix,
  selected,
  canSelectMore,
  onSelect,
  onMove,
  onDelete,
}: {
  bucket: string;
  prefix: string;
  selected: ReadonlySet<string>;
  /** Whether all loaded entries are selected and the folder contains more. */
  canSelectMore: boolean;
  onSelect: (names: ReadonlySet<string>) => void;
  onMove: () => void;
  onDelete: () => void;
}) {
  const all = useMutation({
    mutationFn: () => fetchAllNames(bucket, prefix),
    onSuccess: (names) => onSelect(new Set(names)),
  });
  return (
    <section className={classes.selection} aria-label={t('files.selection')}>
      <strong role="status">{t('files.selected', { count: selected.size })}</strong>
      {canSelectMore && selected.size < maxSelected ? (
        <Button size="compact-sm" variant="subtle" loading={all.isPending} onClick={() => all.mutate()}>
          {t('files.select-all')}
        </Button>
      ) : null}
      {all.error === null ? null : <ProblemBox error={all.error} />}
      <span className={classes.selectionEnd}>
        <Button
          size="compact-sm"
          variant="default"
          leftSection={<IconArrowsMove size={15} aria-hidden />}
          onClick={onMove}
        >
          {t(selected.size === 1 ? 'file.move' : 'files.move')}
        </Button>
        <Button
          size="compact-sm"
          variant="light"
          color="red"
          leftSection={<IconTrash size={15} aria-hidden />}
          onClick={onDelete}
        >
          {t('files.delete-selected', { count: selected.size })}
        </Button>
        <Button size="compact-sm" variant="default" onClick={() => onSelect(new Set())}>
          {t('files.clear-selection')}
        </Button>
      </span>
    </section>
  );
}

/**
 * The maximum number of selected entries. With more entries, the selection and all later actions would take too long.
 */
const maxSelected = 10_000;

/** Returns the names of at most {@link maxSelected} entries, including entries on pages that haven't been loaded. */
async function fetchAllNames(bucket: string, prefix: string): Promise<string[]> {
  const names: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await fetchConsole('GET /storage/buckets/:bucket/objects', {
      params: { bucket },
      query: { prefix, cursor },
    });
    names.push(...[...page.folders, ...page.objects].map(({ name }) => name));
    cursor = page.hasNext ? page.nextCursor : undefined;
  } while (cursor !== undefined && names.length < maxSelected);
  return names.slice(0, maxSelected);
}
