/** What an SQL editor is given and can be asked; apart from it, so that pages need not load it to know. */
import type { Ref } from 'react';
import type { SqlNames } from '../../../../src/console/sql-page/contract.ts';

export type { SqlNames };

export interface SqlEditorHandle {
  /** UTF-16 offset of the word PostgreSQL stumbled over; null takes the mark away. */
  markFault(at: number | null): void;
  /** Puts the cursor there, and the focus. */
  show(at: number): void;
}

export interface SqlEditorProps {
  readonly value: string;
  /** For people who cannot see it. */
  readonly label: string;
  readonly names?: SqlNames | undefined;
  readonly readOnly?: boolean;
  readonly autoFocus?: boolean;
  readonly handle?: Ref<SqlEditorHandle>;
  readonly onChange: (value: string) => void;
  /** Ctrl or Cmd with Enter. */
  readonly onRun?: () => void;
  /** UTF-16 offsets; equal when nothing is selected. */
  readonly onSelection?: (from: number, to: number) => void;
}
