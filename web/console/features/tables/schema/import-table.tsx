/**
 * Creates a table from a file. The first step shows the columns with their inferred types. The second step shows the
 * SQL and the import.
 */
import { Button, Checkbox, NativeSelect, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { fetchConsole } from '../../../api/session.ts';
import { bySchema } from '../../../api/system-schemas.ts';
import { SidePanel } from '../../../components/frame/side-panel.tsx';
import { SkeletonLines } from '../../../components/frame/skeleton.tsx';
import { CodeBlock } from '../../../components/json-block.tsx';
import { MigrationFields, migrationName, useMigrationChoice } from '../../../components/migration-choice.tsx';
import { ProblemBox } from '../../../components/problem-box.tsx';
import { ImportResult } from '../import/import-faults.tsx';
import { FileFields, type ImportFile, useImportFile } from '../import/import-file.tsx';
import { useImportRun } from '../import/use-import-run.ts';
import { type ImportDefinition, previewQuery, type Vocabulary } from './api.ts';
import forms from './forms.module.css';
import { changeOfFile, draftOfFile, type FileTableDraft } from './import-drafts.ts';
import { ImportColumns } from './import-table-columns.tsx';
import classes from './structure-page.module.css';
import { t } from './text.ts';

/** The types are inferred from this many bytes at the beginning of the file. */
const inferredBytes = 1_000_000;

export default function ImportTable({ schema, vocabulary }: { schema: string; vocabulary: Vocabulary }) {
  const source = useImportFile();
  const { file, format, delimiter } = source;
  const [edited, setEdited] = useState<FileTableDraft>();
  const [isReviewing, setReviewing] = useState(false);
  const head = useQuery({
    queryKey: ['import-table-head', ...source.key],
    queryFn: ({ signal }) =>
      fetchConsole('POST /schema/import/head', {
        query: { format, delimiter },
        file: (file as File).slice(0, inferredBytes),
        signal,
      }),
    enabled: file !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  const { data: found } = head;
  const draft =
    edited ?? (found === undefined ? undefined : draftOfFile(file?.name ?? '', schema, found.columns));
  const result = draft === undefined ? undefined : changeOfFile(draft, vocabulary);
  const set = (part: Partial<FileTableDraft>): void => {
    if (draft !== undefined) setEdited({ ...draft, ...part });
  };
  return (
    <form
      className={classes.sections}
      onSubmit={(event) => {
        event.preventDefault();
        if (result !== undefined) setReviewing(true);
      }}
    >
      <FileFields source={source} onChange={() => setEdited(undefined)} />
      {head.error === null ? null : <ProblemBox error={head.error} />}
      {head.isLoading ? <SkeletonLines lines={5} /> : null}
      {draft === undefined || found === undefined ? null : found.rows === 0 ? (
        <p role="alert">{t('import-table.no-rows')}</p>
      ) : (
        <>
          <div className={forms.pair}>
            <TextInput
              size="sm"
              label={t('import-table.name')}
              value={draft.name}
              required
              maxLength={63}
              spellCheck={false}
              autoComplete="off"
              onChange={(event) => set({ name: event.currentTarget.value })}
            />
            <NativeSelect
              size="sm"
              label={t('table.schema')}
              data={vocabulary.schemas.toSorted(bySchema)}
              value={draft.schema}
              onChange={(event) => set({ schema: event.currentTarget.value })}
            />
          </div>
          <ImportColumns draft={draft} head={found} vocabulary={vocabulary} onChange={set} />
          <Checkbox
            label={t('table.rls')}
            description={t('import-table.rls-why')}
            checked={draft.rls}
            onChange={(event) => set({ rls: event.currentTarget.checked })}
          />
          {result === undefined ? <p role="alert">{t('import-table.incomplete')}</p> : null}
          <div className={forms.buttons}>
            <Button type="submit" size="sm" disabled={result === undefined}>
              {t('schema.continue')}
            </Button>
          </div>
        </>
      )}
      {isReviewing && result !== undefined ? (
        <ImportReview source={source} {...result} onBack={() => setReviewing(false)} />
      ) : null}
    </form>
  );
}

function ImportReview({
  source: { file, format, delimiter },
  change,
  mapping,
  onBack,
}: {
  source: ImportFile;
  onBack: () => void;
} & Pick<ImportDefinition, 'change' | 'mapping'>) {
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const { schema, table } = change;
  const { data: preview, error } = useQuery(previewQuery([change]));
  const migration = useMigrationChoice(migrationName('create_table', table));
  const [skip, setSkip] = useState(false);
  const { run, rows } = useImportRun(
    (dry, id) => {
      const definition: ImportDefinition = {
        change,
        mapping,
        format,
        delimiter,
        dry,
        skip,
        ...migration.body,
      };
      // The definition is the first line of the body, followed by the file.
      const body = new Blob([`${JSON.stringify(definition)}\n`, file as File]);
      return fetchConsole('POST /schema/import', { query: { id }, file: body });
    },
    () => void queryClient.invalidateQueries(),
  );
  const isWritten = run.data?.written === true;
  const open = (): void =>
    void navigate({ to: '/tables/$schema/$table', params: { schema, table }, search: {} });
  return (
    <SidePanel title={t('import-table.review', { table })} onClose={isWritten ? open : onBack} wide>
      <div className={forms.form}>
        {error === null ? null : <ProblemBox error={error} />}
        {preview === undefined ? null : (
          <CodeBlock
            text={preview.statements.map((each) => `${each};`).join('\n\n')}
            what={t('review.sql')}
          />
        )}
        <p>{t('import-table.one-transaction')}</p>
        <MigrationFields choice={migration} />
        <Checkbox
          label={t('import-table.skip')}
          description={t('import-table.skip-why')}
          checked={skip}
          onChange={(event) => {
            run.reset();
            setSkip(event.currentTarget.checked);
          }}
        />
        <div role="status">{run.isPending ? t('import-table.running', { rows }) : null}</div>
        {run.error === null ? null : <ProblemBox error={run.error} />}
        {run.data === undefined ? null : <ImportResult report={run.data} />}
        <div className={forms.buttons}>
          {isWritten ? (
            <Button size="sm" onClick={open}>
              {t('import-table.open', { table })}
            </Button>
          ) : (
            <>
              <Button variant="default" size="sm" onClick={onBack}>
                {t('review.back')}
              </Button>
              <Button variant="default" size="sm" disabled={run.isPending} onClick={() => run.mutate(true)}>
                {t('import-table.dry')}
              </Button>
              <Button
                size="sm"
                disabled={!migration.isReady || preview === undefined}
                loading={run.isPending}
                onClick={() => run.mutate(false)}
              >
                {t('import-table.run')}
              </Button>
            </>
          )}
        </div>
      </div>
    </SidePanel>
  );
}
