/**
 * Edits a cell in a box below the cell, for values that need more room than the cell has. Enter saves, Escape cancels,
 * and Tab moves through the box and then to the next cell.
 */
import { Button } from '@mantine/core';
import { type KeyboardEvent, useEffect, useId, useLayoutEffect, useRef, useState } from 'react';
import { createPortal } from 'react-dom';
import type { TableName } from '../../../../api/queries.ts';
import type { Cell, CellChange, Column } from '../../../../api/types.ts';
import { usePopupLayer } from '../../../../components/keyboard/modal-layer.ts';
import { insertTyped } from '../../../../components/keyboard/typed-ahead.ts';
import { checkDraft } from '../../fields/check.ts';
import { RowField } from '../../row/row-field.tsx';
import { t } from '../../rows-text.ts';
import type { After } from './cell-editor.tsx';
import classes from './cell-popup.module.css';
import { popupPlace } from './popup-place.ts';

export interface CellPopupProps {
  readonly column: Column;
  readonly table: TableName;
  readonly as: string | undefined;
  readonly value: Cell;
  /** Text that was typed while the cell had focus. The typed text replaces the cell's value. */
  readonly typed: string | undefined;
  readonly onSave: (change: CellChange, after: After) => void;
  readonly onCancel: (keepFocus: boolean) => void;
}

export default function CellPopup({ column, table, as, value, typed, onSave, onCancel }: CellPopupProps) {
  usePopupLayer();
  const id = useId();
  const anchor = useRef<HTMLSpanElement>(null);
  const box = useRef<HTMLDivElement>(null);
  const [change, setChange] = useState<CellChange>({ value: typed ?? value });
  const [isTouched, setTouched] = useState(typed !== undefined);
  const [isShown, setShown] = useState(false);
  const problem = isTouched ? checkDraft(column, change) : undefined;

  useLayoutEffect(() => {
    const cell = anchor.current?.closest('[role=gridcell]');
    if (cell === null || cell === undefined) return;
    const place = (): void => {
      if (box.current !== null) Object.assign(box.current.style, popupPlace(cell.getBoundingClientRect()));
    };
    place();
    window.addEventListener('resize', place);
    document.addEventListener('scroll', place, { capture: true, passive: true });
    return () => {
      window.removeEventListener('resize', place);
      document.removeEventListener('scroll', place, { capture: true });
    };
  }, []);
  // The text is selected, so typing replaces the text, as it does in a cell.
  useEffect(() => {
    const field = document.activeElement;
    if (typed === undefined && field instanceof HTMLInputElement && box.current?.contains(field) === true)
      field.select();
    insertTyped();
  }, [typed]);

  /** Saves the value, or closes the box if nothing was changed. Returns false if the value is invalid. */
  function finish(after: After, closes: () => void): boolean {
    if (problem !== undefined) {
      setShown(true);
      return false;
    }
    if (isTouched) onSave(change, after);
    else closes();
    return true;
  }

  const latest = useRef(finish);
  latest.current = finish;
  useEffect(() => {
    const onPointerDown = (event: PointerEvent): void => {
      if (box.current === null || event.composedPath().includes(box.current)) return;
      if (latest.current('stay', () => onCancel(false))) return;
      // The focus stays in the box until the value is corrected.
      event.preventDefault();
      event.stopPropagation();
    };
    document.addEventListener('pointerdown', onPointerDown, { capture: true });
    return () => document.removeEventListener('pointerdown', onPointerDown, { capture: true });
  }, [onCancel]);

  function onKeyDown(event: KeyboardEvent): void {
    // The grid must not handle key presses while a cell is edited.
    event.stopPropagation();
    if (event.nativeEvent.isComposing || event.defaultPrevented) return;
    const { target } = event;
    const isCommand = event.ctrlKey || event.metaKey;
    if (event.key === 'Escape') {
      event.preventDefault();
      onCancel(true);
    } else if (event.key === 'Enter' && (isCommand || target instanceof HTMLInputElement)) {
      event.preventDefault();
      finish('down', () => onCancel(true));
    } else if (event.key === 'Tab') leave(event);
  }

  /** At either end of the box, Tab saves and moves to the next cell. */
  function leave(event: KeyboardEvent): void {
    const stops = [
      ...(box.current?.querySelectorAll<HTMLElement>(
        'input:not(:disabled), textarea, select, button:not(:disabled), [tabindex="0"]',
      ) ?? []),
    ];
    const end = event.shiftKey ? stops[0] : stops.at(-1);
    if (document.activeElement !== end) return;
    event.preventDefault();
    const after = event.shiftKey ? 'left' : 'right';
    finish(after, () => onSave({ value }, after));
  }

  return (
    <span ref={anchor} className={classes.anchor}>
      {createPortal(
        <div
          ref={box}
          role="dialog"
          aria-label={t('editor.label', { column: column.name })}
          className={classes.box}
          onKeyDown={onKeyDown}
          onPointerDown={(event) => event.stopPropagation()}
          onDoubleClick={(event) => event.stopPropagation()}
        >
          <RowField
            id={id}
            column={column}
            table={table}
            as={as}
            draft={change}
            isChanged={false}
            isNew={false}
            readOnly={false}
            autoFocus
            startsOpen
            problem={isShown ? problem : undefined}
            onChange={(next) => {
              setTouched(true);
              setChange(next);
            }}
            onReset={() => setChange({ value })}
          />
          <div className={classes.foot}>
            <Button size="compact-sm" variant="default" onClick={() => onCancel(true)}>
              {t('confirm.cancel')}
            </Button>
            <Button size="compact-sm" onClick={() => finish('stay', () => onCancel(true))}>
              {t('row.save')}
            </Button>
          </div>
        </div>,
        document.body,
      )}
    </span>
  );
}
