/** One column in the form for a new table. */
import { ActionIcon, Button, Checkbox, NativeSelect, TextInput } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import type { ReferenceAction, Vocabulary } from './api.ts';
import { actions, TypeField } from './column-fields.tsx';
import { type ColumnDraft, splitTarget } from './drafts.ts';
import forms from './forms.module.css';
import classes from './structure-page.module.css';
import { t } from './text.ts';

/** The headings above the rows. Screen readers use the name of each field instead. */
export function ColumnHeads() {
  return (
    <div className={classes.columnHeads} aria-hidden>
      <span>{t('column.name')}</span>
      <span>{t('column.type')}</span>
      <span>{t('column.value')}</span>
      <span>{t('column.primary')}</span>
      <span>{t('column.nullable')}</span>
    </div>
  );
}

/** Returns the name of the table that a column references. */
function referenceOf({ target }: ColumnDraft): string {
  const { schema = '', table = '' } = splitTarget(target) ?? {};
  if (table === '') return t('column.references-none');
  return schema === 'public' ? table : target;
}

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
        className={`${forms.mono} ${classes.columnDefault}`}
        aria-label={t('column.value')}
        placeholder={t(`column.value-${column.value}`)}
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
        classNames={{ label: classes.checkLabel }}
        label={t('column.primary')}
        checked={column.primary}
        onChange={(event) => onChange({ primary: event.currentTarget.checked })}
      />
      <Checkbox
        className={classes.check}
        classNames={{ label: classes.checkLabel }}
        label={t('column.nullable')}
        checked={column.nullable && !column.primary}
        disabled={column.primary}
        onChange={(event) => onChange({ nullable: event.currentTarget.checked })}
      />
      <ActionIcon
        variant="subtle"
        color="gray"
        className={classes.check}
        aria-label={t('column.remove', { name: column.name })}
        onClick={onRemove}
      >
        <IconTrash size={15} aria-hidden />
      </ActionIcon>
      <div className={classes.columnMore}>
        <Button
          size="compact-sm"
          variant="subtle"
          className={classes.columnReference}
          aria-label={t('column.references-of', { name: column.name, reference: referenceOf(column) })}
          onClick={onOpen}
        >
          {t('column.references-is', { reference: referenceOf(column) })}
        </Button>
        {column.target === '' ? null : (
          <NativeSelect
            size="xs"
            aria-label={t('column.on-delete-of', { name: column.name })}
            value={column.onDelete}
            data={actions.map((value) => ({
              value,
              label: t('column.on-delete-is', { action: t(`action.${value}`) }),
            }))}
            onChange={(event) => onChange({ onDelete: event.currentTarget.value as ReferenceAction })}
          />
        )}
        <Button
          size="compact-sm"
          variant="subtle"
          aria-label={t('column.more-of', { name: column.name })}
          onClick={onOpen}
        >
          {t('column.more')}
        </Button>
      </div>
    </li>
  );
}
