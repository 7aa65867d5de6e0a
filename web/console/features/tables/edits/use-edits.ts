/**
 * Shows cell edits immediately and replaces them with the server's result. Rejected edits are reverted, and the reason
 * is shown. Saves run one after another, because a later save may depend on an earlier save.
 */
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { ApiError } from '../../../../lib/api.ts';
import type { TableName } from '../../../api/queries.ts';
import { fetchConsole } from '../../../api/session.ts';
import type { CellChange, DeletedRows, RowKey } from '../../../api/types.ts';
import { keyText, sameChange } from '../cells.ts';
import { byRow, type CellEdit, caughtUp, type Made, stepBack } from './edit-steps.ts';
import { changesByRow, type Staging } from './staged.ts';

export interface Failure {
  /** The edit that was rejected. */
  readonly edit: CellEdit;
  /** The edits of the rejected save. The server didn't save any of these edits. */
  readonly edits: readonly CellEdit[];
  readonly error: unknown;
  /** Whether the save was meant to undo an earlier save. */
  readonly isUndo: boolean;
}

/** The changes that the Undo button reverts: changed cells or deleted rows. */
export type Undoable =
  | { readonly kind: 'cells'; readonly cells: number; readonly column: string }
  | { readonly kind: 'rows'; readonly rows: number };

type Step =
  | { readonly kind: 'cells'; readonly edits: readonly CellEdit[] }
  | { readonly kind: 'rows'; readonly deleted: DeletedRows; readonly deletedAt: number };

export interface Edits extends SavedEdits {
  readonly staging: Staging;
}

export interface SavedEdits {
  /** Returns the values, by column, that the row's cells show while they are being saved. */
  pending(key: RowKey): ReadonlyMap<string, CellChange> | undefined;
  /**
   * Returns the number of saves that have finished. An edit that starts now takes these saves into account
   * ({@link CellEdit.since}).
   */
  count(): number;
  /** Saves all edits, or none of them if the server rejects an edit. Returns whether no edit was rejected. */
  save(edits: readonly CellEdit[]): Promise<boolean>;
  /** Saves rejected edits again. */
  retry(edits: readonly CellEdit[]): Promise<unknown>;
  /** Discards a rejected edit and the other edits of its row. */
  giveUp(edit: CellEdit): void;
  readonly failure: Failure | undefined;
  dismiss(): void;
  /** The save that the Undo button reverts. */
  readonly undoable: Undoable | undefined;
  /** The step that was reverted, until the next change. */
  readonly undone: Undoable | undefined;
  /** Reverts the last step. Returns the number of restored rows. @throws {ApiError} if the rows can't be restored */
  undo(): Promise<number>;
  /** Records deleted rows, so that they can be restored. */
  deleted(rows: DeletedRows): void;
}

const undoSteps = 50;
/** The time for which deleted rows can be restored. */
const undoMs = 5 * 60_000;
/**
 * The number of save results that are kept. An edit needs the results of the saves that finish while the user types.
 */
const maxSaves = 50;
const nothing: Made = new Map();

const changing = (edits: readonly CellEdit[]): readonly CellEdit[] =>
  edits.filter(({ change, seen }) => seen === undefined || !sameChange(change, seen));

export function useEdits(
  name: TableName,
  as: string | undefined,
  /** Replaces the edited rows with the rows that the server returned. */
  replace: (made: Made) => void,
): SavedEdits {
  /** The changes of each save that is running or waiting. */
  const [waiting, setWaiting] = useState<readonly (readonly CellEdit[])[]>([]);
  const [failure, setFailure] = useState<Failure>();
  /** The steps that the Undo button reverts, one per press. */
  const [steps, setSteps] = useState<readonly Step[]>([]);
  const [undone, setUndone] = useState<Undoable>();
  const latestSteps = useRef(steps);
  const latestReplace = useRef(replace);
  latestReplace.current = replace;
  const queue = useRef<Promise<unknown>>(Promise.resolve());
  const saves = useRef<Made[]>([]);

  const changeSteps = useCallback((change: (all: readonly Step[]) => readonly Step[]): void => {
    latestSteps.current = change(latestSteps.current);
    setSteps(latestSteps.current);
  }, []);

  function addStep(step: Step): void {
    setUndone(undefined);
    changeSteps((all) => [...all.slice(1 - undoSteps), step]);
  }

  /** Saves the edits. Returns the edits that would undo the save, or undefined if the save was rejected. */
  async function send(
    requested: readonly CellEdit[],
    isUndo: boolean,
  ): Promise<readonly CellEdit[] | undefined> {
    const edits = changing(requested.map((edit) => caughtUp(edit, saves.current)));
    if (edits.length === 0) return [];
    const rows = byRow(edits);
    try {
      const { rows: edited } = await fetchConsole('PATCH /tables/:schema/:table/rows', {
        params: { schema: name.schema, table: name.table },
        query: { as },
        body: {
          edits: rows.map(({ key, changes, seen }) => ({
            key,
            changes: Object.fromEntries(changes),
            seen: Object.fromEntries(seen),
          })),
        },
      });
      const made: Made = new Map(
        rows.flatMap(({ key }, at) => (edited[at] === undefined ? [] : [[keyText(key), edited[at]]])),
      );
      saves.current.push(made);
      if (saves.current.length > maxSaves) saves.current[saves.current.length - 1 - maxSaves] = nothing;
      latestReplace.current(made);
      // Each change gives a row without a primary key a new identifier, so earlier undo steps must use the new
      // identifier.
      changeSteps((all) =>
        all.map((step) =>
          step.kind === 'rows'
            ? step
            : {
                ...step,
                edits: step.edits.map((edit) => ({
                  ...edit,
                  key: made.get(keyText(edit.key))?.key ?? edit.key,
                })),
              },
        ),
      );
      return stepBack(edits, made);
    } catch (error) {
      const at = error instanceof ApiError && typeof error.body.index === 'number' ? error.body.index : 0;
      const row = rows[at] && keyText(rows[at].key);
      const edit = edits.find(({ key }) => keyText(key) === row) ?? edits[0];
      if (edit !== undefined) setFailure({ edit, edits, error, isUndo });
      return undefined;
    }
  }

  function enqueue(edits: readonly CellEdit[], isUndo = false): Promise<readonly CellEdit[] | undefined> {
    const since = saves.current.length;
    const requested = edits.map((edit) => ({ ...edit, since: edit.since ?? since }));
    setFailure(undefined);
    setWaiting((all) => [...all, requested]);
    const sent = queue.current
      .then(() => send(requested, isUndo))
      .finally(() => {
        setWaiting((all) => all.filter((each) => each !== requested));
      });
    queue.current = sent;
    return sent;
  }

  const pending = useMemo(
    () => changesByRow(waiting.flat().map((edit) => caughtUp(edit, saves.current))),
    [waiting],
  );
  async function save(edits: readonly CellEdit[]): Promise<boolean> {
    // Edits that don't change a value are skipped. If another save is running, the value could change, so all edits
    // are sent.
    const requested = waiting.length > 0 ? edits : changing(edits);
    if (requested.length === 0) return true;
    const saved = enqueue(requested).then((step) => {
      if (step !== undefined && step.length > 0) addStep({ kind: 'cells', edits: step });
      return step;
    });
    queue.current = saved;
    return (await saved) !== undefined;
  }

  const last = steps.at(-1);
  useExpiry(last, changeSteps);
  return {
    pending: (key) => pending.get(keyText(key)),
    count: () => saves.current.length,
    save,
    retry: save,
    giveUp: () => setFailure(undefined),
    failure,
    dismiss: () => setFailure(undefined),
    undoable: last && undoableOf(last),
    undone,
    async undo() {
      // If a save is still running, that save will be the last step.
      await queue.current;
      const step = latestSteps.current.at(-1);
      if (step === undefined) return 0;
      if (step.kind === 'cells') {
        changeSteps((all) => all.filter((each) => each !== step));
        setUndone(undefined);
        if ((await enqueue(step.edits, true)) !== undefined) setUndone(undoableOf(step));
        return 0;
      }
      const { restored } = await fetchConsole('POST /tables/:schema/:table/restore', {
        params: { schema: name.schema, table: name.table },
        query: { as },
        body: step.deleted,
      });
      changeSteps((all) => all.filter((each) => each !== step));
      setUndone({ kind: 'rows', rows: restored });
      return restored;
    },
    deleted: (rows) => addStep({ kind: 'rows', deleted: rows, deletedAt: Date.now() }),
  };
}

/** Removes deleted rows from the steps when they can no longer be restored. */
function useExpiry(
  last: Step | undefined,
  changeSteps: (change: (all: readonly Step[]) => readonly Step[]) => void,
): void {
  useEffect(() => {
    if (last?.kind !== 'rows') return;
    const timer = setTimeout(
      () => changeSteps((all) => all.filter((step) => step !== last)),
      Math.max(0, last.deletedAt + undoMs - Date.now()),
    );
    return () => clearTimeout(timer);
  }, [last, changeSteps]);
}

const undoableOf = (step: Step): Undoable =>
  step.kind === 'rows'
    ? { kind: 'rows', rows: step.deleted.rows.length }
    : { kind: 'cells', cells: step.edits.length, column: step.edits[0]?.column ?? '' };
