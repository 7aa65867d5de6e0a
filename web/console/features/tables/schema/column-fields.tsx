import { Checkbox, NativeSelect, TextInput } from '@mantine/core';
import { useId } from 'react';
import { ExpressionField } from '../../../components/editor/expression-field.tsx';
import type { OwnTable } from '../../../components/editor/types.ts';
import type { Vocabulary } from './api.ts';
import { type ColumnDraft, typeOf, type ValueKind } from './drafts.ts';
import classes from './forms.module.css';
import { ReferenceFields } from './reference-fields.tsx';
import { t } from './text.ts';
import { useReference } from './use-reference.ts';

const valueKinds: readonly ValueKind[] = ['none', 'default', 'identity', 'identity-always', 'generated'];

/** The help is below the field, so that fields beside each other are at the same height. */
const helpBelow: ('label' | 'input' | 'description' | 'error')[] = ['label', 'input', 'description', 'error'];

export function ColumnFields({
  draft,
  vocabulary,
  table,
  isStored,
  onChange,
}: {
  draft: ColumnDraft;
  vocabulary: Vocabulary;
  /** The table whose columns a check or a generated column can use. */
  table: OwnTable;
  /** Whether the column already exists. If so, properties that can be set only on creation are hidden. */
  isStored: boolean;
  onChange: (part: Partial<ColumnDraft>) => void;
}) {
  const reference = useReference(draft, vocabulary, onChange);
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
          mismatch={reference.mismatch}
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
          <ExpressionField
            label={t('column.expression')}
            description={t('column.expression-why')}
            value={draft.expression}
            // A default can't refer to columns.
            {...(draft.value === 'generated' ? { own: table } : {})}
            required
            onChange={(expression) => onChange({ expression })}
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
          <ExpressionField
            label={t('column.check')}
            description={t('column.check-why')}
            value={draft.check}
            own={{ ...table, columns: [...new Set([...(table.columns ?? []), draft.name])].filter(Boolean) }}
            onChange={(check) => onChange({ check })}
          />
          <ReferenceFields draft={draft} reference={reference} onChange={onChange} />
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
  mismatch,
  onChange,
}: {
  type: string;
  vocabulary: Vocabulary;
  /** The reason why the type can't be used although it is known. */
  mismatch?: string | undefined;
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
        error={isKnown || type === '' ? mismatch : t('column.type-unknown')}
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
