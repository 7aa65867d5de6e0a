/** Creates a table. The first step defines the table's columns, and the second step shows the SQL. */
import { Button, Checkbox, NativeSelect, TextInput } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { Suspense, useState } from 'react';
import { useMay } from '../../../api/session.ts';
import { bySchema } from '../../../api/system-schemas.ts';
import { PageHead } from '../../../components/frame/page.tsx';
import { SidePanel } from '../../../components/frame/side-panel.tsx';
import { SkeletonLines } from '../../../components/frame/skeleton.tsx';
import { focusNew } from '../../../components/keyboard/focus-new.ts';
import { submitFromSelect } from '../../../components/keyboard/submit-from-select.ts';
import { lazyPart } from '../../../components/lazy-part.ts';
import { ProblemBox } from '../../../components/problem-box.tsx';
import { useUnsaved } from '../../../components/unsaved.tsx';
import { BackLink } from '../back-link.tsx';
import { type SchemaChange, type Vocabulary, vocabularyQuery } from './api.ts';
import { ColumnFields } from './column-fields.tsx';
import { ColumnHeads, ColumnRow } from './column-row.tsx';
import { type ColumnDraft, emptyColumn, firstColumns, newTableChanges } from './drafts.ts';
import forms from './forms.module.css';
import { Review } from './review.tsx';
import classes from './structure-page.module.css';
import { t } from './text.ts';

const ImportTable = lazyPart(() => import('./import-table.tsx'));

const route = getRouteApi('/app/tables/new');

export function NewTablePage() {
  const { data: vocabulary, error } = useQuery(vocabularyQuery);
  const { from, schema = 'public' } = route.useSearch();
  if (!useMay('write')) {
    return (
      <div className={classes.page}>
        <PageHead title={t('table.new-title')} back={<BackLink />} />
        <div className={classes.sections}>
          <p className={classes.note}>{t('schema.read-only')}</p>
        </div>
      </div>
    );
  }
  return (
    <div className={classes.page}>
      <PageHead title={t('table.new-title')} back={<BackLink />}>
        <Link
          to="/tables/new"
          search={({ from: _from, ...rest }) => (from === 'file' ? rest : { ...rest, from: 'file' as const })}
          className={classes.toRows}
        >
          {t(from === 'file' ? 'import-table.empty' : 'import-table.from-file')}
        </Link>
      </PageHead>
      {error === null ? null : <ProblemBox error={error} />}
      {vocabulary === undefined ? (
        <SkeletonLines lines={8} />
      ) : from === 'file' ? (
        <Suspense fallback={<SkeletonLines lines={8} />}>
          <ImportTable schema={schema} vocabulary={vocabulary} />
        </Suspense>
      ) : (
        <NewTable vocabulary={vocabulary} />
      )}
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
    setColumns((current) => current.map((column) => (column.id === id ? { ...column, ...part } : column)));
  const opened = columns.find(({ id }) => id === open);

  return (
    <>
      {question}
      <form
        className={classes.sections}
        onInput={() => setTouched(true)}
        onKeyDown={submitFromSelect}
        onSubmit={(event) => {
          event.preventDefault();
          setReviewed(newTableChanges({ schema, name, comment, rls, columns }, vocabulary));
        }}
      >
        <div className={forms.pair}>
          <TextInput
            ref={focusNew}
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
            data={vocabulary.schemas.toSorted(bySchema)}
            value={schema}
            onChange={(event) => setSchema(event.currentTarget.value)}
          />
        </div>
        <ColumnList
          columns={columns}
          vocabulary={vocabulary}
          onChange={change}
          onColumns={setColumns}
          onOpen={setOpen}
        />
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
      </form>
      {/* The panels contain separate forms, whose events must not reach the form of the page. */}
      {opened === undefined ? null : (
        <ColumnPanel
          column={opened}
          columns={columns.map((each) => each.name).filter((each) => each !== '')}
          vocabulary={vocabulary}
          onChange={(part) => {
            setTouched(true);
            change(opened.id, part);
          }}
          onClose={() => setOpen(undefined)}
        />
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
    </>
  );
}

/** The panel with all fields of a column. Changes to these fields immediately apply to the page's form. */
function ColumnPanel({
  column,
  columns,
  vocabulary,
  onChange,
  onClose,
}: {
  column: Keyed;
  /** The names of the new table's columns. */
  columns: readonly string[];
  vocabulary: Vocabulary;
  onChange: (part: Partial<ColumnDraft>) => void;
  onClose: () => void;
}) {
  return (
    <SidePanel title={t('column.edit', { name: column.name })} onClose={onClose} wide>
      <form
        className={forms.form}
        // The page's form validates the values.
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          onClose();
        }}
      >
        <ColumnFields
          draft={column}
          vocabulary={vocabulary}
          table={{ schema: '', table: '', columns }}
          isStored={false}
          onChange={onChange}
        />
        <div className={forms.buttons}>
          <Button type="submit" size="sm">
            {t('column.done')}
          </Button>
        </div>
      </form>
    </SidePanel>
  );
}

function ColumnList({
  columns,
  vocabulary,
  onChange,
  onColumns,
  onOpen,
}: {
  columns: readonly Keyed[];
  vocabulary: Vocabulary;
  onChange: (id: number, part: Partial<ColumnDraft>) => void;
  /** Called when a column is added or removed. */
  onColumns: (columns: readonly Keyed[]) => void;
  /** Opens the panel with all of the column's fields. */
  onOpen: (id: number) => void;
}) {
  const [added, setAdded] = useState<number>();
  const add = (): void => {
    const id = Math.max(-1, ...columns.map((column) => column.id)) + 1;
    setAdded(id);
    onColumns([...columns, { ...emptyColumn, id }]);
  };
  return (
    <section className={`${classes.section} ${classes.columnList}`}>
      <div className={classes.sectionHead}>
        <h2 className={classes.sectionTitle}>{t('schema.columns')}</h2>
        <Button
          size="compact-sm"
          variant="default"
          leftSection={<IconPlus size={14} aria-hidden />}
          onClick={add}
        >
          {t('schema.add-column')}
        </Button>
      </div>
      <ColumnHeads />
      <ul className={classes.columns}>
        {columns.map((column) => (
          <ColumnRow
            key={column.id}
            column={column}
            vocabulary={vocabulary}
            isAdded={column.id === added}
            onChange={(part) => onChange(column.id, part)}
            onOpen={() => onOpen(column.id)}
            onRemove={() => onColumns(columns.filter(({ id }) => id !== column.id))}
          />
        ))}
      </ul>
    </section>
  );
}
