/** One column in the form for a new table. */
import { ActionIcon, Button, Checkbox, NativeSelect, TextInput } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { focusNew } from '../../../components/keyboard/focus-new.ts';
import { SearchSelect } from '../../../components/search-select.tsx';
import type { ReferenceAction, Vocabulary } from './api.ts';
import { TypeField } from './column-fields.tsx';
import type { ColumnDraft } from './drafts.ts';
import forms from './forms.module.css';
import { actions, useTargets } from './reference-fields.tsx';
import classes from './structure-page.module.css';
import { t } from './text.ts';
import { useReference } from './use-reference.ts';

/** The headings above the rows. Screen readers read the accessible name of each field instead. */
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

export function ColumnRow({
  column,
  vocabulary,
  isAdded,
  onChange,
  onOpen,
  onRemove,
}: {
  column: ColumnDraft;
  vocabulary: Vocabulary;
  /** Whether the operator has just added the column. If so, the column's name field receives focus. */
  isAdded: boolean;
  onChange: (part: Partial<ColumnDraft>) => void;
  /** Opens the panel with all of the column's fields. */
  onOpen: () => void;
  onRemove: () => void;
}) {
  const reference = useReference(column, vocabulary, onChange);
  const targets = useTargets();
  return (
    <li className={classes.column}>
      <TextInput
        ref={isAdded ? focusNew : undefined}
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
        mismatch={reference.mismatch}
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
        <span className={classes.columnReference}>
          <span aria-hidden>{t('column.references')}</span>
          <SearchSelect
            size="xs"
            label={t('column.references-of', { name: column.name })}
            isLabelHidden
            value={column.target}
            data={targets}
            onChange={(target) => reference.setTarget(target)}
          />
        </span>
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
