/** Edits of single cells: shown at once, then what the server made of them; a refused one goes back and says why. */
import { useCallback, useRef, useState } from 'react';
import { rowsPath, type TableName } from '../../api/queries.ts';
import { callConsole } from '../../api/session.ts';
import type { Cell, CellChange, Relation, RowKey, RowValues } from '../../api/types.ts';
import { keyText, sameChange } from './cells.ts';

export interface CellEdit {
  readonly key: RowKey;
  readonly column: string;
  readonly index: number;
  readonly change: CellChange;
  readonly seen: Cell;
}

export interface Failure {
  readonly edit: CellEdit;
  readonly error: unknown;
}

interface Undo {
  readonly key: RowKey;
  readonly column: string;
  readonly index: number;
  readonly before: Cell;
  readonly after: Cell;
}

export interface Edits {
  /** What is shown instead of the stored value while it is being saved. */
  pending(key: RowKey, column: string): CellChange | undefined;
  save(edit: CellEdit): Promise<void>;
  readonly failure: Failure | undefined;
  dismiss(): void;
  /** The column of the edit that Undo would take back. */
  readonly undoable: string | undefined;
  undo(): Promise<void>;
}

const cellId = (key: RowKey, column: string): string => `${keyText(key)} ${column}`;
const undoSteps = 50;

export function useEdits(
  name: TableName,
  relation: Relation | undefined,
  replace: (index: number, relation: Relation, values: RowValues) => void,
): Edits {
  const [pending, setPending] = useState<ReadonlyMap<string, CellChange>>(new Map());
  const [failure, setFailure] = useState<Failure>();
  const [undos, setUndos] = useState<readonly Undo[]>([]);
  const latestReplace = useRef(replace);
  latestReplace.current = replace;

  const send = useCallback(
    async (edit: CellEdit): Promise<RowValues | undefined> => {
      if (relation === undefined) return undefined;
      const id = cellId(edit.key, edit.column);
      setFailure(undefined);
      setPending((all) => new Map(all).set(id, edit.change));
      try {
        const { row } = await callConsole<{ row: RowValues }>(rowsPath(name), {
          method: 'PATCH',
          body: {
            key: edit.key,
            changes: { [edit.column]: edit.change },
            seen: { [edit.column]: edit.seen },
          },
        });
        latestReplace.current(edit.index, relation, row);
        return row;
      } catch (error) {
        setFailure({ edit, error });
        return undefined;
      } finally {
        setPending((all) => {
          const rest = new Map(all);
          rest.delete(id);
          return rest;
        });
      }
    },
    [name, relation],
  );

  const keyAfter = (key: RowKey, row: RowValues): RowKey =>
    Object.fromEntries(Object.keys(key).map((column) => [column, row[column] ?? '']));

  return {
    pending: (key, column) => pending.get(cellId(key, column)),
    async save(edit) {
      if (sameChange(edit.change, edit.seen)) return;
      const row = await send(edit);
      if (row === undefined) return;
      const done: Undo = {
        key: keyAfter(edit.key, row),
        column: edit.column,
        index: edit.index,
        before: edit.seen,
        after: row[edit.column] ?? null,
      };
      setUndos((all) => [...all.slice(1 - undoSteps), done]);
    },
    failure,
    dismiss: () => setFailure(undefined),
    undoable: undos.at(-1)?.column,
    async undo() {
      const last = undos.at(-1);
      if (last === undefined) return;
      setUndos((all) => all.slice(0, -1));
      await send({
        key: last.key,
        column: last.column,
        index: last.index,
        change: { value: last.before },
        seen: last.after,
      });
    },
  };
}
