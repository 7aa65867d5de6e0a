/**
 * The grid's footer, which shows the number of rows, the selection with its actions, and the last action with an Undo
 * button. The actions are in the footer because rows must not move when they appear.
 */
import { Button } from '@mantine/core';
import { IconPencil, IconTrash } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { Staging } from '../edits/staged.ts';
import type { Undoable } from '../edits/use-edits.ts';
import { t } from '../text.ts';
import type { Live } from './follow-changes.ts';
import classes from './table-page.module.css';
import type { Rows } from './use-rows.ts';

export function TableFoot({
  rows,
  selected,
  isAll,
  canWrite,
  undoable,
  undone,
  staging,
  notes: { note, journaled },
  live,
  onTakeAll,
  onEdit,
  onDelete,
  onUndo,
}: {
  rows: Rows;
  selected: number;
  /** Whether all matching rows are selected, including rows that aren't loaded. */
  isAll: boolean;
  canWrite: boolean;
  undoable: Undoable | undefined;
  undone: Undoable | undefined;
  staging: Staging;
  notes: {
    /** A message about the last copy or paste. */
    readonly note: string;
    /** The entry of the undo journal with the last bulk change. */
    readonly journaled: number | undefined;
  };
  live: Live;
  onTakeAll: () => void;
  onEdit: () => void;
  onDelete: () => void;
  onUndo: () => void;
}) {
  const { total } = rows;
  const isUnknown = rows.isFirstLoad || (rows.error !== null && total.rows === 0);
  return (
    <footer className={classes.foot}>
      <span role="status">
        {isUnknown ? '' : t(total.exact ? 'rows.exact' : 'rows.about', { count: total.rows })}
        {isAll
          ? ` · ${t('rows.all-selected')}`
          : selected > 0
            ? ` · ${t('rows.selected', { count: selected })}`
            : ''}
      </span>
      {total.exact || isUnknown ? null : (
        <button
          type="button"
          className={classes.footButton}
          disabled={rows.isCounting}
          onClick={() => void rows.count()}
        >
          {t(rows.isCounting ? 'rows.counting' : 'rows.count')}
        </button>
      )}
      {selected > 0 && !isAll && canWrite && selected < total.rows ? (
        <button type="button" className={classes.footButton} onClick={onTakeAll}>
          {t('rows.select-all')}
        </button>
      ) : null}
      {selected === 0 || !canWrite ? null : (
        <>
          <Button
            size="compact-xs"
            variant="light"
            leftSection={<IconPencil size={14} aria-hidden />}
            onClick={onEdit}
          >
            {isAll ? t('bulk.open-all') : t('bulk.open', { count: selected })}
          </Button>
          <Button
            size="compact-xs"
            color="red"
            variant="light"
            leftSection={<IconTrash size={14} aria-hidden />}
            onClick={onDelete}
          >
            {isAll ? t('delete.all') : t('tables.delete-selected', { count: selected })}
          </Button>
        </>
      )}
      {rows.countError === null ? null : <span role="alert">{t('rows.count-failed')}</span>}
      <span className={classes.live} data-live={live === 'live' || undefined} title={t('rows.live-why')}>
        {live === 'live' ? t('rows.live') : live === 'off' ? '' : t('rows.live-slow', { seconds: live })}
      </span>
      <span className={classes.footEnd} role="status">
        {note || undoneText(undone) || doneText(undoable)}
      </span>
      {staging.cells === 0 ? null : (
        <>
          <span role="status">{t('rows.unsaved', { cells: staging.cells, rows: staging.rows })}</span>
          <Button size="compact-xs" loading={staging.isSaving} onClick={() => void staging.saveAll()}>
            {t('rows.save-all')}
          </Button>
          <Button
            size="compact-xs"
            variant="default"
            disabled={staging.isSaving}
            onClick={staging.discardAll}
          >
            {t('rows.discard-all')}
          </Button>
        </>
      )}
      {journaled === undefined ? null : (
        <Link to="/undo/$id" params={{ id: String(journaled) }} className={classes.footButton}>
          {t('rows.undo-change')}
        </Link>
      )}
      {undoable === undefined ? null : (
        <button type="button" className={classes.footButton} onClick={onUndo}>
          {t('rows.undo')}
        </button>
      )}
    </footer>
  );
}

function undoneText(undone: Undoable | undefined): string {
  if (undone === undefined) return '';
  if (undone.kind === 'rows') return t('rows.restored', { count: undone.rows });
  return t('rows.undone', { count: undone.cells, column: undone.column });
}

function doneText(done: Undoable | undefined): string {
  if (done === undefined) return '';
  if (done.kind === 'rows') return t('rows.deleted', { count: done.rows });
  return done.cells === 1
    ? t('rows.saved', { column: done.column })
    : t('rows.saved-many', { count: done.cells });
}
