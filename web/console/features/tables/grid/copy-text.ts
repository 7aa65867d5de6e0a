/** Copies text that may need to be fetched first. */
import { fetchWholeRows } from '../../../api/queries.ts';
import { fetchConsole } from '../../../api/session.ts';
import type { Relation } from '../../../api/types.ts';
import { messageOf } from '../../../components/problem-box.tsx';
import { valueIn } from '../cells.ts';
import { t } from '../rows-text.ts';
import type { ClipboardTarget } from './clipboard-events.ts';
import type { Cells } from './row-text.ts';

/** Writes the text to the clipboard and reports the result in the footer. */
export function copyText(text: Promise<string>, done: string, onNote: (note: string) => void): void {
  // Browsers allow access to the clipboard only on HTTPS pages and on localhost.
  if (navigator.clipboard === undefined) {
    onNote(t('menu.no-clipboard'));
    return;
  }
  // The text is passed as a promise, because a page can write to the clipboard only while the page handles the key
  // press or click, and the text may arrive later.
  const blob = text.then((each) => new Blob([each], { type: 'text/plain' }));
  void navigator.clipboard.write([new ClipboardItem({ 'text/plain': blob })]).then(
    () => onNote(done),
    async (error: unknown) => onNote(messageOf((await reasonOf(text)) ?? error)),
  );
}

/** Returns why the text couldn't be fetched, because the browser's error doesn't contain the reason. */
const reasonOf = (text: Promise<string>): Promise<unknown> =>
  text.then(
    () => undefined,
    (reason: unknown) => reason,
  );

/** Returns the complete cells of rows, in the order of the table's columns. Truncated cells are fetched. */
export function wholeRows(
  { relation, view, rows }: Pick<ClipboardTarget, 'relation' | 'view' | 'rows'>,
  indexes: readonly number[],
): Promise<readonly Cells[]> {
  const name = { schema: relation.schema, table: relation.name };
  return Promise.all(
    indexes.map(async (index): Promise<Cells> => {
      const row = rows.row(index);
      if (row !== undefined && row.cut.length === 0) return row.cells;
      if (row?.key === undefined) return (await fetchWholeRows(name, view, index, 1))[0] ?? [];
      return wholeRow(relation, row.key, view.as);
    }),
  );
}

async function wholeRow(relation: Relation, key: Readonly<Record<string, string>>, as: string | undefined) {
  const { row } = await fetchConsole('GET /tables/:schema/:table/row', {
    params: { schema: relation.schema, table: relation.name },
    query: { key: JSON.stringify(key), as },
  });
  return relation.columns.map(({ name }) => valueIn(row, name));
}
