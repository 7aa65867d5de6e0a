/**
 * Edits a foreign key. The field accepts any key and searches the referenced rows by key and by a descriptive column.
 * The field follows the combobox pattern of the ARIA Authoring Practices Guide.
 */

import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, type Ref, useEffect, useId, useRef, useState } from 'react';
import type { ReferenceChoices } from '../../../../../src/pages/console/tables/contract.ts';
import { fetchConsole } from '../../../api/session.ts';
import { usePopupLayer } from '../../../components/keyboard/modal-layer.ts';
import { messageOf } from '../../../components/problem-box.tsx';
import { useDebounced } from '../../../components/use-debounced.ts';
import { isMono, typedChange } from '../cells.ts';
import { t } from '../rows-text.ts';
import { checkDraft } from './check.ts';
import { type EditorProps, textOf } from './editor.ts';
import classes from './fields.module.css';
import { kindOf } from './kinds.ts';

type ReferenceChoice = ReferenceChoices['choices'][number];

export function ReferenceEditor(props: EditorProps) {
  const { field, fieldRef, column, draft, placeholder, startsOpen = false, onChange } = props;
  const listId = useId();
  const text = textOf(draft);
  const [isOpen, setOpen] = useState(startsOpen);
  usePopupLayer(isOpen);
  const [active, setActive] = useState(-1);
  /** Whether Enter was pressed before the matches for the text were known. */
  const [takesOnly, setTakesOnly] = useState(false);
  const search = useReferences(props, isOpen);
  const { asked, isSettled, setSearch } = search;
  const choices = isOpen ? search.choices : [];
  // While the list is open, it shows the labels, so the label for the field's text isn't needed.
  const label = useReferenceLabel(props, isOpen ? '' : text);

  /** The row that the Enter key selects, if the text isn't a key and matches only this row. */
  const only =
    isOpen && isSettled && asked !== '' && choices.length === 1 && choices[0]?.value !== text
      ? choices[0]
      : undefined;
  /** A complete key can be saved without a search. */
  const isKey =
    ['number', 'uuid'].includes(kindOf(column)) && checkDraft(column, { value: text }) === undefined;

  function take(choice: ReferenceChoice | undefined): void {
    if (choice === undefined) return;
    onChange({ value: choice.value });
    setSearch('');
    setOpen(false);
    setActive(-1);
  }
  const latest = useRef(take);
  latest.current = take;
  useEffect(() => {
    if (!takesOnly || !isSettled) return;
    setTakesOnly(false);
    if (only !== undefined) latest.current(only);
  }, [takesOnly, isSettled, only]);

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
      take(choices[active]);
    } else if (key === 'Enter' && !event.ctrlKey && !event.metaKey && only !== undefined) {
      event.preventDefault();
      event.stopPropagation();
      take(only);
    } else if (key === 'Enter' && isOpen && search.text !== '' && !isSettled && !isKey) {
      event.preventDefault();
      event.stopPropagation();
      setTakesOnly(true);
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
          setTakesOnly(false);
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
            // biome-ignore lint/a11y/useFocusableInteractive: the field keeps focus
            <div
              key={value}
              id={`${listId}-${index}`}
              role="option"
              aria-selected={value === text}
              data-active={index === active || undefined}
              className={classes.choice}
              ref={index === active ? scrollIntoView : undefined}
              // Prevents the field from losing focus.
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => take(choices[index])}
            >
              <span className={classes.choiceKey}>{value}</span>
              <span className={classes.choiceLabel}>{label}</span>
            </div>
          ))}
        </div>
      ) : null}
      <p className={classes.hint} role="status">
        {search.error !== null
          ? t('reference.failed', { reason: messageOf(search.error) })
          : isOpen
            ? only === undefined
              ? stateOf(choices.length, search.hasMore, search.isLoading)
              : t('reference.only', { key: only.value })
            : label}
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

/** Searches the rows that a foreign key can reference, after a pause in typing. */
function useReferences({ table, column, as }: EditorProps, isOpen: boolean) {
  /** The text to search for. Until the user types, the first rows are listed. */
  const [asked, setAsked] = useState('');
  const [text, setSearch] = useDebounced(asked, setAsked);
  const { data, error, isFetching, isPlaceholderData } = useQuery({
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
  return {
    text,
    asked,
    setSearch,
    choices: data?.choices ?? [],
    hasMore: data?.more ?? false,
    error,
    isLoading: isFetching && data === undefined,
    /** Whether the choices belong to the current text. */
    isSettled: text === asked && !isPlaceholderData && (data !== undefined || error !== null),
  };
}

/** Returns the text that describes the row with the given key. Empty if the key is empty or unknown. */
function useReferenceLabel({ table, column, as }: EditorProps, key: string): string {
  const { data } = useQuery({
    queryKey: ['reference', table.schema, table.table, column.name, as, key],
    queryFn: ({ signal }) =>
      fetchConsole('GET /tables/:schema/:table/references/:column', {
        params: { schema: table.schema, table: table.table, column: column.name },
        query: { as, search: key, exact: 'true' },
        signal,
      }),
    enabled: key !== '',
    retry: false,
    staleTime: 5000,
  });
  return data?.choices[0]?.label ?? '';
}
