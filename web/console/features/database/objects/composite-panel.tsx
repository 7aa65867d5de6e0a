/** A composite type or a range type, and the form for a new composite type. */
import { ActionIcon, Button, TextInput } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useMay } from '../../../api/session.ts';
import { Fact, Facts } from '../../../components/facts.tsx';
import { SidePanel } from '../../../components/frame/side-panel.tsx';
import { type TypeRef, type Vocabulary, vocabularyQuery } from '../../tables/schema/api.ts';
import { ChangePanel } from '../../tables/schema/change-panel.tsx';
import { TypeField } from '../../tables/schema/column-fields.tsx';
import { typeOf } from '../../tables/schema/drafts.ts';
import { NameInput } from '../../tables/schema/name-input.tsx';
import parts from '../parts.module.css';
import type { TypeRow } from './api.ts';
import { RenameType } from './domain-panel.tsx';
import classes from './objects.module.css';
import { SchemaSelect } from './schema-select.tsx';
import { t } from './text.ts';
import { UsedBy } from './used-by.tsx';

export function CompositePanel({ type, onClose }: { type: TypeRow; onClose: () => void }) {
  const [mode, setMode] = useState<'view' | 'add' | 'rename' | 'drop'>('view');
  const mayChange = useMay('write') && type.editable;
  const back = (): void => setMode('view');
  if (mode === 'add') return <AddAttribute type={type} onClose={back} />;
  if (mode === 'rename') return <RenameType type={type} onClose={back} onDone={onClose} />;
  if (mode === 'drop')
    return (
      <ChangePanel
        title={t('types.drop')}
        changes={[{ kind: 'drop_composite', schema: type.schema, name: type.name }]}
        startsWithReview
        onClose={back}
        onDone={onClose}
      />
    );
  return (
    <SidePanel title={`${type.schema}.${type.name}`} onClose={onClose}>
      <div className={parts.panel}>
        {type.comment === null ? null : <p>{type.comment}</p>}
        <Facts>
          {type.base === null ? null : <Fact label={t('types.base')}>{type.base}</Fact>}
          <Fact label={t('objects.owner')}>{type.owner}</Fact>
        </Facts>
        {type.attributes.length === 0 ? null : (
          <section className={parts.section} aria-label={t('types.attributes')}>
            <h3 className={parts.title}>{t('types.attributes')}</h3>
            <ul className={parts.items}>
              {type.attributes.map((each) => (
                <li key={each.name} className={parts.item}>
                  <span className={parts.name}>{each.name}</span>
                  <span className={parts.code}>{each.type}</span>
                </li>
              ))}
            </ul>
          </section>
        )}
        {mayChange ? (
          <div className={parts.tools}>
            {type.kind === 'composite' ? (
              <Button size="compact-sm" variant="default" onClick={() => setMode('add')}>
                {t('types.add-attribute')}
              </Button>
            ) : null}
            <Button size="compact-sm" variant="default" onClick={() => setMode('rename')}>
              {t('types.rename')}
            </Button>
            <Button size="compact-sm" variant="default" onClick={() => setMode('drop')}>
              {t('objects.drop')}
            </Button>
          </div>
        ) : null}
        <UsedBy columns={type.columns} />
      </div>
    </SidePanel>
  );
}

interface Draft {
  readonly name: string;
  readonly type: string;
}

/** Returns the attributes, or undefined if one of them is incomplete. */
function attributesOf(
  drafts: readonly Draft[],
  vocabulary: Vocabulary | undefined,
): { readonly name: string; readonly type: TypeRef }[] | undefined {
  if (vocabulary === undefined) return undefined;
  const attributes = drafts.flatMap(({ name, type }) => {
    const known = typeOf(type, vocabulary);
    return name === '' || known === undefined ? [] : [{ name, type: known }];
  });
  return attributes.length === drafts.length ? attributes : undefined;
}

function AttributeFields({
  draft,
  position,
  vocabulary,
  onChange,
  onRemove,
}: {
  draft: Draft;
  position: number;
  vocabulary: Vocabulary;
  onChange: (draft: Draft) => void;
  onRemove?: (() => void) | undefined;
}) {
  return (
    <div className={classes.pair}>
      <TextInput
        size="sm"
        label={t('types.attribute', { position })}
        value={draft.name}
        required
        spellCheck={false}
        autoComplete="off"
        onChange={(event) => onChange({ ...draft, name: event.currentTarget.value })}
      />
      <div>
        <TypeField
          label={t('types.attribute-type', { position })}
          type={draft.type}
          vocabulary={vocabulary}
          onChange={(type) => onChange({ ...draft, type })}
        />
      </div>
      {onRemove === undefined ? null : (
        <ActionIcon
          variant="subtle"
          color="gray"
          size="lg"
          aria-label={t('types.remove-attribute', { position })}
          onClick={onRemove}
        >
          <IconX size={16} aria-hidden />
        </ActionIcon>
      )}
    </div>
  );
}

function AddAttribute({ type: { schema, name }, onClose }: { type: TypeRow; onClose: () => void }) {
  const { data: vocabulary } = useQuery(vocabularyQuery);
  const [draft, setDraft] = useState<Draft>({ name: '', type: 'text' });
  const [attribute] = attributesOf([draft], vocabulary) ?? [];
  return (
    <ChangePanel
      title={t('types.add-attribute')}
      changes={attribute === undefined ? undefined : [{ kind: 'add_attribute', schema, name, attribute }]}
      onClose={onClose}
    >
      {vocabulary === undefined ? null : (
        <AttributeFields draft={draft} position={1} vocabulary={vocabulary} onChange={setDraft} />
      )}
    </ChangePanel>
  );
}

export function NewComposite({ onClose }: { onClose: () => void }) {
  const { data: vocabulary } = useQuery(vocabularyQuery);
  const [schema, setSchema] = useState('public');
  const [name, setName] = useState('');
  const [drafts, setDrafts] = useState<readonly Draft[]>([{ name: '', type: 'text' }]);
  const attributes = attributesOf(drafts, vocabulary);
  return (
    <ChangePanel
      title={t('types.new-composite')}
      changes={
        name === '' || attributes === undefined
          ? undefined
          : [{ kind: 'create_composite', schema, name, attributes }]
      }
      onClose={onClose}
    >
      <NameInput label={t('objects.name')} value={name} onChange={setName} />
      <SchemaSelect value={schema} onChange={setSchema} />
      {vocabulary === undefined
        ? null
        : drafts.map((draft, index) => (
            <AttributeFields
              // biome-ignore lint/suspicious/noArrayIndexKey: the fields have no other identity while they are empty
              key={index}
              draft={draft}
              position={index + 1}
              vocabulary={vocabulary}
              onChange={(next) => setDrafts(drafts.with(index, next))}
              onRemove={drafts.length === 1 ? undefined : () => setDrafts(drafts.toSpliced(index, 1))}
            />
          ))}
      <div>
        <Button
          size="compact-sm"
          variant="default"
          onClick={() => setDrafts([...drafts, { name: '', type: 'text' }])}
        >
          {t('types.add-attribute')}
        </Button>
      </div>
    </ChangePanel>
  );
}
