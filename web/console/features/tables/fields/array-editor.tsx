/** Edits an array as a list of elements. Arrays with several dimensions are edited as text. */
import { IconArrowDown, IconArrowUp, IconPlus, IconTrash } from '@tabler/icons-react';
import { type Ref, useRef } from 'react';
import type { Cell } from '../../../api/types.ts';
import { t } from '../rows-text.ts';
import { parseArray, printArray } from './array-text.ts';
import { type EditorProps, textOf } from './editor.ts';
import classes from './fields.module.css';
import { TextEditor } from './text-editor.tsx';

/** The maximum number of elements in the list. Longer arrays are edited as text. */
const maxItems = 200;

export function ArrayEditor(props: EditorProps) {
  const { field, fieldRef, column, draft, placeholder, onChange } = props;
  const root = useRef<HTMLFieldSetElement>(null);
  const hasItems = 'value' in draft && draft.value !== null;
  const items = hasItems ? parseArray(textOf(draft)) : [];
  if (items === undefined || items.length > maxItems) return <TextEditor {...props} />;
  const set = (next: readonly Cell[]): void => onChange({ value: printArray(next) });
  const replaced = (index: number, item: Cell): readonly Cell[] =>
    items.map((each, at) => (at === index ? item : each));
  /** Moves the focus after React has rendered the list. */
  const focusItem = (index: number): void => {
    requestAnimationFrame(() => {
      const inputs = root.current?.querySelectorAll('input') ?? [];
      const next = inputs[Math.min(index, inputs.length - 1)] ?? root.current?.querySelector('button');
      next?.focus();
    });
  };
  const { id, 'aria-describedby': describedBy } = field;
  return (
    <fieldset
      id={id}
      ref={root}
      aria-labelledby={`${id}-label`}
      aria-describedby={describedBy}
      className={classes.list}
    >
      {items.map((item, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: an element is identified by its position
        <div key={index} className={classes.line}>
          <input
            {...(index === 0 ? { ref: fieldRef as Ref<HTMLInputElement> } : {})}
            className={classes.input}
            aria-label={t('array.item', { column: column.name, number: index + 1 })}
            value={item ?? ''}
            placeholder={item === null ? 'NULL' : t('value.empty')}
            spellCheck={false}
            autoComplete="off"
            onChange={(event) => set(replaced(index, event.currentTarget.value))}
          />
          <button
            type="button"
            className={classes.action}
            aria-pressed={item === null}
            aria-label={t('array.null', { number: index + 1 })}
            onClick={() => set(replaced(index, item === null ? '' : null))}
          >
            NULL
          </button>
          <IconAction
            label={t('array.up', { number: index + 1 })}
            isOff={index === 0}
            onPick={() => set(swapped(items, index, index - 1))}
          >
            <IconArrowUp size={14} aria-hidden />
          </IconAction>
          <IconAction
            label={t('array.down', { number: index + 1 })}
            isOff={index === items.length - 1}
            onPick={() => set(swapped(items, index, index + 1))}
          >
            <IconArrowDown size={14} aria-hidden />
          </IconAction>
          <IconAction
            label={t('array.remove', { number: index + 1 })}
            onPick={() => {
              set(items.filter((_, at) => at !== index));
              focusItem(index);
            }}
          >
            <IconTrash size={14} aria-hidden />
          </IconAction>
        </div>
      ))}
      <div className={classes.parts}>
        <button
          type="button"
          {...(items.length === 0 ? { ref: fieldRef as Ref<HTMLButtonElement> } : {})}
          className={classes.action}
          onClick={() => {
            set([...items, '']);
            focusItem(items.length);
          }}
        >
          <IconPlus size={14} aria-hidden />
          {t('array.add')}
        </button>
        <span className={classes.hint}>
          {hasItems ? t('array.count', { count: items.length }) : placeholder}
        </span>
      </div>
    </fieldset>
  );
}

function swapped(items: readonly Cell[], from: number, to: number): readonly Cell[] {
  const next = [...items];
  [next[from], next[to]] = [next[to] ?? null, next[from] ?? null];
  return next;
}

function IconAction({
  label,
  isOff = false,
  onPick,
  children,
}: {
  label: string;
  isOff?: boolean;
  onPick: () => void;
  children: React.ReactNode;
}) {
  return (
    <button
      type="button"
      className={classes.action}
      aria-label={label}
      title={label}
      disabled={isOff}
      onClick={onPick}
    >
      {children}
    </button>
  );
}
