/** Lists sequences with the share of their values that is used, and creates, changes and drops them. */
import { Button, Checkbox, NativeSelect, TextInput } from '@mantine/core';
import { IconListNumbers } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useMay } from '../../../api/session.ts';
import { Fact, Facts } from '../../../components/facts.tsx';
import { SidePanel } from '../../../components/frame/side-panel.tsx';
import list from '../../../components/list.module.css';
import { Tag } from '../../../components/tag.tsx';
import type { SchemaChange } from '../../tables/schema/api.ts';
import { ChangePanel } from '../../tables/schema/change-panel.tsx';
import { NameInput } from '../../tables/schema/name-input.tsx';
import { type ChangeSearch, merged } from '../list-tools.tsx';
import { ObjectList } from '../object-list.tsx';
import parts from '../parts.module.css';
import { type SequenceRow, sequencesQuery } from './api.ts';
import { SchemaSelect } from './schema-select.tsx';
import { t } from './text.ts';

const route = getRouteApi('/app/database/sequences');

const keyOf = ({ schema, name }: SequenceRow): string => `${schema}.${name}`;

export function SequencesPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const query = useQuery(sequencesQuery);
  const mayWrite = useMay('write');
  const [isCreating, setCreating] = useState(false);
  const change: ChangeSearch = (next) =>
    void navigate({ search: (previous) => merged(previous, next), replace: !('open' in next) });
  const opened = query.data?.find((each) => keyOf(each) === search.open);
  return (
    <>
      <ObjectList
        texts={{
          title: t('sequences.title'),
          search: t('sequences.search'),
          none: t('sequences.none'),
          noneText: t('sequences.none-text'),
        }}
        icon={<IconListNumbers size={22} stroke={1.75} />}
        query={query}
        search={search}
        nameOf={keyOf}
        onChange={change}
        actions={
          mayWrite ? (
            <Button size="compact-sm" onClick={() => setCreating(true)}>
              {t('sequences.new')}
            </Button>
          ) : null
        }
      >
        {(shown) => (
          <SequenceTable sequences={shown} open={search.open} onOpen={(key) => change({ open: key })} />
        )}
      </ObjectList>
      {opened === undefined ? null : (
        <SequencePanel key={search.open} sequence={opened} onClose={() => change({ open: undefined })} />
      )}
      {isCreating ? <NewSequence onClose={() => setCreating(false)} /> : null}
    </>
  );
}

function SequenceTable({
  sequences,
  open,
  onOpen,
}: {
  sequences: readonly SequenceRow[];
  open: string | undefined;
  onOpen: (key: string) => void;
}) {
  return (
    <table className={list.table}>
      <caption className="visually-hidden">{t('sequences.title')}</caption>
      <thead>
        <tr>
          <th scope="col">{t('sequences.sequence')}</th>
          <th scope="col" className={list.wide}>
            {t('sequences.column')}
          </th>
          <th scope="col" className={`${list.wide} ${list.number}`}>
            {t('sequences.last')}
          </th>
          <th scope="col" className={list.number}>
            {t('sequences.used')}
          </th>
        </tr>
      </thead>
      <tbody>
        {sequences.map((sequence) => (
          <tr key={keyOf(sequence)} data-open={keyOf(sequence) === open || undefined}>
            <td>
              <button
                type="button"
                className={`${parts.open} ${list.main}`}
                onClick={() => onOpen(keyOf(sequence))}
              >
                {keyOf(sequence)}
              </button>
            </td>
            <td className={`${list.wide} ${list.dim}`}>{columnOf(sequence)}</td>
            <td className={`${list.wide} ${list.dim} ${list.number}`}>{sequence.last ?? '—'}</td>
            <td className={list.number}>
              <Used sequence={sequence} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const columnOf = ({ column }: SequenceRow): string =>
  column === null ? '—' : `${column.schema}.${column.table}.${column.column}`;

const percent = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 });

/** A sequence that is nearly full needs attention before inserts fail. */
const nearlyFull = 0.8;

function Used({ sequence: { used, cycle } }: { sequence: SequenceRow }) {
  if (used === null) return <span className={list.dim}>—</span>;
  const text = percent.format(used);
  return used >= nearlyFull && !cycle ? (
    <Tag tone="danger" title={t('sequences.full-why')}>
      {text}
    </Tag>
  ) : (
    <span className={list.dim}>{text}</span>
  );
}

function SequencePanel({ sequence, onClose }: { sequence: SequenceRow; onClose: () => void }) {
  const [mode, setMode] = useState<'view' | 'edit' | 'drop'>('view');
  const mayChange = useMay('write') && sequence.editable;
  const back = (): void => setMode('view');
  const at = { schema: sequence.schema, name: sequence.name };
  if (mode === 'edit') return <EditSequence sequence={sequence} onClose={back} />;
  if (mode === 'drop')
    return (
      <ChangePanel
        title={t('sequences.drop')}
        changes={[{ kind: 'drop_sequence', ...at }]}
        startsWithReview
        onClose={back}
        onDone={onClose}
      />
    );
  const { column } = sequence;
  return (
    <SidePanel title={keyOf(sequence)} onClose={onClose}>
      <div className={parts.panel}>
        <Facts>
          <Fact label={t('sequences.column')}>
            {column === null ? (
              '—'
            ) : (
              <Link
                to="/tables/$schema/$table/structure"
                params={{ schema: column.schema, table: column.table }}
              >
                {columnOf(sequence)}
              </Link>
            )}
          </Fact>
          <Fact label={t('sequences.type')}>{sequence.type}</Fact>
          <Fact label={t('sequences.last')}>{sequence.last ?? '—'}</Fact>
          <Fact label={t('sequences.used')}>
            <Used sequence={sequence} />
          </Fact>
          <Fact label={t('sequences.limit')}>{sequence.limit}</Fact>
          <Fact label={t('sequences.increment')}>{sequence.increment}</Fact>
          <Fact label={t('sequences.range')}>
            {t('sequences.from-to', { min: sequence.min, max: sequence.max })}
          </Fact>
          <Fact label={t('sequences.cycle')}>{t(sequence.cycle ? 'objects.yes' : 'objects.no')}</Fact>
          <Fact label={t('objects.owner')}>{sequence.owner}</Fact>
        </Facts>
        {mayChange ? (
          <div className={parts.tools}>
            <Button size="compact-sm" variant="default" onClick={() => setMode('edit')}>
              {t('objects.edit')}
            </Button>
            {sequence.identity ? null : (
              <Button size="compact-sm" variant="default" onClick={() => setMode('drop')}>
                {t('objects.drop')}
              </Button>
            )}
          </div>
        ) : null}
      </div>
    </SidePanel>
  );
}

interface Draft {
  readonly increment: string;
  readonly min: string;
  readonly max: string;
  readonly restart: string;
  readonly cycle: boolean;
}

const numbers = ['restart', 'increment', 'min', 'max'] as const;
const isInteger = (text: string): boolean => text === '' || /^-?\d{1,19}$/.test(text);
const isComplete = (draft: Draft): boolean => numbers.every((name) => isInteger(draft[name]));

function OptionFields({
  draft,
  isNew,
  onChange,
}: {
  draft: Draft;
  isNew: boolean;
  onChange: (draft: Draft) => void;
}) {
  return (
    <>
      {numbers.map((name) => (
        <TextInput
          key={name}
          size="sm"
          inputMode="numeric"
          label={t(name === 'restart' && isNew ? 'sequences.start' : `sequences.${name}`)}
          {...(name === 'restart' && !isNew ? { description: t('sequences.restart-why') } : {})}
          value={draft[name]}
          error={isInteger(draft[name]) ? undefined : t('sequences.integer')}
          autoComplete="off"
          onChange={(event) => onChange({ ...draft, [name]: event.currentTarget.value.trim() })}
        />
      ))}
      <Checkbox
        label={t('sequences.cycle')}
        description={t('sequences.cycle-why')}
        checked={draft.cycle}
        onChange={(event) => onChange({ ...draft, cycle: event.currentTarget.checked })}
      />
    </>
  );
}

function EditSequence({ sequence, onClose }: { sequence: SequenceRow; onClose: () => void }) {
  const { schema, name, increment, min, max, cycle } = sequence;
  const before: Draft = { increment, min, max, cycle, restart: '' };
  const [draft, setDraft] = useState(before);
  const options = Object.fromEntries(
    Object.entries(draft).filter(([key, value]) => value !== '' && value !== before[key as keyof Draft]),
  );
  return (
    <ChangePanel
      title={t('sequences.edit', { name })}
      changes={
        isComplete(draft) && Object.keys(options).length > 0
          ? [{ kind: 'alter_sequence', schema, name, options }]
          : undefined
      }
      onClose={onClose}
    >
      <OptionFields draft={draft} isNew={false} onChange={setDraft} />
    </ChangePanel>
  );
}

const types = ['bigint', 'integer', 'smallint'] as const;

function NewSequence({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState('');
  const [schema, setSchema] = useState('public');
  const [type, setType] = useState<(typeof types)[number]>('bigint');
  const [draft, setDraft] = useState<Draft>({ increment: '', min: '', max: '', restart: '', cycle: false });
  const options = Object.fromEntries(
    Object.entries(draft).filter(([, value]) => value !== '' && value !== false),
  );
  const changes: SchemaChange[] = [{ kind: 'create_sequence', schema, name, type, options }];
  return (
    <ChangePanel
      title={t('sequences.new')}
      changes={name !== '' && isComplete(draft) ? changes : undefined}
      onClose={onClose}
    >
      <NameInput label={t('objects.name')} value={name} onChange={setName} />
      <SchemaSelect value={schema} onChange={setSchema} />
      <NativeSelect
        size="sm"
        label={t('sequences.type')}
        data={[...types]}
        value={type}
        onChange={({ currentTarget: { value } }) => setType(types.find((each) => each === value) ?? 'bigint')}
      />
      <OptionFields draft={draft} isNew onChange={setDraft} />
    </ChangePanel>
  );
}
