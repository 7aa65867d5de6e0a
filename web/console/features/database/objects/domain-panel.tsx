/** A domain with its checks, and the form for a new domain. */
import { ActionIcon, Button, Checkbox, TextInput } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useMay } from '../../../api/session.ts';
import { ExpressionField } from '../../../components/editor/expression-field.tsx';
import { Fact, Facts } from '../../../components/facts.tsx';
import { SidePanel } from '../../../components/frame/side-panel.tsx';
import { type SchemaChange, vocabularyQuery } from '../../tables/schema/api.ts';
import { ChangePanel } from '../../tables/schema/change-panel.tsx';
import { TypeField } from '../../tables/schema/column-fields.tsx';
import { typeOf } from '../../tables/schema/drafts.ts';
import { NameInput } from '../../tables/schema/name-input.tsx';
import parts from '../parts.module.css';
import type { TypeRow } from './api.ts';
import classes from './objects.module.css';
import { SchemaSelect } from './schema-select.tsx';
import { t } from './text.ts';
import { UsedBy } from './used-by.tsx';

type Mode =
  | { readonly kind: 'view' | 'edit' | 'check' | 'rename' }
  | { readonly kind: 'review'; readonly change: SchemaChange };

export function DomainPanel({ type, onClose }: { type: TypeRow; onClose: () => void }) {
  const [mode, setMode] = useState<Mode>({ kind: 'view' });
  const mayChange = useMay('write') && type.editable;
  const back = (): void => setMode({ kind: 'view' });
  const at = { schema: type.schema, name: type.name };
  const review = (change: SchemaChange): void => setMode({ kind: 'review', change });
  if (mode.kind === 'edit') return <EditDomain type={type} onClose={back} />;
  if (mode.kind === 'check') return <AddCheck type={type} onClose={back} />;
  if (mode.kind === 'rename') return <RenameType type={type} onClose={back} onDone={onClose} />;
  if (mode.kind === 'review')
    return (
      <ChangePanel
        title={t('types.change')}
        changes={[mode.change]}
        startsWithReview
        onClose={back}
        onDone={mode.change.kind === 'drop_domain' ? onClose : back}
      />
    );
  return (
    <SidePanel title={`${type.schema}.${type.name}`} onClose={onClose}>
      <div className={parts.panel}>
        {type.comment === null ? null : <p>{type.comment}</p>}
        <Facts>
          <Fact label={t('types.base')}>{type.base}</Fact>
          <Fact label={t('types.default')}>{type.default ?? '—'}</Fact>
          <Fact label={t('types.nullable')}>{t(type.notNull ? 'objects.no' : 'objects.yes')}</Fact>
          <Fact label={t('objects.owner')}>{type.owner}</Fact>
        </Facts>
        <section className={parts.section} aria-label={t('types.checks')}>
          <h3 className={parts.title}>{t('types.checks')}</h3>
          {type.checks.length === 0 ? (
            <p className={parts.dim}>{t('types.no-checks')}</p>
          ) : (
            <ul className={parts.items}>
              {type.checks.map(({ name, definition }) => (
                <li key={name} className={classes.row}>
                  <span className={classes.name}>
                    {name}
                    <span className={`${parts.sub} ${parts.code}`}>{definition}</span>
                  </span>
                  {mayChange ? (
                    <ActionIcon
                      variant="subtle"
                      color="gray"
                      aria-label={t('types.drop-check', { name })}
                      onClick={() => review({ kind: 'drop_domain_check', ...at, constraint: name })}
                    >
                      <IconX size={15} aria-hidden />
                    </ActionIcon>
                  ) : null}
                </li>
              ))}
            </ul>
          )}
        </section>
        {mayChange ? (
          <div className={parts.tools}>
            <Button size="compact-sm" variant="default" onClick={() => setMode({ kind: 'check' })}>
              {t('types.add-check')}
            </Button>
            <Button size="compact-sm" variant="default" onClick={() => setMode({ kind: 'edit' })}>
              {t('objects.edit')}
            </Button>
            <Button size="compact-sm" variant="default" onClick={() => setMode({ kind: 'rename' })}>
              {t('types.rename')}
            </Button>
            <Button
              size="compact-sm"
              variant="default"
              onClick={() => review({ kind: 'drop_domain', ...at })}
            >
              {t('objects.drop')}
            </Button>
          </div>
        ) : null}
        <UsedBy columns={type.columns} />
      </div>
    </SidePanel>
  );
}

export function RenameType({
  type: { kind, schema, name },
  onClose,
  onDone,
}: {
  type: TypeRow;
  onClose: () => void;
  onDone: () => void;
}) {
  const [to, setTo] = useState(name);
  const change: SchemaChange = {
    kind: kind === 'domain' ? 'rename_domain' : 'rename_composite',
    schema,
    name,
    to,
  };
  return (
    <ChangePanel
      title={t('types.rename')}
      changes={to === '' || to === name ? undefined : [change]}
      onClose={onClose}
      onDone={onDone}
    >
      <NameInput label={t('types.to')} value={to} onChange={setTo} />
    </ChangePanel>
  );
}

/** A check of a domain refers to the value as VALUE. */
const domainValue = { schema: '', table: '', columns: ['VALUE'] };

function EditDomain({ type, onClose }: { type: TypeRow; onClose: () => void }) {
  const [fallback, setDefault] = useState(type.default ?? '');
  const [notNull, setNotNull] = useState(type.notNull);
  const changed = {
    ...(notNull === type.notNull ? {} : { notNull }),
    ...(fallback === (type.default ?? '') ? {} : { default: fallback === '' ? null : fallback }),
  };
  return (
    <ChangePanel
      title={t('types.edit', { name: type.name })}
      changes={
        Object.keys(changed).length === 0
          ? undefined
          : [{ kind: 'alter_domain', schema: type.schema, name: type.name, ...changed }]
      }
      onClose={onClose}
    >
      <ExpressionField
        label={t('types.default')}
        description={t('types.default-why')}
        value={fallback}
        autoFocus
        onChange={setDefault}
      />
      <Checkbox
        label={t('types.not-null')}
        checked={notNull}
        onChange={(event) => setNotNull(event.currentTarget.checked)}
      />
    </ChangePanel>
  );
}

function AddCheck({ type: { schema, name }, onClose }: { type: TypeRow; onClose: () => void }) {
  const [constraint, setConstraint] = useState('');
  const [check, setCheck] = useState('');
  return (
    <ChangePanel
      title={t('types.add-check')}
      changes={
        check === ''
          ? undefined
          : [{ kind: 'add_domain_check', schema, name, check, ...(constraint === '' ? {} : { constraint }) }]
      }
      onClose={onClose}
    >
      <ExpressionField
        label={t('types.check')}
        description={t('types.check-why')}
        own={domainValue}
        value={check}
        autoFocus
        onChange={setCheck}
      />
      <TextInput
        size="sm"
        label={t('types.constraint')}
        value={constraint}
        spellCheck={false}
        autoComplete="off"
        onChange={(event) => setConstraint(event.currentTarget.value)}
      />
    </ChangePanel>
  );
}

export function NewDomain({ onClose }: { onClose: () => void }) {
  const { data: vocabulary } = useQuery(vocabularyQuery);
  const [schema, setSchema] = useState('public');
  const [name, setName] = useState('');
  const [base, setBase] = useState('text');
  const [check, setCheck] = useState('');
  const [fallback, setDefault] = useState('');
  const [notNull, setNotNull] = useState(false);
  const type = vocabulary === undefined ? undefined : typeOf(base, vocabulary);
  return (
    <ChangePanel
      title={t('types.new-domain')}
      changes={
        type === undefined || name === ''
          ? undefined
          : [
              {
                kind: 'create_domain',
                schema,
                name,
                type,
                notNull,
                ...(check === '' ? {} : { check }),
                ...(fallback === '' ? {} : { default: fallback }),
              },
            ]
      }
      onClose={onClose}
    >
      <NameInput label={t('objects.name')} value={name} onChange={setName} />
      <SchemaSelect value={schema} onChange={setSchema} />
      {vocabulary === undefined ? null : (
        <TypeField label={t('types.base')} type={base} vocabulary={vocabulary} onChange={setBase} />
      )}
      <ExpressionField
        label={t('types.check')}
        description={t('types.check-why')}
        own={domainValue}
        value={check}
        onChange={setCheck}
      />
      <ExpressionField
        label={t('types.default')}
        description={t('types.default-why')}
        value={fallback}
        onChange={setDefault}
      />
      <Checkbox
        label={t('types.not-null')}
        checked={notNull}
        onChange={(event) => setNotNull(event.currentTarget.checked)}
      />
    </ChangePanel>
  );
}
