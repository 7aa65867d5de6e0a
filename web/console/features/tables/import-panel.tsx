/**
 * Imports rows from a file: the operator chooses the file, maps its columns, checks it in a dry run, and then imports
 * it.
 */
import { Button } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useId, useState } from 'react';
import { Notice } from '../../../ui/notice.tsx';
import type { TableName } from '../../api/queries.ts';
import type { Payload } from '../../api/route.ts';
import { fetchConsole } from '../../api/session.ts';
import type { Relation } from '../../api/types.ts';
import { ProblemBox } from '../../components/problem-box.tsx';
import { SidePanel } from '../../components/side-panel.tsx';
import { Faults } from './import-faults.tsx';
import classes from './import-panel.module.css';
import { likelyDelimiter } from './likely-delimiter.ts';
import { t } from './text.ts';

/** The number of bytes at the beginning of the file from which the columns are detected. */
const headBytes = 65_536;
const progressMs = 500;
const delimiters = [
  [',', 'import.comma'],
  [';', 'import.semicolon'],
  ['\t', 'import.tab'],
  ['|', 'import.pipe'],
] as const;

type Head = Payload<'POST /tables/:schema/:table/import/head'>;

export default function ImportPanel({
  relation,
  as,
  onClose,
  onDone,
}: {
  relation: Relation;
  as: string | undefined;
  onClose: () => void;
  onDone: () => void;
}) {
  const id = useId();
  const name: TableName = { schema: relation.schema, table: relation.name };
  const [file, setFile] = useState<File>();
  const [delimiter, setDelimiter] = useState<(typeof delimiters)[number][0]>(',');
  const [mapping, setMapping] = useState<Readonly<Record<string, string>>>({});
  const format = file !== undefined && /\.(json|jsonl|ndjson)$/i.test(file.name) ? 'json' : 'csv';
  const targets = relation.columns.filter((column) => !column.generated);

  const reading = { format, delimiter, as } as const;

  const head = useQuery({
    queryKey: ['import-head', name, file?.name, file?.lastModified, file?.size, delimiter],
    queryFn: ({ signal }) =>
      fetchConsole('POST /tables/:schema/:table/import/head', {
        params: { ...name },
        query: reading,
        file: (file as File).slice(0, headBytes),
        signal,
      }),
    enabled: file !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  const { data: found } = head;
  useEffect(() => {
    if (found === undefined) return;
    setMapping(
      likelyMapping(
        found.columns,
        relation.columns.filter((column) => !column.generated).map((column) => column.name),
      ),
    );
  }, [found, relation]);

  async function choose(chosen: File | undefined): Promise<void> {
    if (chosen !== undefined) setDelimiter(likelyDelimiter(await chosen.slice(0, headBytes).text()));
    setFile(chosen);
  }

  const used = Object.values(mapping);
  const twice = used.find((column, index) => used.indexOf(column) !== index);
  const [progressId, setProgressId] = useState('');
  const run = useMutation({
    mutationFn: async (dry: boolean) => {
      const run = crypto.randomUUID();
      setProgressId(run);
      return fetchConsole('POST /tables/:schema/:table/import', {
        params: { ...name },
        query: { ...reading, mapping: JSON.stringify(mapping), dry: dry ? 'true' : 'false', id: run },
        file: file as File,
      });
    },
    onSuccess: (report) => {
      if (report.written) onDone();
    },
  });
  const { data: progress } = useQuery({
    queryKey: ['import-progress', progressId],
    queryFn: () => fetchConsole('GET /imports/:id', { params: { id: progressId } }),
    enabled: run.isPending && progressId !== '',
    refetchInterval: progressMs,
  });
  const problem = file === undefined || found === undefined ? undefined : faultOf(found, used.length, twice);
  const isReady = found !== undefined && problem === undefined && !run.isPending;
  const report = run.data;

  return (
    <SidePanel title={t('import.title', { table: relation.name })} onClose={onClose} wide>
      <div className={classes.panel}>
        <div className={classes.field}>
          <label htmlFor={`${id}-file`}>{t('import.file')}</label>
          <input
            id={`${id}-file`}
            type="file"
            accept=".csv,.tsv,.txt,.json,.jsonl,.ndjson,text/csv,application/json"
            aria-describedby={`${id}-why`}
            className={classes.file}
            onChange={(event) => {
              const [chosen] = event.currentTarget.files ?? [];
              run.reset();
              void choose(chosen);
            }}
          />
          <p id={`${id}-why`} className={classes.why}>
            {t('import.file-why')}
          </p>
        </div>
        {file !== undefined && format === 'csv' ? (
          <div className={classes.field}>
            <label htmlFor={`${id}-delimiter`}>{t('import.delimiter')}</label>
            <select
              id={`${id}-delimiter`}
              className={classes.select}
              value={delimiter}
              onChange={(event) => {
                run.reset();
                setDelimiter(event.currentTarget.value as typeof delimiter);
              }}
            >
              {delimiters.map(([value, label]) => (
                <option key={value} value={value}>
                  {t(label)}
                </option>
              ))}
            </select>
          </div>
        ) : null}
        {head.error === null ? null : <ProblemBox error={head.error} />}
        {found === undefined ? null : (
          <table className={classes.mapping} aria-label={t('import.mapping')}>
            <thead>
              <tr>
                <th scope="col">{t('import.from')}</th>
                <th scope="col">{t('import.to')}</th>
                <th scope="col">{t('import.example')}</th>
              </tr>
            </thead>
            <tbody>
              {found.columns.map((column) => (
                <tr key={column}>
                  <th scope="row">{column}</th>
                  <td>
                    <select
                      className={classes.select}
                      aria-label={t('import.to-label', { column })}
                      value={mapping[column] ?? ''}
                      onChange={(event) => {
                        const { value } = event.currentTarget;
                        run.reset();
                        setMapping(
                          Object.fromEntries([
                            ...Object.entries(mapping).filter(([from]) => from !== column),
                            ...(value === '' ? [] : [[column, value]]),
                          ]),
                        );
                      }}
                    >
                      <option value="">{t('import.leave-out')}</option>
                      {targets.map((target) => (
                        <option key={target.name}>{target.name}</option>
                      ))}
                    </select>
                  </td>
                  <td className={classes.example}>{exampleOf(found, column)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
        {problem === undefined ? null : <p role="alert">{problem}</p>}
        <div role="status">
          {run.isPending ? t('import.running', { rows: progress?.rows ?? 0 }) : null}
          {report === undefined || report.faults.length > 0 ? null : (
            <Notice tone="success">
              {t(report.written ? 'import.done' : 'import.fine', { rows: report.rows })}
            </Notice>
          )}
        </div>
        {run.error === null ? null : <ProblemBox error={run.error} />}
        {report === undefined || report.faults.length === 0 ? null : <Faults report={report} />}
        <div className={classes.buttons}>
          <Button variant="default" size="sm" disabled={!isReady} onClick={() => run.mutate(true)}>
            {t('import.dry')}
          </Button>
          <Button
            size="sm"
            disabled={!isReady || report?.written === true}
            loading={run.isPending}
            onClick={() => run.mutate(false)}
          >
            {t('import.run')}
          </Button>
        </div>
      </div>
    </SidePanel>
  );
}

/** Maps each column of the file to the table's column with the same name. Case and separators are ignored. */
function likelyMapping(from: readonly string[], to: readonly string[]): Record<string, string> {
  const plain = (name: string): string => name.toLowerCase().replaceAll(/[\s_-]/g, '');
  const taken = new Set<string>();
  return Object.fromEntries(
    from.flatMap((name) => {
      const target = to.find((each) => !taken.has(each) && (each === name || plain(each) === plain(name)));
      if (target === undefined) return [];
      taken.add(target);
      return [[name, target]];
    }),
  );
}

function faultOf(found: Head, columns: number, twice: string | undefined): string | undefined {
  if (found.columns.length === 0) return t('import.no-rows');
  if (columns === 0) return t('import.unmapped');
  return twice === undefined ? undefined : t('import.twice', { column: twice });
}

function exampleOf({ sample }: Head, column: string): string {
  const value = sample.map((row) => row[column]).find((each) => each !== null && each !== undefined);
  if (value === undefined) return '';
  return (typeof value === 'string' ? value : JSON.stringify(value)).slice(0, 60);
}
