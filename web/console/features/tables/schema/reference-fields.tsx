/** The fields of a column's foreign key. */
import { NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { tablesQuery } from '../../../api/queries.ts';
import { bySchema } from '../../../api/system-schemas.ts';
import { SearchSelect } from '../../../components/search-select.tsx';
import type { ReferenceAction } from './api.ts';
import type { ColumnDraft } from './drafts.ts';
import classes from './forms.module.css';
import { t } from './text.ts';
import type { Reference } from './use-reference.ts';

export const actions: readonly ReferenceAction[] = [
  'no action',
  'restrict',
  'cascade',
  'set null',
  'set default',
];

export function ReferenceFields({
  draft,
  reference,
  onChange,
}: {
  draft: ColumnDraft;
  reference: Reference;
  onChange: (part: Partial<ColumnDraft>) => void;
}) {
  const hasTarget = draft.target !== '';
  return (
    <>
      <div className={classes.pair}>
        <SearchSelect
          label={t('column.references')}
          value={draft.target}
          data={useTargets()}
          onChange={(target) => reference.setTarget(target)}
        />
        {hasTarget ? (
          <NativeSelect
            size="sm"
            label={t('column.target')}
            value={draft.targetColumn}
            data={[
              { value: '', label: t('column.primary') },
              ...reference.columns.map(({ name }) => ({ value: name, label: name })),
            ]}
            onChange={(event) => reference.setTarget(draft.target, event.currentTarget.value)}
          />
        ) : null}
      </div>
      {hasTarget ? (
        <div className={classes.pair}>
          <ActionField
            label={t('column.on-delete')}
            value={draft.onDelete}
            onChange={(onDelete) => onChange({ onDelete })}
          />
          <ActionField
            label={t('column.on-update')}
            value={draft.onUpdate}
            onChange={(onUpdate) => onChange({ onUpdate })}
          />
        </div>
      ) : null}
    </>
  );
}

/** The tables that a foreign key can reference, with the project's tables first. */
export function useTargets(): { value: string; label: string }[] {
  const { data: tables = [] } = useQuery(tablesQuery);
  return [
    { value: '', label: t('column.references-none') },
    ...tables
      .filter(({ kind }) => kind === 'table' || kind === 'partitioned table')
      .toSorted((left, right) => bySchema(left.schema, right.schema))
      // The schema `public` is omitted, so that typing the first letters of a table's name selects the table.
      .map(({ schema, name }) => ({
        value: `${schema}.${name}`,
        label: schema === 'public' ? name : `${schema}.${name}`,
      })),
  ];
}

export function ActionField({
  label,
  value,
  onChange,
}: {
  label: string;
  value: ReferenceAction;
  onChange: (action: ReferenceAction) => void;
}) {
  return (
    <NativeSelect
      size="sm"
      label={label}
      value={value}
      data={actions.map((action) => ({ value: action, label: t(`action.${action}`) }))}
      onChange={(event) => onChange(event.currentTarget.value as ReferenceAction)}
    />
  );
}
