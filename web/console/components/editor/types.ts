/** The types of the SQL editor. The types are in a separate file, because pages use them without loading the editor. */
import type { Ref } from 'react';
import type { SqlNames } from '../../../../src/pages/console/sql-page/contract.ts';

export type { SqlNames };

/** The table whose columns an expression uses without FROM, for example in a policy. */
export interface OwnTable {
  readonly schema: string;
  readonly table: string;
  /** Names that aren't stored columns, such as the columns of a table that is being created. */
  readonly columns?: readonly string[];
  /** Whether the columns are those of the rows `new` and `old`, as in a trigger's condition. */
  readonly isTrigger?: boolean;
}

export interface SqlEditorHandle {
  /** Marks the word at a UTF-16 offset, or removes the mark if the argument is null. */
  markFault(at: number | null): void;
  /** Moves the cursor and the focus to an offset. */
  show(at: number): void;
}

export interface SqlEditorProps {
  readonly value: string;
  readonly label: string;
  readonly names?: SqlNames | undefined;
  readonly own?: OwnTable | undefined;
  readonly readOnly?: boolean;
  readonly autoFocus?: boolean;
  /** Whether the editor is a form's field for a short expression. Enter submits the form, and Shift+Enter adds a line. */
  readonly isField?: boolean;
  readonly isRequired?: boolean;
  readonly hint?: string | undefined;
  /** The ID of the element that describes the editor. */
  readonly describedBy?: string | undefined;
  readonly handle?: Ref<SqlEditorHandle>;
  readonly onChange: (value: string) => void;
  /** Called on Ctrl+Enter or Cmd+Enter. */
  readonly onRun?: () => void;
  /** Called with UTF-16 offsets, which are equal if nothing is selected. */
  readonly onSelection?: (from: number, to: number) => void;
}
