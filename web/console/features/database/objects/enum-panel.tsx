/** An enum with its values, which can be added and renamed, and the form for a new enum. */
import { ActionIcon, Button, Textarea } from '@mantine/core';
import { IconPencil } from '@tabler/icons-react';
import { useState } from 'react';
import { useMay } from '../../../api/session.ts';
import { isSystemSchema } from '../../../api/system-schemas.ts';
import { SidePanel } from '../../../components/frame/side-panel.tsx';
import { SearchSelect } from '../../../components/search-select.tsx';
import type { EnumType } from '../../tables/schema/api.ts';
import { ChangePanel } from '../../tables/schema/change-panel.tsx';
import { linesIn } from '../../tables/schema/drafts.ts';
import { NameInput } from '../../tables/schema/name-input.tsx';
import parts from '../parts.module.css';
import classes from './objects.module.css';
import { SchemaSelect } from './schema-select.tsx';
import { t } from './text.ts';
import { UsedBy } from './used-by.tsx';

type Mode =
  | { readonly kind: 'view' | 'add' | 'rename' | 'drop' }
  | { readonly kind: 'value'; readonly value: string };

export function EnumPanel({ type, onClose }: { type: EnumType; onClose: () => void }) {
  const [mode, setMode] = useState<Mode>({ kind: 'view' });
  const mayChange = useMay('write') && !isSystemSchema(type.schema);
  const back = (): void => setMode({ kind: 'view' });
  const { schema, name } = type;
  if (mode.kind === 'add') return <AddValue type={type} onClose={back} />;
  if (mode.kind === 'rename') return <Rename type={type} onClose={back} onDone={onClose} />;
  if (mode.kind === 'value') return <RenameValue type={type} value={mode.value} onClose={back} />;
  if (mode.kind === 'drop')
    return (
      <ChangePanel
        title={t('types.drop')}
        changes={[{ kind: 'drop_enum', schema, name }]}
        startsWithReview
        onClose={back}
        onDone={onClose}
      />
    );
  return (
    <SidePanel title={`${schema}.${name}`} onClose={onClose}>
      <div className={parts.panel}>
        <section className={parts.section} aria-label={t('enum.values')}>
          <h3 className={parts.title}>{t('enum.values')}</h3>
          <ul className={parts.items}>
            {type.values.map((value) => (
              <li key={value} className={classes.row}>
                <span className={classes.name}>{value}</span>
                {mayChange ? (
                  <ActionIcon
                    variant="subtle"
                    color="gray"
                    aria-label={t('enum.rename-value', { value })}
                    onClick={() => setMode({ kind: 'value', value })}
                  >
                    <IconPencil size={15} aria-hidden />
                  </ActionIcon>
                ) : null}
              </li>
            ))}
          </ul>
        </section>
        {mayChange ? (
          <div className={parts.tools}>
            <Button size="compact-sm" onClick={() => setMode({ kind: 'add' })}>
              {t('enum.add')}
            </Button>
            <Button size="compact-sm" variant="default" onClick={() => setMode({ kind: 'rename' })}>
              {t('types.rename')}
            </Button>
            <Button size="compact-sm" variant="default" onClick={() => setMode({ kind: 'drop' })}>
              {t('objects.drop')}
            </Button>
          </div>
        ) : null}
        <UsedBy columns={type.columns} />
      </div>
    </SidePanel>
  );
}

function AddValue({ type: { schema, name, values }, onClose }: { type: EnumType; onClose: () => void }) {
  const [value, setValue] = useState('');
  const [before, setBefore] = useState('');
  const position = before === '' ? {} : { before };
  return (
    <ChangePanel
      title={t('enum.add')}
      changes={value === '' ? undefined : [{ kind: 'add_enum_value', schema, name, value, ...position }]}
      onClose={onClose}
    >
      <NameInput label={t('enum.value')} value={value} onChange={setValue} />
      <SearchSelect
        label={t('enum.before')}
        value={before}
        data={[{ value: '', label: t('enum.at-end') }, ...values]}
        onChange={setBefore}
      />
    </ChangePanel>
  );
}

function RenameValue({
  type: { schema, name },
  value,
  onClose,
}: {
  type: EnumType;
  value: string;
  onClose: () => void;
}) {
  const [to, setTo] = useState(value);
  return (
    <ChangePanel
      title={t('enum.rename-value', { value })}
      changes={
        to === '' || to === value ? undefined : [{ kind: 'rename_enum_value', schema, name, value, to }]
      }
      onClose={onClose}
    >
      <NameInput label={t('types.to')} value={to} onChange={setTo} />
    </ChangePanel>
  );
}

function Rename({
  type: { schema, name },
  onClose,
  onDone,
}: {
  type: EnumType;
  onClose: () => void;
  onDone: () => void;
}) {
  const [to, setTo] = useState(name);
  return (
    <ChangePanel
      title={t('types.rename')}
      changes={to === '' || to === name ? undefined : [{ kind: 'rename_enum', schema, name, to }]}
      onClose={onClose}
      onDone={onDone}
    >
      <NameInput label={t('types.to')} value={to} onChange={setTo} />
    </ChangePanel>
  );
}

export function NewEnum({ onClose }: { onClose: () => void }) {
  const [schema, setSchema] = useState('public');
  const [name, setName] = useState('');
  const [values, setValues] = useState('');
  const isReady = name !== '' && linesIn(values).length > 0;
  return (
    <ChangePanel
      title={t('types.new-enum')}
      changes={isReady ? [{ kind: 'create_enum', schema, name, values: linesIn(values) }] : undefined}
      onClose={onClose}
    >
      <NameInput label={t('objects.name')} value={name} onChange={setName} />
      <SchemaSelect value={schema} onChange={setSchema} />
      <Textarea
        size="sm"
        label={t('enum.values-lines')}
        rows={5}
        value={values}
        required
        spellCheck={false}
        onChange={(event) => setValues(event.currentTarget.value)}
      />
    </ChangePanel>
  );
}
