/** Defines the properties of value editors. The row panel and the grid use the same editors. */
import type { Ref } from 'react';
import type { TableName } from '../../../api/queries.ts';
import type { CellChange, Column } from '../../../api/types.ts';
import type { Draft } from './check.ts';

/** An element that can have focus and reports a problem with its value to assistive technology. */
export interface FieldProps {
  readonly id: string;
  readonly 'aria-invalid': true | undefined;
  readonly 'aria-describedby': string | undefined;
}

export interface EditorProps {
  /** The attributes of the element that receives focus. The label refers to this element. */
  readonly field: FieldProps;
  readonly fieldRef: Ref<HTMLElement>;
  readonly column: Column;
  readonly draft: Draft;
  readonly readOnly: boolean;
  /** The text in an empty field. The text distinguishes NULL, the default and an empty string. */
  readonly placeholder: string;
  readonly table: TableName;
  /** The persona whose permissions apply to the search for referenced rows. */
  readonly as: string | undefined;
  /** Whether the editor initially opens its list, if the editor has a list. */
  readonly startsOpen?: boolean;
  readonly onChange: (change: CellChange) => void;
}

export const textOf = (draft: Draft): string => ('value' in draft ? (draft.value ?? '') : '');
