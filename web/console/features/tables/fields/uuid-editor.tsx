import { randomUuid } from '../random-uuid.ts';
import { t } from '../rows-text.ts';
import type { EditorProps } from './editor.ts';
import classes from './fields.module.css';
import { LineEditor } from './text-editor.tsx';

export function UuidEditor(props: EditorProps) {
  return (
    <div className={classes.line}>
      <LineEditor {...props} />
      <button
        type="button"
        className={classes.action}
        onClick={() => props.onChange({ value: randomUuid() })}
      >
        {t('uuid.generate')}
      </button>
    </div>
  );
}
