/** Lets the operator edit JSON as text or view JSON as a tree. */
import { type Ref, useState } from 'react';
import { t } from '../rows-text.ts';
import { type EditorProps, textOf } from './editor.ts';
import classes from './fields.module.css';
import { indentJson, jsonProblem } from './json-text.ts';
import { JsonTree } from './json-tree.tsx';

const minLines = 4;
const maxLines = 24;
const lineChars = 76;

export function JsonEditor({ field, fieldRef, column, draft, readOnly, placeholder, onChange }: EditorProps) {
  const [isTree, setTree] = useState(false);
  const text = textOf(draft);
  const hasText = text.trim() !== '';
  const reason = hasText ? jsonProblem(text) : undefined;
  const showsTree = isTree && hasText && reason === undefined;
  const lines = Math.max(text.split('\n').length, Math.ceil(text.length / lineChars), minLines);
  return (
    <div className={classes.stack}>
      <div className={classes.parts}>
        <button
          type="button"
          className={classes.action}
          aria-pressed={!showsTree}
          onClick={() => setTree(false)}
        >
          {t('json.text')}
        </button>
        <button
          type="button"
          className={classes.action}
          aria-pressed={showsTree}
          disabled={!hasText || reason !== undefined}
          onClick={() => setTree(true)}
        >
          {t('json.tree')}
        </button>
        {readOnly || showsTree ? null : (
          <button
            type="button"
            className={classes.action}
            disabled={!hasText || reason !== undefined}
            onClick={() => onChange({ value: indentJson(text) })}
          >
            {t('json.indent')}
          </button>
        )}
        <span className={classes.hint} role="status">
          {reason ?? (hasText ? t('json.valid') : '')}
        </span>
      </div>
      {showsTree ? (
        <JsonTree text={text} label={t('json.tree-of', { column: column.name })} />
      ) : (
        <textarea
          {...field}
          ref={fieldRef as Ref<HTMLTextAreaElement>}
          className={classes.input}
          data-mono
          rows={Math.min(maxLines, lines)}
          value={text}
          placeholder={placeholder}
          readOnly={readOnly}
          spellCheck={false}
          onChange={(event) => {
            const { value } = event.currentTarget;
            onChange({ value: value === '' && column.nullable ? null : value });
          }}
        />
      )}
    </div>
  );
}
