/**
 * Edits a cell in the grid. Enter saves, Escape cancels, Tab saves and moves to the next cell, and ArrowDown opens a
 * menu with NULL and the default value.
 */
import {
  type FocusEvent,
  type KeyboardEvent,
  type ReactNode,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import type { Cell, CellChange, Column } from '../../../../api/types.ts';
import { usePopupLayer } from '../../../../components/keyboard/modal-layer.ts';
import { choicesOf, hasDefault, mayBeEmpty, typedChange } from '../../cells.ts';
import { checkDraft, type Problem } from '../../fields/check.ts';
import { randomUuid } from '../../random-uuid.ts';
import { t } from '../../text.ts';
import classes from './cell-editor.module.css';

/** The direction in which the focus moves after the edit. */
export type After = 'stay' | 'down' | 'right' | 'left';

export interface CellEditorProps {
  readonly column: Column;
  readonly value: Cell;
  /** Text that was typed while the cell had focus. The typed text replaces the cell's value. */
  readonly typed: string | undefined;
  /** Whether the menu opens above the cell because the cell is near the lower edge. */
  readonly above: boolean;
  readonly onSave: (change: CellChange, after: After) => void;
  readonly onCancel: (keepFocus: boolean) => void;
}

export function CellEditor({ column, value, typed, above, onSave, onCancel }: CellEditorProps) {
  const choices = choicesOf(column);
  const [change, setChange] = useState<CellChange>({ value: typed ?? value });
  const [touched, setTouched] = useState(typed !== undefined);
  usePopupLayer();
  const root = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLInputElement & HTMLSelectElement>(null);
  const [problem, setProblem] = useState<Problem>();
  const done = useRef(false);
  useEffect(() => {
    field.current?.focus();
    if (typed === undefined) field.current?.select?.();
  }, [typed]);

  function finish(with_: CellChange, after: After): void {
    if (done.current) return;
    done.current = true;
    onSave(with_, after);
  }

  function cancel(keepFocus: boolean): void {
    if (done.current) return;
    done.current = true;
    onCancel(keepFocus);
  }

  /** Saves the input. If the input is invalid, the input and the reason remain visible. */
  function submit(after: After): void {
    const found = checkDraft(column, change);
    setProblem(found);
    if (found === undefined) finish(change, after);
  }

  function edit(next: CellChange): void {
    setTouched(true);
    setProblem(undefined);
    setChange(next);
  }

  function onKeyDown(event: KeyboardEvent<HTMLElement>): void {
    // The grid must not handle key presses while a cell is edited.
    event.stopPropagation();
    if (event.nativeEvent.isComposing) return;
    const options = [...(root.current?.querySelectorAll<HTMLElement>('[data-option]') ?? [])];
    const at = options.indexOf(document.activeElement as HTMLElement);
    const go = (to: HTMLElement | null | undefined): void => {
      event.preventDefault();
      to?.focus();
    };
    if (event.key === 'Escape') {
      event.preventDefault();
      cancel(true);
    } else if (event.key === 'Tab') {
      event.preventDefault();
      if (touched) submit(event.shiftKey ? 'left' : 'right');
      else finish({ value }, event.shiftKey ? 'left' : 'right');
    } else if (event.key === 'Enter' && at < 0) {
      event.preventDefault();
      if (touched) submit('down');
      else cancel(true);
    } else if (event.key === 'ArrowDown' && at < 0 && (choices.length === 0 || event.altKey)) {
      go(options[0]);
    } else if (event.key === 'ArrowUp' && at >= 0) {
      go(field.current);
    } else if (at >= 0 && (event.key === 'ArrowRight' || event.key === 'ArrowLeft')) {
      go(options[(at + (event.key === 'ArrowRight' ? 1 : -1) + options.length) % options.length]);
    }
  }

  function onBlur(event: FocusEvent<HTMLElement>): void {
    if (root.current?.contains(event.relatedTarget) === true) return;
    if (touched) finish(change, 'stay');
    else cancel(false);
  }

  const isNull = 'value' in change && change.value === null;
  const text = 'value' in change ? (change.value ?? '') : '';
  const label = t('editor.label', { column: column.name });
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keyboard events come from the field and the options inside
    <div ref={root} className={classes.editor} onKeyDown={onKeyDown} onBlur={onBlur}>
      {choices.length > 0 ? (
        <select
          ref={field}
          className={classes.field}
          aria-label={label}
          value={isNull ? 'null' : 'default' in change ? 'default' : `=${text}`}
          onChange={(event) => {
            const chosen = event.currentTarget.value;
            if (chosen === 'null') edit({ value: null });
            else if (chosen === 'default') edit({ default: true });
            else edit({ value: chosen.slice(1) });
          }}
        >
          {choices.map((choice) => (
            <option key={choice} value={`=${choice}`}>
              {choice}
            </option>
          ))}
          {column.nullable || isNull ? <option value="null">NULL</option> : null}
          {hasDefault(column) ? <option value="default">{t('value.default')}</option> : null}
        </select>
      ) : (
        <>
          <input
            ref={field}
            className={classes.field}
            aria-label={label}
            aria-describedby="cell-editor-help"
            aria-invalid={problem !== undefined || undefined}
            value={text}
            placeholder={'default' in change ? t('value.default') : isNull ? 'NULL' : t('value.empty')}
            spellCheck={false}
            autoComplete="off"
            onChange={(event) => edit(typedChange(column, event.currentTarget.value))}
          />
          <Options above={above} problem={problem}>
            <Option
              label="NULL"
              isOn={isNull}
              disabled={!column.nullable}
              onPick={() => finish({ value: null }, 'stay')}
            />
            {mayBeEmpty(column) ? (
              <Option
                label={t('value.empty')}
                isOn={text === '' && 'value' in change && !isNull}
                onPick={() => finish({ value: '' }, 'stay')}
              />
            ) : null}
            {hasDefault(column) ? (
              <Option
                label={t('editor.default', { expression: column.default ?? t('editor.identity') })}
                isOn={'default' in change}
                onPick={() => finish({ default: true }, 'stay')}
              />
            ) : null}
            {column.type === 'uuid' ? (
              <Option
                label={t('uuid.generate')}
                isOn={false}
                onPick={() => finish({ value: randomUuid() }, 'stay')}
              />
            ) : null}
          </Options>
        </>
      )}
    </div>
  );
}

/** The menu below the field, or above it near the lower edge. */
function Options({
  above,
  problem,
  children,
}: {
  above: boolean;
  problem: Problem | undefined;
  children: ReactNode;
}) {
  const root = useRef<HTMLDivElement>(null);
  const [isAtEnd, setAtEnd] = useState(false);
  // At the right edge of the grid, the menu ends where the cell ends, because otherwise it would be cut off.
  // biome-ignore lint/correctness/useExhaustiveDependencies: a problem's text makes the menu wider
  useLayoutEffect(() => {
    const { right = 0 } = root.current?.getBoundingClientRect() ?? {};
    const edge = root.current?.closest('[role=grid]')?.getBoundingClientRect().right ?? right;
    if (right > edge) setAtEnd(true);
  }, [problem]);
  return (
    <div
      ref={root}
      className={classes.options}
      data-above={above || undefined}
      data-end={isAtEnd || undefined}
    >
      {children}
      <span id="cell-editor-help" className={classes.help} data-problem={problem !== undefined || undefined}>
        {problem === undefined ? t('editor.help') : t(problem.id, problem.values)}
      </span>
    </div>
  );
}

function Option({
  label,
  isOn,
  disabled = false,
  onPick,
}: {
  label: string;
  isOn: boolean;
  disabled?: boolean;
  onPick: () => void;
}) {
  return (
    <button
      type="button"
      {...(disabled ? {} : { 'data-option': true })}
      className={classes.option}
      aria-pressed={isOn}
      disabled={disabled}
      tabIndex={-1}
      onMouseDown={(event) => event.preventDefault()}
      onClick={onPick}
    >
      {label}
    </button>
  );
}
