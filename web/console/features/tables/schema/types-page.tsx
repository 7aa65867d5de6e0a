/** Lists the project's enums, and lets operators change them. */
import { ActionIcon, Button, NativeSelect, Textarea } from '@mantine/core';
import { IconList, IconPencil, IconPlus, IconTrash } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useMay } from '../../../api/session.ts';
import { bySchema, isSystemSchema } from '../../../api/system-schemas.ts';
import { EmptyState } from '../../../components/empty-state.tsx';
import { PageHead } from '../../../components/frame/page.tsx';
import { SkeletonLines } from '../../../components/frame/skeleton.tsx';
import { ProblemBox } from '../../../components/problem-box.tsx';
import { Tag } from '../../../components/tag.tsx';
import { BackLink } from '../back-link.tsx';
import { type EnumType, enumsQuery, vocabularyQuery } from './api.ts';
import { ChangePanel } from './change-panel.tsx';
import { linesIn } from './drafts.ts';
import { NameInput } from './name-input.tsx';
import classes from './structure-page.module.css';
import { t } from './text.ts';

type Open =
  | { readonly kind: 'new' }
  | { readonly kind: 'add' | 'rename' | 'drop'; readonly type: EnumType }
  | { readonly kind: 'value'; readonly type: EnumType; readonly value: string };

export function TypesPage() {
  const { data, error } = useQuery(enumsQuery);
  const [open, setOpen] = useState<Open>();
  const mayWrite = useMay('write');
  const close = (): void => setOpen(undefined);
  const types = (data ?? []).toSorted((left, right) => bySchema(left.schema, right.schema));
  const own = types.filter(({ schema }) => !isSystemSchema(schema));
  const system = types.filter(({ schema }) => isSystemSchema(schema));
  const create = mayWrite ? (
    <Button
      size="compact-sm"
      leftSection={<IconPlus size={15} aria-hidden />}
      onClick={() => setOpen({ kind: 'new' })}
    >
      {t('enum.new')}
    </Button>
  ) : null;
  return (
    <div className={classes.page}>
      <PageHead title={t('enum.title')} back={<BackLink />}>
        {create}
      </PageHead>
      {error === null ? null : <ProblemBox error={error} />}
      {data === undefined && error === null ? <SkeletonLines lines={8} /> : null}
      {data !== undefined && own.length === 0 ? (
        <EmptyState
          icon={<IconList size={22} stroke={1.75} />}
          title={t('enum.none-title')}
          text={t('enum.none-text')}
        />
      ) : null}
      <div className={classes.sections}>
        {own.map((type) => (
          <EnumSection
            key={`${type.schema}.${type.name}`}
            type={type}
            onOpen={mayWrite ? setOpen : undefined}
          />
        ))}
        {system.length === 0 ? null : (
          <details className={classes.system}>
            <summary>{t('enum.system-count', { count: system.length })}</summary>
            <p className={classes.note}>{t('enum.system-why')}</p>
            {system.map((type) => (
              <EnumSection key={`${type.schema}.${type.name}`} type={type} onOpen={undefined} />
            ))}
          </details>
        )}
      </div>
      {open === undefined ? null : open.kind === 'new' ? (
        <NewEnum onClose={close} />
      ) : open.kind === 'add' ? (
        <AddValue type={open.type} onClose={close} />
      ) : open.kind === 'drop' ? (
        <ChangePanel
          title={t('review.title')}
          changes={[{ kind: 'drop_enum', schema: open.type.schema, name: open.type.name }]}
          startsWithReview
          onClose={close}
        />
      ) : (
        <Rename open={open} onClose={close} />
      )}
    </div>
  );
}

/** Shows an enum. `onOpen` is undefined if the type can't be changed. */
function EnumSection({ type, onOpen }: { type: EnumType; onOpen: ((open: Open) => void) | undefined }) {
  const { schema, name, values, columns } = type;
  return (
    <section className={classes.section}>
      <div className={classes.sectionHead}>
        <h2 className={classes.sectionTitle}>
          <span className={classes.schema}>{schema}.</span>
          {name}
        </h2>
        {onOpen === undefined ? null : (
          <div className={classes.tools}>
            <Button size="compact-sm" variant="default" onClick={() => onOpen({ kind: 'add', type })}>
              {t('enum.add')}
            </Button>
            <Button size="compact-sm" variant="default" onClick={() => onOpen({ kind: 'rename', type })}>
              {t('enum.rename')}
            </Button>
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={t('schema.drop', { name })}
              onClick={() => onOpen({ kind: 'drop', type })}
            >
              <IconTrash size={15} aria-hidden />
            </ActionIcon>
          </div>
        )}
      </div>
      <ul className={classes.items}>
        {values.map((value) => (
          <li key={value} className={classes.item}>
            <div className={classes.itemMain}>{value}</div>
            {onOpen === undefined ? null : (
              <ActionIcon
                variant="subtle"
                color="gray"
                aria-label={t('enum.rename-value', { value })}
                onClick={() => onOpen({ kind: 'value', type, value })}
              >
                <IconPencil size={15} aria-hidden />
              </ActionIcon>
            )}
          </li>
        ))}
      </ul>
      <p className={classes.note}>
        {t('enum.used-by')}{' '}
        {columns.length === 0
          ? t('enum.unused')
          : columns.map(({ schema: inSchema, table, column }) => (
              <Tag key={`${inSchema}.${table}.${column}`}>{`${inSchema}.${table}.${column}`}</Tag>
            ))}
      </p>
    </section>
  );
}

function NewEnum({ onClose }: { onClose: () => void }) {
  const { data: vocabulary } = useQuery(vocabularyQuery);
  const [schema, setSchema] = useState('public');
  const [name, setName] = useState('');
  const [values, setValues] = useState('');
  const isReady = name !== '' && linesIn(values).length > 0;
  return (
    <ChangePanel
      title={t('enum.new')}
      changes={isReady ? [{ kind: 'create_enum', schema, name, values: linesIn(values) }] : undefined}
      onClose={onClose}
    >
      <NameInput label={t('schema.name')} value={name} onChange={setName} />
      <NativeSelect
        size="sm"
        label={t('table.schema')}
        data={[...(vocabulary?.schemas ?? ['public'])].sort(bySchema)}
        value={schema}
        onChange={(event) => setSchema(event.currentTarget.value)}
      />
      <Textarea
        size="sm"
        label={t('enum.values')}
        rows={5}
        value={values}
        required
        spellCheck={false}
        onChange={(event) => setValues(event.currentTarget.value)}
      />
    </ChangePanel>
  );
}

function AddValue({ type, onClose }: { type: EnumType; onClose: () => void }) {
  const [value, setValue] = useState('');
  const [before, setBefore] = useState('');
  const position = before === '' ? {} : { before };
  return (
    <ChangePanel
      title={t('enum.add')}
      changes={
        value === ''
          ? undefined
          : [{ kind: 'add_enum_value', schema: type.schema, name: type.name, value, ...position }]
      }
      onClose={onClose}
    >
      <NameInput label={t('enum.value')} value={value} onChange={setValue} />
      <NativeSelect
        size="sm"
        label={t('enum.before')}
        value={before}
        onChange={(event) => setBefore(event.currentTarget.value)}
      >
        <option value="">{t('enum.at-end')}</option>
        {type.values.map((each) => (
          <option key={each}>{each}</option>
        ))}
      </NativeSelect>
    </ChangePanel>
  );
}

function Rename({
  open,
  onClose,
}: {
  open: Extract<Open, { kind: 'rename' | 'add' | 'drop' } | { kind: 'value' }>;
  onClose: () => void;
}) {
  const { schema, name } = open.type;
  const previous = open.kind === 'value' ? open.value : name;
  const [to, setTo] = useState(previous);
  const isReady = to !== '' && to !== previous;
  return (
    <ChangePanel
      title={t('enum.rename')}
      changes={
        !isReady
          ? undefined
          : open.kind === 'value'
            ? [{ kind: 'rename_enum_value', schema, name, value: previous, to }]
            : [{ kind: 'rename_enum', schema, name, to }]
      }
      onClose={onClose}
    >
      <NameInput label={t('enum.to')} value={to} onChange={setTo} />
    </ChangePanel>
  );
}
