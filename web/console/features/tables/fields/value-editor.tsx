/** The editor for a column's type. */
import { ArrayEditor } from './array-editor.tsx';
import { BytesEditor } from './bytes-editor.tsx';
import { BooleanEditor, ChoiceEditor } from './choice-editor.tsx';
import type { EditorProps } from './editor.ts';
import { JsonEditor } from './json-editor.tsx';
import { kindOf } from './kinds.ts';
import { ReferenceEditor } from './reference-editor.tsx';
import { TemporalEditor } from './temporal-editor.tsx';
import { LineEditor, TextEditor } from './text-editor.tsx';
import { UuidEditor } from './uuid-editor.tsx';

export function ValueEditor(props: EditorProps) {
  const { column, readOnly } = props;
  const kind = kindOf(column);
  if (kind === 'json') return <JsonEditor {...props} />;
  if (readOnly) return <TextEditor {...props} />;
  if (column.references !== null) return <ReferenceEditor {...props} />;
  switch (kind) {
    case 'boolean':
      return <BooleanEditor {...props} />;
    case 'choice':
      return <ChoiceEditor {...props} />;
    case 'date':
    case 'time':
    case 'timestamp':
      return <TemporalEditor {...props} />;
    case 'array':
      return <ArrayEditor {...props} />;
    case 'bytes':
      return <BytesEditor {...props} />;
    case 'uuid':
      return <UuidEditor {...props} />;
    case 'number':
      return <LineEditor {...props} mode={column.type.startsWith('numeric') ? 'decimal' : 'numeric'} />;
    case 'text':
      return <TextEditor {...props} />;
  }
}
