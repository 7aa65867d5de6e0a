/** One column in the form for a new table. */
import { ActionIcon, Button, Checkbox, TextInput } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import type { Vocabulary } from './api.ts';
import { TypeField } from './column-fields.tsx';
import type { ColumnDraft } from './drafts.ts';
import forms from './forms.module.css';
import classes from './structure-page.module.css';
import { t } from './text.ts';

export function ColumnRow({
  column,
  vocabulary,
  onChange,
  onOpen,
  onRemove,
}: {
  column: ColumnDraft;
  vocabulary: Vocabulary;
  onChange: (part: Partial<ColumnDraft>) => void;
  /** Opens the panel with all of the column's fields. */
  onOpen: () => void;
  onRemove: () => void;
}) {
  return (
    <li className={classes.column}>
      <TextInput
        size="sm"
        aria-label={t('column.name')}
        placeholder={t('column.name')}
        value={column.name}
        required
        spellCheck={false}
        autoComplete="off"
        onChange={(event) => onChange({ name: event.currentTarget.value })}
      />
      <TypeField
        type={column.type}
        vocabulary={vocabulary}
        isLabelHidden
        onChange={(type) => onChange({ type })}
      />
      <TextInput
        size="sm"
        className={forms.mono}
        aria-label={t('column.value-default')}
        placeholder={t(column.value === 'none' ? 'column.value-default' : `column.value-${column.value}`)}
        value={column.expression}
        disabled={column.value === 'identity' || column.value === 'identity-always'}
        spellCheck={false}
        autoComplete="off"
        onChange={(event) => {
          const expression = event.currentTarget.value;
          const value = column.value === 'generated' ? 'generated' : expression === '' ? 'none' : 'default';
          onChange({ expression, value });
        }}
      />
      <Checkbox
        className={classes.check}
        label={t('column.primary')}
        checked={column.primary}
        onChange={(event) => onChange({ primary: event.currentTarget.checked })}
      />
      <Button
        size="compact-sm"
        variant="subtle"
        className={classes.check}
        aria-label={t('schema.edit', { name: column.name })}
        onClick={onOpen}
      >
        …
      </Button>
      <ActionIcon
        variant="subtle"
        color="gray"
        className={classes.check}
        aria-label={t('column.remove', { name: column.name })}
        onClick={onRemove}
      >
        <IconTrash size={15} aria-hidden />
      </ActionIcon>
    </li>
  );
}
