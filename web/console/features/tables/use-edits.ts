/**
 * Edits of cells: shown at once, then what the server made of them; refused ones go back and say why. Saves go one after
 * the other, since a later one may be about what an earlier one makes.
 */
import { useMemo, useRef, useState } from 'react';
import { ApiError } from '../../../lib/api.ts';
import type { TableName } from '../../api/queries.ts';
import { fetchConsole } from '../../api/session.ts';
import type { CellChange, RowKey } from '../../api/types.ts';
import { keyText, sameChange } from './cells.ts';
import { byRow, type CellEdit, caughtUp, type Made, stepBack } from './edit-steps.ts';

export interface Failure {
  /** The edit that was refused. */
  readonly edit: CellEdit;
  /** All that went with it, and were not saved either. */
  readonly edits: readonly CellEdit[];
  readonly error: unknown;
}

export interface Saved {
  readonly cells: number;
  readonly column: string;
}

export interface Edits {
  /** What is shown instead of the stored values of a row while they are being saved, by column. */
  pending(key: RowKey): ReadonlyMap<string, CellChange> | undefined;
  /** How many saves have come back: an edit that begins now knows of them ({@link CellEdit.since}). */
  count(): number;
  /** All or none of them. */
  save(edits: readonly CellEdit[]): Promise<void>;
  readonly failure: Failure | undefined;
  dismiss(): void;
  /** What Undo would take back. */
  readonly undoable: Saved | undefined;
  undo(): Promise<void>;
}

const undoSteps = 50;
/** More of them do not come back while somebody types into one cell. */
const savesKept = 50;
const nothing: Made = new Map();

const changing = (edits: readonly CellEdit[]): readonly CellEdit[] =>
  edits.filter(({ change, seen }) => seen === undefined || !sameChange(change, seen));

export function useEdits(
  name: TableName,
  as: string | undefined,
  /** Puts the server's truth in the place of what was edited. */
  replace: (made: Made) => void,
): Edits {
  /** Of every save that is on its way or waits, what it changes. */
  const [waiting, setWaiting] = useState<readonly (readonly CellEdit[])[]>([]);
  const [failure, setFailure] = useState<Failure>();
  /** What each Undo takes back. */
  const [steps, setSteps] = useState<readonly (readonly CellEdit[])[]>([]);
  const latestReplace = useRef(replace);
  latestReplace.current = replace;
  const queue = useRef<Promise<unknown>>(Promise.resolve());
  const saves = useRef<Made[]>([]);

  /** Returns the step back; undefined where the edits were refused. */
  async function send(asked: readonly CellEdit[]): Promise<readonly CellEdit[] | undefined> {
    const edits = changing(asked.map((edit) => caughtUp(edit, saves.current)));
    if (edits.length === 0) return undefined;
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
      if (saves.current.length > savesKept) saves.current[saves.current.length - 1 - savesKept] = nothing;
      latestReplace.current(made);
      // A row without a key of its own has another name now, for the steps before as well.
      setSteps((all) =>
        all.map((step) =>
          step.map((edit) => ({ ...edit, key: made.get(keyText(edit.key))?.key ?? edit.key })),
        ),
      );
      return stepBack(edits, made);
    } catch (error) {
      const at = error instanceof ApiError && typeof error.body.index === 'number' ? error.body.index : 0;
      const row = rows[at] && keyText(rows[at].key);
      const edit = edits.find(({ key }) => keyText(key) === row) ?? edits[0];
      if (edit !== undefined) setFailure({ edit, edits, error });
      return undefined;
    }
  }

  function enqueue(edits: readonly CellEdit[]): Promise<readonly CellEdit[] | undefined> {
    const since = saves.current.length;
    const asked = edits.map((edit) => ({ ...edit, since: edit.since ?? since }));
    setFailure(undefined);
    setWaiting((all) => [...all, asked]);
    const sent = queue.current
      .then(() => send(asked))
      .finally(() => {
        setWaiting((all) => all.filter((each) => each !== asked));
      });
    queue.current = sent;
    return sent;
  }

  const pending = useMemo(() => {
    const rows = new Map<string, Map<string, CellChange>>();
    for (const edit of waiting.flat()) {
      const { key, column, change } = caughtUp(edit, saves.current);
      rows.set(keyText(key), (rows.get(keyText(key)) ?? new Map()).set(column, change));
    }
    return rows;
  }, [waiting]);
  const last = steps.at(-1);
  return {
    pending: (key) => pending.get(keyText(key)),
    count: () => saves.current.length,
    async save(edits) {
      // Back to what was seen is a change while another one is on its way.
      const asked = waiting.length > 0 ? edits : changing(edits);
      if (asked.length === 0) return;
      const step = await enqueue(asked);
      if (step !== undefined) setSteps((all) => [...all.slice(1 - undoSteps), step]);
    },
    failure,
    dismiss: () => setFailure(undefined),
    undoable: last && { cells: last.length, column: last[0]?.column ?? '' },
    async undo() {
      if (last === undefined) return;
      setSteps((all) => all.slice(0, -1));
      await enqueue(last);
    },
  };
}
