/** Handles the grid's copy and paste events. */
import type { ClipboardEvent } from 'react';
import type { RowView } from '../../../api/queries.ts';
import type { Relation } from '../../../api/types.ts';
import { messageOf } from '../../../components/problem-box.tsx';
import type { Edits } from '../edits/use-edits.ts';
import type { Rows } from '../rows/use-rows.ts';
import { t } from '../text.ts';
import { fetchedText, loadedText, maxPastedRows, pasteEdits, pasteHeight } from './clipboard.ts';
import type { GridColumn } from './columns.ts';
import { type CellRange, cellsIn } from './range.ts';

export interface ClipboardTarget {
  readonly relation: Relation;
  readonly columns: readonly GridColumn[];
  readonly view: RowView;
  readonly rows: Rows;
  readonly edits: Edits;
  /** Shows a message about the copied or pasted cells. */
  readonly onNote: (note: string) => void;
}

export function copyRange(event: ClipboardEvent, range: CellRange, target: ClipboardTarget): void {
  event.preventDefault();
  const { relation, view, rows, columns, onNote } = target;
  const text = loadedText(rows, columns, range);
  const done = (): void => onNote(t('grid.copied', { count: cellsIn(range) }));
  if (text !== undefined) {
    event.clipboardData.setData('text/plain', text);
    done();
    return;
  }
  onNote(t('grid.copying'));
  const name = { schema: relation.schema, table: relation.name };
  // The text is passed as a promise, because a page can write to the clipboard only while the page handles the key
  // press, and the text arrives later.
  const whole = fetchedText(name, view, columns, range).then(
    (tsv) => new Blob([tsv], { type: 'text/plain' }),
  );
  void navigator.clipboard
    .write([new ClipboardItem({ 'text/plain': whole })])
    .then(done, (error: unknown) => onNote(String(error)));
}

export function pasteRange(event: ClipboardEvent, range: CellRange, target: ClipboardTarget): void {
  event.preventDefault();
  pasteText(event.clipboardData.getData('text/plain'), range, target);
}

export function pasteText(text: string, range: CellRange, target: ClipboardTarget): void {
  // The clipboard contains something other than text, such as an image or a file.
  if (text === '') target.onNote(t('grid.paste-none'));
  else void paste(text, range, target).catch((error: unknown) => target.onNote(messageOf(error)));
}

async function paste(text: string, range: CellRange, target: ClipboardTarget): Promise<void> {
  const { columns, rows, edits, onNote } = target;
  const height = pasteHeight(range, text);
  if (height > maxPastedRows) return onNote(t('grid.paste-most', { most: maxPastedRows }));
  const last = range.firstRow + height - 1;
  if (rows.row(last) === undefined) {
    onNote(t('grid.pasting'));
    await rows.load(range.firstRow, last);
  }
  const { edits: pasted, left } = pasteEdits(rows, columns, range, text);
  void edits.save(pasted);
  const note = t('grid.pasted', { count: pasted.length });
  onNote(left === 0 ? note : `${note} · ${t('grid.paste-over', { count: left })}`);
}
