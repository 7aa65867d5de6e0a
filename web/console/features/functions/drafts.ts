/** Holds the edited files of a function until they are saved. */
import { useRef, useState } from 'react';

export interface Draft {
  readonly text: string;
  /** The text before the first edit. */
  readonly original: string;
  /** The revision that was edited, or null for a new file. */
  readonly revision: string | null;
}

export interface Place {
  readonly path: string;
  readonly line: number;
  readonly column: number;
}

export interface Drafts {
  readonly all: ReadonlyMap<string, Draft>;
  change(path: string, draft: Draft): void;
  discard(paths: readonly string[]): void;
  /** The position that the editor shows. */
  readonly cursor: Place | undefined;
  show(place: Place): void;
  /** Saves the drafts, as the Save button does. */
  requestSave(): void;
  onSave(save: () => void): void;
}

export function useDrafts(): Drafts {
  const [all, setAll] = useState<ReadonlyMap<string, Draft>>(new Map());
  const [cursor, setCursor] = useState<Place>();
  const save = useRef<() => void>(undefined);
  return {
    all,
    cursor,
    change(path, draft) {
      setAll((before) => {
        const after = new Map(before);
        if (draft.revision !== null && draft.text === draft.original) after.delete(path);
        else after.set(path, draft);
        return after;
      });
    },
    discard(paths) {
      setAll((before) => new Map([...before].filter(([path]) => !paths.includes(path))));
    },
    show: setCursor,
    requestSave: () => save.current?.(),
    onSave(next) {
      save.current = next;
    },
  };
}
