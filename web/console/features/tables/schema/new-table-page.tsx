/** Creates a table: first its columns, then the SQL. */
import { ActionIcon, Button, Checkbox, NativeSelect, TextInput } from '@mantine/core';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { PageHead } from '../../../components/page.tsx';
import { ProblemBox } from '../../../components/problem-box.tsx';
import { SidePanel } from '../../../components/side-panel.tsx';
import { SkeletonLines } from '../../../components/skeleton.tsx';
import { useUnsaved } from '../../../components/unsaved.tsx';
import { type SchemaChange, type Vocabulary, vocabularyQuery } from './api.ts';
import { ColumnFields, TypeField } from './column-fields.tsx';
import { type ColumnDraft, definitionOf, emptyColumn, firstColumns } from './drafts.ts';
import forms from './forms.module.css';
import { Review } from './review.tsx';
import classes from './structure-page.module.css';
import { t } from './text.ts';

const route = getRouteApi('/app/tables/new');

export function NewTablePage() {
  const { data: vocabulary, error } = useQuery(vocabularyQuery);
  return (
    <div className={classes.page}>
      <PageHead title={t('table.new-title')} />
      {error === null ? null : <ProblemBox error={error} />}
      {vocabulary === undefined ? <SkeletonLines lines={8} /> : <NewTable vocabulary={vocabulary} />}
    </div>
  );
}

interface Keyed extends ColumnDraft {
  readonly id: number;
}

function NewTable({ vocabulary }: { vocabulary: Vocabulary }) {
  const navigate = useNavigate();
  const { schema: wanted } = route.useSearch();
  const [schema, setSchema] = useState(wanted ?? 'public');
  const [name, setName] = useState('');
  const [comment, setComment] = useState('');
  const [rls, setRls] = useState(true);
  const [columns, setColumns] = useState<readonly Keyed[]>(() =>
    firstColumns.map((column, id) => ({ ...column, id })),
  );
  const [open, setOpen] = useState<number>();
  const [reviewed, setReviewed] = useState<readonly SchemaChange[]>();
  const [isTouched, setTouched] = useState(false);
  const { question } = useUnsaved(isTouched && reviewed === undefined, () => undefined, 'page');
  const change = (id: number, part: Partial<ColumnDraft>): void =>
    setColumns(columns.map((column) => (column.id === id ? { ...column, ...part } : column)));

  const definitions = columns.map((column) => definitionOf(column, vocabulary));
  const isWhole = definitions.every((each) => each !== undefined);
  const primary = columns.filter((column) => column.primary).map((column) => column.name);
  const opened = columns.find(({ id }) => id === open);

  function changes(): SchemaChange[] | undefined {
    if (name === '' || !isWhole) return undefined;
    return [
      {
        kind: 'create_table',
        schema,
        table: name,
        columns: definitions.filter((each) => each !== undefined),
        constraints: primary.length === 0 ? [] : [{ kind: 'primary key', columns: primary }],
        rls,
        ...(comment === '' ? {} : { comment }),
      },
    ];
  }

  return (
    <>
      {question}
      <form
        className={classes.sections}
        onInput={() => setTouched(true)}
        onSubmit={(event) => {
          event.preventDefault();
          setReviewed(changes());
        }}
      >
        <div className={forms.pair}>
          <TextInput
            size="sm"
            label={t('schema.name')}
            value={name}
            required
            spellCheck={false}
            autoComplete="off"
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <NativeSelect
            size="sm"
            label={t('table.schema')}
            data={[...vocabulary.schemas]}
            value={schema}
            onChange={(event) => setSchema(event.currentTarget.value)}
          />
        </div>
        <section className={classes.section}>
          <div className={classes.sectionHead}>
            <h2 className={classes.sectionTitle}>{t('schema.columns')}</h2>
            <Button
              size="compact-sm"
              variant="default"
              leftSection={<IconPlus size={14} aria-hidden />}
              onClick={() =>
                setColumns([
                  ...columns,
                  { ...emptyColumn, id: Math.max(-1, ...columns.map(({ id }) => id)) + 1 },
                ])
              }
            >
              {t('schema.add-column')}
            </Button>
          </div>
          <ul className={classes.columns}>
            {columns.map((column) => (
              <li key={column.id} className={classes.column}>
                <TextInput
                  size="sm"
                  aria-label={t('column.name')}
                  placeholder={t('column.name')}
                  value={column.name}
                  required
                  spellCheck={false}
                  autoComplete="off"
                  onChange={(event) => change(column.id, { name: event.currentTarget.value })}
                />
                <TypeField
                  type={column.type}
                  vocabulary={vocabulary}
                  isLabelHidden
                  onChange={(type) => change(column.id, { type })}
                />
                <TextInput
                  size="sm"
                  className={forms.mono}
                  aria-label={t('column.value-default')}
                  placeholder={t(
                    column.value === 'none' ? 'column.value-default' : `column.value-${column.value}`,
                  )}
                  value={column.expression}
                  disabled={column.value === 'identity' || column.value === 'identity-always'}
                  spellCheck={false}
                  autoComplete="off"
                  onChange={(event) => {
                    const expression = event.currentTarget.value;
                    const value =
                      column.value === 'generated' ? 'generated' : expression === '' ? 'none' : 'default';
                    change(column.id, { expression, value });
                  }}
                />
                <Checkbox
                  className={classes.check}
                  label={t('column.primary')}
                  checked={column.primary}
                  onChange={(event) => change(column.id, { primary: event.currentTarget.checked })}
                />
                <Button
                  size="compact-sm"
                  variant="subtle"
                  className={classes.check}
                  aria-label={t('schema.edit', { name: column.name })}
                  onClick={() => setOpen(column.id)}
                >
                  …
                </Button>
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  className={classes.check}
                  aria-label={t('column.remove', { name: column.name })}
                  onClick={() => setColumns(columns.filter(({ id }) => id !== column.id))}
                >
                  <IconTrash size={15} aria-hidden />
                </ActionIcon>
              </li>
            ))}
          </ul>
        </section>
        <TextInput
          size="sm"
          label={t('schema.comment')}
          value={comment}
          autoComplete="off"
          onChange={(event) => setComment(event.currentTarget.value)}
        />
        <Checkbox
          label={t('table.rls')}
          description={t('table.rls-why')}
          checked={rls}
          onChange={(event) => setRls(event.currentTarget.checked)}
        />
        <div className={forms.buttons}>
          <Button type="submit" size="sm">
            {t('schema.continue')}
          </Button>
        </div>
        {opened === undefined ? null : (
          <SidePanel title={t('column.edit', { name: opened.name })} onClose={() => setOpen(undefined)} wide>
            <div className={forms.form}>
              <ColumnFields
                draft={opened}
                vocabulary={vocabulary}
                isStored={false}
                onChange={(part) => change(opened.id, part)}
              />
            </div>
          </SidePanel>
        )}
        {reviewed === undefined ? null : (
          <SidePanel title={t('review.title')} onClose={() => setReviewed(undefined)} wide>
            <Review
              changes={reviewed}
              onBack={() => setReviewed(undefined)}
              onDone={() =>
                void navigate({ to: '/tables/$schema/$table', params: { schema, table: name }, search: {} })
              }
            />
          </SidePanel>
        )}
      </form>
    </>
  );
}
