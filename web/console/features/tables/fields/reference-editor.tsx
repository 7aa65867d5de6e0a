/**
 * Edits a foreign key. The field accepts any key, and searches the referenced rows by key and by a descriptive column.
 * It follows the combobox pattern of the ARIA Authoring Practices Guide.
 */
import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, type Ref, useId, useState } from 'react';
import { fetchConsole } from '../../../api/session.ts';
import { messageOf } from '../../../components/problem-box.tsx';
import { useDebounced } from '../../../components/use-debounced.ts';
import { isMono, typedChange } from '../cells.ts';
import { t } from '../rows-text.ts';
import { type EditorProps, textOf } from './editor.ts';
import classes from './fields.module.css';

export function ReferenceEditor(props: EditorProps) {
  const { field, fieldRef, column, draft, placeholder, table, as, startsOpen = false, onChange } = props;
  const listId = useId();
  const text = textOf(draft);
  /** The text to search for. Until the user types, the first rows are listed. */
  const [asked, setAsked] = useState('');
  const [, setSearch] = useDebounced(asked, setAsked);
  const [isOpen, setOpen] = useState(startsOpen);
  const [active, setActive] = useState(-1);
  const { data, error, isFetching } = useQuery({
    queryKey: ['references', table.schema, table.table, column.name, as, asked],
    queryFn: ({ signal }) =>
      fetchConsole('GET /tables/:schema/:table/references/:column', {
        params: { schema: table.schema, table: table.table, column: column.name },
        query: { as, search: asked },
        signal,
      }),
    enabled: isOpen,
    retry: false,
    staleTime: 5000,
    placeholderData: (previous) => previous,
  });
  const choices = isOpen ? (data?.choices ?? []) : [];
  const { data: chosen } = useQuery({
    queryKey: ['reference', table.schema, table.table, column.name, as, text],
    queryFn: ({ signal }) =>
      fetchConsole('GET /tables/:schema/:table/references/:column', {
        params: { schema: table.schema, table: table.table, column: column.name },
        query: { as, search: text, exact: 'true' },
        signal,
      }),
    // While the list is open, it shows the labels.
    enabled: text !== '' && !isOpen,
    retry: false,
    staleTime: 5000,
  });

  function pick(index: number): void {
    const choice = choices[index];
    if (choice === undefined) return;
    onChange({ value: choice.value });
    setSearch('');
    setOpen(false);
    setActive(-1);
  }

  function onKeyDown(event: KeyboardEvent): void {
    const { key } = event;
    if (key === 'ArrowDown' || key === 'ArrowUp') {
      event.preventDefault();
      setOpen(true);
      const step = key === 'ArrowDown' ? 1 : -1;
      const next = active + step;
      setActive(next < -1 ? choices.length - 1 : next >= choices.length ? -1 : next);
    } else if (key === 'Enter' && active >= 0) {
      event.preventDefault();
      event.stopPropagation();
      pick(active);
    } else if (key === 'Escape' && isOpen) {
      event.preventDefault();
      event.stopPropagation();
      setOpen(false);
      setActive(-1);
    }
  }

  return (
    <div className={classes.stack}>
      <input
        {...field}
        ref={fieldRef as Ref<HTMLInputElement>}
        role="combobox"
        aria-expanded={isOpen}
        aria-controls={listId}
        aria-autocomplete="list"
        aria-activedescendant={active >= 0 ? `${listId}-${active}` : undefined}
        // Escape must close only the list, not the surrounding panel.
        data-mantine-stop-propagation={isOpen || undefined}
        className={classes.input}
        data-mono={isMono(column) || undefined}
        value={text}
        placeholder={placeholder}
        spellCheck={false}
        autoComplete="off"
        onClick={() => setOpen(true)}
        onBlur={() => setOpen(false)}
        onKeyDown={onKeyDown}
        onChange={(event) => {
          const { value } = event.currentTarget;
          onChange(typedChange(column, value));
          setSearch(value.trim());
          setOpen(true);
          setActive(-1);
        }}
      />
      {isOpen ? (
        <div
          role="listbox"
          id={listId}
          aria-label={t('reference.list', { table: column.references?.table ?? '' })}
          className={classes.choices}
          tabIndex={-1}
        >
          {choices.map(({ value, label }, index) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles the keys
            // biome-ignore lint/a11y/useFocusableInteractive: the field keeps the focus
            <div
              key={value}
              id={`${listId}-${index}`}
              role="option"
              aria-selected={value === text}
              data-active={index === active || undefined}
              className={classes.choice}
              ref={index === active ? scrollIntoView : undefined}
              // The field keeps the focus.
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => pick(index)}
            >
              <span className={classes.choiceKey}>{value}</span>
              <span className={classes.choiceLabel}>{label}</span>
            </div>
          ))}
        </div>
      ) : null}
      <p className={classes.hint} role="status">
        {error !== null
          ? t('reference.failed', { reason: messageOf(error) })
          : isOpen
            ? stateOf(choices.length, data?.more ?? false, isFetching && data === undefined)
            : (chosen?.choices[0]?.label ?? '')}
      </p>
    </div>
  );
}

const scrollIntoView = (element: HTMLElement | null): void => element?.scrollIntoView({ block: 'nearest' });

function stateOf(count: number, more: boolean, isLoading: boolean): string {
  if (isLoading) return t('reference.searching');
  if (count === 0) return t('reference.none');
  return more ? t('reference.more', { count }) : '';
}
