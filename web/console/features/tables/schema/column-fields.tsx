import { Checkbox, NativeSelect, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { relationQuery, tablesQuery } from '../../../api/queries.ts';
import type { ReferenceAction, Vocabulary } from './api.ts';
import { type ColumnDraft, splitTarget, typeOf, type ValueKind } from './drafts.ts';
import classes from './forms.module.css';
import { t } from './text.ts';

const valueKinds: readonly ValueKind[] = ['none', 'default', 'identity', 'identity-always', 'generated'];
export const actions: readonly ReferenceAction[] = [
  'no action',
  'restrict',
  'cascade',
  'set null',
  'set default',
];

/** The help is below the field, so that fields beside each other are at the same height. */
const helpBelow: ('label' | 'input' | 'description' | 'error')[] = ['label', 'input', 'description', 'error'];

export function ColumnFields({
  draft,
  vocabulary,
  isStored,
  onChange,
}: {
  draft: ColumnDraft;
  vocabulary: Vocabulary;
  /** Whether the column already exists. If so, properties that can be set only on creation are hidden. */
  isStored: boolean;
  onChange: (part: Partial<ColumnDraft>) => void;
}) {
  const kinds = valueKinds.filter(
    (kind) => !isStored || (draft.value === 'generated' ? kind === 'generated' : kind !== 'generated'),
  );
  const hasExpression = draft.value === 'default' || (draft.value === 'generated' && !isStored);
  return (
    <>
      <div className={classes.pair}>
        <TextInput
          size="sm"
          label={t('column.name')}
          value={draft.name}
          required
          spellCheck={false}
          autoComplete="off"
          data-autofocus
          onChange={(event) => onChange({ name: event.currentTarget.value })}
        />
        <TypeField
          type={draft.type}
          vocabulary={vocabulary}
          description={t('column.type-why')}
          onChange={(type) => onChange({ type })}
        />
      </div>
      <div className={classes.pair}>
        <NativeSelect
          size="sm"
          label={t('column.value')}
          value={draft.value}
          onChange={(event) => onChange({ value: event.currentTarget.value as ValueKind })}
        >
          {kinds.map((kind) => (
            <option key={kind} value={kind}>
              {t(`column.value-${kind}`)}
            </option>
          ))}
        </NativeSelect>
        {hasExpression ? (
          <TextInput
            size="sm"
            className={classes.mono}
            label={t('column.expression')}
            inputWrapperOrder={helpBelow}
            description={t('column.expression-why')}
            value={draft.expression}
            required
            spellCheck={false}
            autoComplete="off"
            onChange={(event) => onChange({ expression: event.currentTarget.value })}
          />
        ) : null}
      </div>
      <div className={classes.checks}>
        <Checkbox
          label={t('column.nullable')}
          checked={draft.nullable && !draft.primary}
          disabled={draft.primary}
          onChange={(event) => onChange({ nullable: event.currentTarget.checked })}
        />
        {isStored ? null : (
          <Checkbox
            label={t('column.unique')}
            checked={draft.unique}
            onChange={(event) => onChange({ unique: event.currentTarget.checked })}
          />
        )}
      </div>
      {isStored ? null : (
        <>
          <TextInput
            size="sm"
            className={classes.mono}
            label={t('column.check')}
            description={t('column.check-why')}
            value={draft.check}
            spellCheck={false}
            autoComplete="off"
            onChange={(event) => onChange({ check: event.currentTarget.value })}
          />
          <ReferenceFields draft={draft} onChange={onChange} />
        </>
      )}
      <TextInput
        size="sm"
        label={t('schema.comment')}
        value={draft.comment}
        autoComplete="off"
        onChange={(event) => onChange({ comment: event.currentTarget.value })}
      />
    </>
  );
}

export function TypeField({
  type,
  vocabulary,
  description,
  label = t('column.type'),
  isLabelHidden = false,
  onChange,
}: {
  type: string;
  vocabulary: Vocabulary;
  description?: string;
  label?: string;
  isLabelHidden?: boolean;
  onChange: (type: string) => void;
}) {
  const id = useId();
  const isKnown = typeOf(type, vocabulary) !== undefined;
  return (
    <>
      <TextInput
        size="sm"
        className={classes.mono}
        {...(isLabelHidden ? { 'aria-label': label } : { label })}
        {...(description === undefined ? {} : { description })}
        inputWrapperOrder={helpBelow}
        list={id}
        value={type}
        required
        error={isKnown || type === '' ? undefined : t('column.type-unknown')}
        spellCheck={false}
        autoComplete="off"
        onChange={(event) => onChange(event.currentTarget.value)}
      />
      <datalist id={id}>
        {vocabulary.types.map(({ schema, name }) => (
          <option key={`${schema}.${name}`} value={schema === 'public' ? name : `${schema}.${name}`} />
        ))}
        {vocabulary.own_types.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </>
  );
}

function ReferenceFields({
  draft,
  onChange,
}: {
  draft: ColumnDraft;
  onChange: (part: Partial<ColumnDraft>) => void;
}) {
  const { data: tables = [] } = useQuery(tablesQuery);
  const target = splitTarget(draft.target);
  const { data: relation } = useQuery({
    ...relationQuery(target ?? { schema: '', table: '' }),
    enabled: target !== undefined,
  });
  const columns = relation?.columns ?? [];
  return (
    <>
      <div className={classes.pair}>
        <NativeSelect
          size="sm"
          label={t('column.references')}
          value={draft.target}
          onChange={(event) => onChange({ target: event.currentTarget.value, targetColumn: '' })}
        >
          <option value="">{t('column.references-none')}</option>
          {tables
            .filter(({ kind }) => kind === 'table' || kind === 'partitioned table')
            .map(({ schema, name }) => (
              <option key={`${schema}.${name}`}>{`${schema}.${name}`}</option>
            ))}
        </NativeSelect>
        {target === undefined ? null : (
          <NativeSelect
            size="sm"
            label={t('column.target')}
            value={draft.targetColumn}
            onChange={(event) => onChange({ targetColumn: event.currentTarget.value })}
          >
            <option value="">{t('column.primary')}</option>
            {columns.map(({ name }) => (
              <option key={name}>{name}</option>
            ))}
          </NativeSelect>
        )}
      </div>
      {target === undefined ? null : (
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
      )}
    </>
  );
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
      onChange={(event) => onChange(event.currentTarget.value as ReferenceAction)}
    >
      {actions.map((action) => (
        <option key={action} value={action}>
          {t(`action.${action}`)}
        </option>
      ))}
    </NativeSelect>
  );
}
