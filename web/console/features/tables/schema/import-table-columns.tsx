/** The fields for the columns and the primary key of a new table whose rows come from a file. */
import { Checkbox, NativeSelect, TextInput } from '@mantine/core';
import type { Payload } from '../../../api/route.ts';
import { exampleOf } from '../import/import-file.tsx';
import type { Vocabulary } from './api.ts';
import { TypeField } from './column-fields.tsx';
import type { FileColumn, FileTableDraft, KeyChoice } from './import-drafts.ts';
import classes from './import-table.module.css';
import { t } from './text.ts';

export function ImportColumns({
  draft,
  head,
  vocabulary,
  onChange,
}: {
  draft: FileTableDraft;
  head: Payload<'POST /schema/import/head'>;
  vocabulary: Vocabulary;
  onChange: (part: Partial<FileTableDraft>) => void;
}) {
  const { columns, key } = draft;
  const change = (source: string, part: Partial<FileColumn>): void =>
    onChange({ columns: columns.map((each) => (each.source === source ? { ...each, ...part } : each)) });
  const unique = new Set(head.columns.filter((column) => column.unique).map(({ name }) => name));
  const keys = columns.filter(({ source, isUsed }) => isUsed && unique.has(source));
  return (
    <fieldset className={classes.columns}>
      <legend className={classes.legend}>{t('schema.columns')}</legend>
      <p className={classes.why}>{t('import-table.inferred', { rows: head.rows })}</p>
      <ul className={classes.list}>
        {columns.map((column) => (
          <li key={column.source} className={classes.column} data-skipped={column.isUsed ? undefined : true}>
            <Checkbox
              size="xs"
              className={classes.use}
              label={column.source === '' ? t('import-table.unnamed') : column.source}
              aria-label={t('import-table.use', { column: column.source })}
              checked={column.isUsed}
              onChange={(event) => change(column.source, { isUsed: event.currentTarget.checked })}
            />
            <TextInput
              size="sm"
              aria-label={t('import-table.column-name', { column: column.source })}
              value={column.name}
              required={column.isUsed}
              disabled={!column.isUsed}
              maxLength={63}
              spellCheck={false}
              autoComplete="off"
              onChange={(event) => change(column.source, { name: event.currentTarget.value })}
            />
            <TypeField
              type={column.type}
              vocabulary={vocabulary}
              isLabelHidden
              onChange={(type) => change(column.source, { type })}
            />
            <span className={classes.example}>{exampleOf(head.sample, column.source)}</span>
          </li>
        ))}
      </ul>
      <NativeSelect
        size="sm"
        label={t('import-table.key')}
        description={t('import-table.key-why')}
        value={key.kind === 'column' ? `column ${key.source}` : key.kind}
        data={[
          { value: 'new', label: t('import-table.key-new') },
          ...keys.map(({ source, name }) => ({ value: `column ${source}`, label: name })),
          { value: 'none', label: t('import-table.key-none') },
        ]}
        onChange={(event) => onChange({ key: keyOf(event.currentTarget.value) })}
      />
    </fieldset>
  );
}

function keyOf(value: string): KeyChoice {
  if (value === 'new' || value === 'none') return { kind: value };
  return { kind: 'column', source: value.slice('column '.length) };
}
