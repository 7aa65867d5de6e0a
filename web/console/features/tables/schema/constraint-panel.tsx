/** Adds a key or a check to a table. */
import { Checkbox, NativeSelect, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { Relation } from '../../../api/types.ts';
import { ExpressionField } from '../../../components/editor/expression-field.tsx';
import { SearchSelect } from '../../../components/search-select.tsx';
import type { ConstraintDefinition, ReferenceAction, SchemaChange, StoredForeignKey } from './api.ts';
import { ChangePanel } from './change-panel.tsx';
import { namesIn, splitTarget } from './drafts.ts';
import classes from './forms.module.css';
import { IndexOffer, useIndexOffer } from './index-offer.tsx';
import { ActionField, useTargets } from './reference-fields.tsx';
import { t } from './text.ts';

const kinds = ['foreign key', 'unique', 'check', 'primary key'] as const;

export function NewConstraint({
  relation,
  replaces,
  onClose,
  onDone,
}: {
  relation: Relation;
  /** The foreign key to edit. PostgreSQL can't alter it, so it is dropped and added again in the same transaction. */
  replaces?: StoredForeignKey;
  onClose: () => void;
  /** Called after the change has run. */
  onDone?: () => void;
}) {
  const [kind, setKind] = useState<(typeof kinds)[number]>('foreign key');
  const [name, setName] = useState(replaces?.name ?? '');
  const [columns, setColumns] = useState(replaces?.columns.join(', ') ?? '');
  const [expression, setExpression] = useState('');
  const [target, setTarget] = useState(replaces === undefined ? '' : `${replaces.schema}.${replaces.table}`);
  const [targetColumns, setTargetColumns] = useState(replaces?.references.join(', ') ?? '');
  const [onDelete, setOnDelete] = useState<ReferenceAction>(replaces?.on_delete ?? 'no action');
  const [onUpdate, setOnUpdate] = useState<ReferenceAction>(replaces?.on_update ?? 'no action');
  const [nullsNotDistinct, setNulls] = useState(false);
  const [deferrable, setDeferrable] = useState(replaces?.deferrable ?? false);
  const targets = useTargets();
  const at = { schema: relation.schema, table: relation.name };
  const chosen = namesIn(columns);

  function constraint(): ConstraintDefinition | undefined {
    if (kind === 'check') return expression.trim() === '' ? undefined : { kind, expression };
    if (chosen.length === 0 || unknownIn(relation, chosen) !== undefined) return undefined;
    if (kind === 'primary key') return { kind, columns: chosen };
    if (kind === 'unique')
      return { kind, columns: chosen, ...(nullsNotDistinct ? { nullsNotDistinct: true } : {}) };
    const to = splitTarget(target);
    if (to === undefined) return undefined;
    const references = { ...to, columns: namesIn(targetColumns), onDelete, onUpdate };
    return { kind, columns: chosen, references, ...(deferrable ? { deferrable: true } : {}) };
  }

  const made = constraint();
  const added = made && {
    kind: 'add_constraint' as const,
    ...at,
    constraint: made,
    ...(name === '' ? {} : { name }),
  };
  const offer = useIndexOffer(at, made?.kind === 'foreign key' && replaces === undefined ? chosen : []);
  const [initial] = useState(() => JSON.stringify(added));
  function changes(): readonly SchemaChange[] | undefined {
    if (added === undefined) return undefined;
    if (replaces === undefined) return [added, ...offer.changes];
    if (JSON.stringify(added) === initial) return undefined;
    return [{ kind: 'drop_constraint', ...at, name: replaces.name, cascade: false }, added];
  }
  return (
    <ChangePanel
      title={
        replaces === undefined
          ? t('constraint.new', { table: relation.name })
          : t('constraint.edit', { name: replaces.name })
      }
      changes={changes()}
      onClose={onClose}
      {...(onDone === undefined ? {} : { onDone })}
    >
      {replaces === undefined ? (
        <NativeSelect
          size="sm"
          label={t('constraint.kind')}
          value={kind}
          data-autofocus
          onChange={(event) => setKind(event.currentTarget.value as (typeof kinds)[number])}
        >
          {kinds.map((each) => (
            <option key={each} value={each}>
              {t(`constraint.${each}`)}
            </option>
          ))}
        </NativeSelect>
      ) : null}
      {kind === 'check' ? (
        <ExpressionField
          label={t('column.check')}
          description={t('column.check-why')}
          value={expression}
          own={at}
          required
          onChange={setExpression}
        />
      ) : (
        <NamesField
          label={t('constraint.columns')}
          relation={relation}
          value={columns}
          onChange={setColumns}
        />
      )}
      {kind === 'foreign key' ? (
        <>
          <div className={classes.pair}>
            <SearchSelect label={t('constraint.target')} value={target} data={targets} onChange={setTarget} />
            <TextInput
              size="sm"
              label={t('constraint.target-columns')}
              placeholder={t('column.primary')}
              value={targetColumns}
              spellCheck={false}
              autoComplete="off"
              onChange={(event) => setTargetColumns(event.currentTarget.value)}
            />
          </div>
          <div className={classes.pair}>
            <ActionField label={t('column.on-delete')} value={onDelete} onChange={setOnDelete} />
            <ActionField label={t('column.on-update')} value={onUpdate} onChange={setOnUpdate} />
          </div>
          <Checkbox
            label={t('constraint.deferrable')}
            checked={deferrable}
            onChange={(event) => setDeferrable(event.currentTarget.checked)}
          />
          <IndexOffer offer={offer} />
        </>
      ) : null}
      {kind === 'unique' ? (
        <Checkbox
          label={t('constraint.nulls')}
          checked={nullsNotDistinct}
          onChange={(event) => setNulls(event.currentTarget.checked)}
        />
      ) : null}
      <TextInput
        size="sm"
        label={t('constraint.name-optional')}
        value={name}
        spellCheck={false}
        autoComplete="off"
        onChange={(event) => setName(event.currentTarget.value)}
      />
    </ChangePanel>
  );
}

const unknownIn = ({ columns }: Relation, names: readonly string[]): string | undefined =>
  names.find((name) => !columns.some((column) => column.name === name));

/** A field for an ordered list of the table's columns. */
export function NamesField({
  label,
  relation,
  value,
  onChange,
}: {
  label: string;
  relation: Relation;
  value: string;
  onChange: (value: string) => void;
}) {
  const unknown = unknownIn(relation, namesIn(value));
  return (
    <TextInput
      size="sm"
      label={label}
      description={t('constraint.columns-why')}
      placeholder={relation.columns.map(({ name }) => name).join(', ')}
      value={value}
      error={unknown === undefined ? undefined : t('constraint.unknown', { name: unknown })}
      spellCheck={false}
      autoComplete="off"
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
