/**
 * Collects edits and saves them together in one transaction, if the operator has chosen so. Otherwise, each edit is
 * saved immediately.
 */
import { useEffect, useMemo, useRef, useState } from 'react';
import { keyText } from '../cells.ts';
import type { CellEdit } from './edit-steps.ts';
import { changesByRow, isSameCell, type Staging, withEdits, withoutRow, withReplaced } from './staged.ts';
import type { Edits, SavedEdits } from './use-edits.ts';

const settingKey = 'plinth-staged-edits';
const maxSteps = 50;
const none: readonly CellEdit[] = [];

export function useStagedEdits(saved: SavedEdits): Edits {
  const [isOn, setOn] = useState(isChosen);
  const [staged, setStaged] = useState(none);
  const [isSaving, setSaving] = useState(false);
  /** The collected edits before each change, so that the changes can be undone. */
  const [former, setFormer] = useState<readonly (readonly CellEdit[])[]>([]);
  // Ctrl+S in a cell's editor ends the edit and saves it in the same event, before the page is rendered again.
  const latest = useRef(staged);

  function change(next: readonly CellEdit[]): void {
    if (next === latest.current) return;
    const previous = latest.current;
    latest.current = next;
    setStaged(next);
    setFormer((all) => [...all.slice(1 - maxSteps), previous]);
  }

  async function saveAll(): Promise<void> {
    const sent = latest.current;
    if (sent.length === 0 || isSaving) return;
    setSaving(true);
    const isSaved = await saved.save(sent).finally(() => setSaving(false));
    if (!isSaved) return;
    // Edits that were made during the save remain. Steps from before the save can't be undone one by one anymore.
    latest.current = latest.current.filter((edit) => !sent.includes(edit));
    setStaged(latest.current);
    setFormer([]);
  }

  const saveLatest = useRef(saveAll);
  saveLatest.current = saveAll;
  useEffect(() => {
    if (!isOn) return;
    const onKeyDown = (event: KeyboardEvent): void => {
      const isSave = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey;
      if (!isSave || event.key.toLowerCase() !== 's') return;
      event.preventDefault();
      const field = document.activeElement;
      // A panel or a dialog has a Save button for its own input.
      if (field?.closest('[role=dialog]') != null) return;
      // An open editor keeps its input when it loses the focus.
      if (field instanceof HTMLInputElement || field instanceof HTMLSelectElement) {
        const cell = field.closest<HTMLElement>('[role=gridcell]');
        field.blur();
        cell?.focus();
      }
      void saveLatest.current();
    };
    document.addEventListener('keydown', onKeyDown, true);
    return () => document.removeEventListener('keydown', onKeyDown, true);
  }, [isOn]);

  const changes = useMemo(() => changesByRow(staged), [staged]);
  const staging: Staging = {
    isOn,
    turn(next) {
      if (latest.current.length > 0) return;
      setOn(next);
      remember(next);
    },
    cells: staged.length,
    rows: changes.size,
    isSaving,
    has: (key) => !isSaving && changes.has(keyText(key)),
    saveAll,
    discardAll() {
      saved.dismiss();
      change(none);
    },
    discard(key, column) {
      const edit = latest.current.find((each) => isSameCell(each, { key, column }));
      if (edit === undefined) return false;
      change(latest.current.filter((each) => each !== edit));
      return true;
    },
  };
  if (!isOn) return { ...saved, staging };
  return {
    ...saved,
    staging,
    pending: (key) => changes.get(keyText(key)) ?? saved.pending(key),
    async save(edits) {
      const since = saved.count();
      change(
        withEdits(
          latest.current,
          edits.map((edit) => ({ ...edit, since: edit.since ?? since })),
        ),
      );
      return true;
    },
    async retry(edits) {
      change(withReplaced(latest.current, edits));
      await saveAll();
    },
    giveUp(edit) {
      saved.dismiss();
      change(withoutRow(latest.current, edit));
    },
    undoable: staged.length > 0 ? undefined : saved.undoable,
    undone: staged.length > 0 ? undefined : saved.undone,
    async undo() {
      const previous = former.at(-1);
      if (previous === undefined) return saved.undo();
      latest.current = previous;
      setStaged(previous);
      setFormer(former.slice(0, -1));
      return 0;
    },
  };
}

function isChosen(): boolean {
  try {
    return localStorage.getItem(settingKey) === 'on';
  } catch {
    return false;
  }
}

function remember(isOn: boolean): void {
  try {
    if (isOn) localStorage.setItem(settingKey, 'on');
    else localStorage.removeItem(settingKey);
  } catch {
    // Without browser storage, the choice applies to the open table only.
  }
}
