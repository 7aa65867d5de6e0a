/** Edits of cells: shown at once, then what the server made of them; refused ones go back and say why. */
import { useRef, useState } from 'react';
import { ApiError } from '../../../lib/api.ts';
import { rowsPath, type TableName } from '../../api/queries.ts';
import { callConsole } from '../../api/session.ts';
import type { Cell, CellChange, EditedRow, RowKey, RowValues } from '../../api/types.ts';
import { keyText, sameChange } from './cells.ts';

export interface CellEdit {
  readonly key: RowKey;
  readonly column: string;
  /** Of the row in the grid. */
  readonly index: number;
  readonly change: CellChange;
  /** What the operator saw there; undefined: the cell was cut, or not looked at. */
  readonly seen: Cell | undefined;
}

export interface Failure {
  /** The edit that was refused. */
  readonly edit: CellEdit;
  /** All that went with it, and were not saved either. */
  readonly edits: readonly CellEdit[];
  readonly error: unknown;
}

/** What one Undo takes back. */
interface Step {
  readonly edits: readonly CellEdit[];
}

export interface Saved {
  readonly cells: number;
  readonly column: string;
}

export interface Edits {
  /** What is shown instead of the stored values of a row while they are being saved, by column. */
  pending(key: RowKey): ReadonlyMap<string, CellChange> | undefined;
  /** All or none of them. */
  save(edits: readonly CellEdit[]): Promise<void>;
  readonly failure: Failure | undefined;
  dismiss(): void;
  /** What Undo would take back. */
  readonly undoable: Saved | undefined;
  undo(): Promise<void>;
}

const undoSteps = 50;

export function useEdits(
  name: TableName,
  as: string | undefined,
  replace: (index: number, values: RowValues, key: RowKey) => void,
): Edits {
  const [pending, setPending] = useState<ReadonlyMap<string, ReadonlyMap<string, CellChange>>>(new Map());
  const [failure, setFailure] = useState<Failure>();
  const [steps, setSteps] = useState<readonly Step[]>([]);
  const latestReplace = useRef(replace);
  latestReplace.current = replace;

  async function send(edits: readonly CellEdit[]): Promise<Step | undefined> {
    const rows = byRow(edits);
    setFailure(undefined);
    setPending((all) => new Map([...all, ...rows.map((row) => [keyText(row.key), row.changes] as const)]));
    try {
      const { rows: edited } = await callConsole<{ rows: readonly EditedRow[] }>(rowsPath(name, as), {
        method: 'PATCH',
        body: {
          edits: rows.map(({ key, changes, seen }) => ({
            key,
            changes: Object.fromEntries(changes),
            seen: Object.fromEntries(seen),
          })),
        },
      });
      for (const [at, { index }] of rows.entries()) {
        const done = edited[at];
        if (done !== undefined && index >= 0) latestReplace.current(index, done.row, done.key);
      }
      const renamed = new Map(rows.map(({ key }, at) => [keyText(key), edited[at]?.key ?? key] as const));
      // A row without a key of its own has another name now, for the steps before as well.
      setSteps((all) =>
        all.map((step) => ({
          edits: step.edits.map((edit) => ({ ...edit, key: renamed.get(keyText(edit.key)) ?? edit.key })),
        })),
      );
      return stepBack(rows, edited);
    } catch (error) {
      const at = error instanceof ApiError && typeof error.body.index === 'number' ? error.body.index : 0;
      const [column] = [...(rows[at]?.changes.keys() ?? [])];
      const edit = edits.find((each) => each.key === rows[at]?.key && each.column === column) ?? edits[0];
      if (edit !== undefined) setFailure({ edit, edits, error });
      return undefined;
    } finally {
      setPending((all) => {
        const rest = new Map(all);
        for (const { key } of rows) rest.delete(keyText(key));
        return rest;
      });
    }
  }

  const last = steps.at(-1);
  return {
    pending: (key) => pending.get(keyText(key)),
    async save(edits) {
      const changing = edits.filter(({ change, seen }) => seen === undefined || !sameChange(change, seen));
      if (changing.length === 0) return;
      const step = await send(changing);
      if (step !== undefined) setSteps((all) => [...all.slice(1 - undoSteps), step]);
    },
    failure,
    dismiss: () => setFailure(undefined),
    undoable: last && { cells: last.edits.length, column: last.edits[0]?.column ?? '' },
    async undo() {
      if (last === undefined) return;
      setSteps((all) => all.slice(0, -1));
      await send(last.edits);
    },
  };
}

interface RowOfEdits {
  readonly key: RowKey;
  readonly index: number;
  readonly changes: Map<string, CellChange>;
  readonly seen: Map<string, Cell>;
}

function byRow(edits: readonly CellEdit[]): RowOfEdits[] {
  const rows = new Map<string, RowOfEdits>();
  for (const { key, column, index, change, seen } of edits) {
    const row = rows.get(keyText(key)) ?? { key, index, changes: new Map(), seen: new Map() };
    row.changes.set(column, change);
    if (seen !== undefined) row.seen.set(column, seen);
    rows.set(keyText(key), row);
  }
  return [...rows.values()];
}

/** The edits that bring back what was there. */
function stepBack(rows: readonly RowOfEdits[], edited: readonly EditedRow[]): Step {
  return {
    edits: rows.flatMap(({ index, changes }, at) => {
      const done = edited[at];
      if (done === undefined) return [];
      return [...changes.keys()].map((column) => ({
        key: done.key,
        column,
        index,
        change: { value: done.before[column] ?? null },
        seen: done.row[column] ?? null,
      }));
    }),
  };
}
