/** Edits a value as text. The field grows with its content. */
import type { Ref } from 'react';
import { isMono, typedChange } from '../cells.ts';
import { type EditorProps, textOf } from './editor.ts';
import classes from './fields.module.css';

const maxLines = 16;
const lineChars = 70;

export function TextEditor({ field, fieldRef, column, draft, readOnly, placeholder, onChange }: EditorProps) {
  const text = textOf(draft);
  return (
    <textarea
      {...field}
      ref={fieldRef as Ref<HTMLTextAreaElement>}
      className={classes.input}
      data-mono={isMono(column) || undefined}
      rows={Math.min(maxLines, Math.max(text.split('\n').length, Math.ceil(text.length / lineChars), 1))}
      value={text}
      placeholder={placeholder}
      readOnly={readOnly}
      spellCheck={false}
      onChange={(event) => onChange(typedChange(column, event.currentTarget.value))}
    />
  );
}

/** Edits a value on a single line. */
export function LineEditor({
  field,
  fieldRef,
  column,
  draft,
  placeholder,
  onChange,
  mode,
}: EditorProps & { mode?: 'decimal' | 'numeric' }) {
  return (
    <input
      {...field}
      ref={fieldRef as Ref<HTMLInputElement>}
      className={classes.input}
      data-mono={isMono(column) || undefined}
      value={textOf(draft)}
      placeholder={placeholder}
      inputMode={mode}
      spellCheck={false}
      autoComplete="off"
      onChange={(event) => onChange(typedChange(column, event.currentTarget.value))}
    />
  );
}
