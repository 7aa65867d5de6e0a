/** Fields for columns and their values. The values are either the key of a row or the values to write. */
import { Button, Checkbox, CloseButton, NativeSelect, TextInput } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import classes from './page.module.css';
import type { Cells } from './search.ts';
import { t } from './text.ts';

export function Pairs({
  title,
  columns,
  cells,
  isNext = false,
  unknown = [],
  hint,
  error,
  onChange,
}: {
  title: string;
  columns: readonly string[];
  cells: Cells;
  /** Whether the first value is the field that the operator needs next. */
  isNext?: boolean;
  /** The columns that keep their current values until the operator enters a value. */
  unknown?: readonly string[];
  hint?: string;
  error?: string | undefined;
  onChange: (cells: Cells) => void;
}) {
  const entries = Object.entries(cells);
  const free = columns.filter((name) => !(name in cells));
  const set = (at: number, name: string, value: string | null): void =>
    onChange(Object.fromEntries(entries.map((entry, index) => (index === at ? [name, value] : entry))));
  return (
    <fieldset className={classes.pairs}>
      <legend className={classes.legend}>{title}</legend>
      {hint === undefined ? null : <p className={classes.dim}>{hint}</p>}
      {error === undefined ? null : (
        <p role="alert" className={classes.error}>
          {error}
        </p>
      )}
      {entries.map(([name, value], at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a pair is identified by its position
        <div key={at} className={classes.pair}>
          <NativeSelect
            size="xs"
            aria-label={t('why.column')}
            data={[name, ...free]}
            value={name}
            onChange={(event) => set(at, event.currentTarget.value, value)}
          />
          <TextInput
            size="xs"
            className={classes.value}
            aria-label={t('why.value', { column: name })}
            data-next={(isNext && at === 0) || undefined}
            autoComplete="off"
            spellCheck={false}
            disabled={value === null}
            placeholder={unknown.includes(name) ? t('why.current-value') : ''}
            value={value ?? ''}
            onChange={(event) => set(at, name, event.currentTarget.value)}
          />
          <Checkbox
            size="xs"
            label="NULL"
            aria-label={t('why.null', { column: name })}
            checked={value === null}
            onChange={(event) => set(at, name, event.currentTarget.checked ? null : '')}
          />
          <CloseButton
            size="sm"
            aria-label={t('why.remove', { column: name })}
            onClick={() => onChange(Object.fromEntries(entries.filter((_, index) => index !== at)))}
          />
        </div>
      ))}
      {free.length === 0 ? null : (
        <Button
          size="compact-xs"
          variant="subtle"
          leftSection={<IconPlus size={13} aria-hidden />}
          onClick={() => onChange({ ...cells, [free[0] as string]: '' })}
        >
          {t('why.add')}
        </Button>
      )}
    </fieldset>
  );
}
