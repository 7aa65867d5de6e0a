/**
 * Imports rows from a file. The operator selects a file, maps its columns, checks the file in a dry run and then
 * imports the file.
 */
import { Button, Checkbox } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { TableName } from '../../../api/queries.ts';
import type { Payload } from '../../../api/route.ts';
import { fetchConsole } from '../../../api/session.ts';
import type { Relation, Sort } from '../../../api/types.ts';
import { SidePanel } from '../../../components/frame/side-panel.tsx';
import { ProblemBox } from '../../../components/problem-box.tsx';
import { newestFirst } from '../rows/newest-first.ts';
import { t } from '../text.ts';
import { ImportResult, isUsable } from './import-faults.tsx';
import { FileFields, headBytes, useImportFile } from './import-file.tsx';
import { type Fixed, otherColumns } from './import-fixed.ts';
import { type Mapping, MappingTable, OtherColumns } from './import-mapping.tsx';
import classes from './import-panel.module.css';
import { useImportRun } from './use-import-run.ts';

type Head = Payload<'POST /tables/:schema/:table/import/head'>;

interface ImportProps {
  readonly relation: Relation;
  readonly as: string | undefined;
  readonly onClose: () => void;
  /** Closes the panel and shows all rows in this order. */
  readonly onShow: (sort: Sort) => void;
  readonly onDone: () => void;
}

export default function ImportPanel(props: ImportProps) {
  /** The import's sequence number. A new import begins with empty fields. */
  const [number, setNumber] = useState(0);
  const { relation, onClose } = props;
  return (
    <SidePanel title={t('import.title', { table: relation.name })} onClose={onClose} wide>
      <Import key={number} {...props} onAgain={() => setNumber(number + 1)} />
    </SidePanel>
  );
}

function Import({
  relation,
  as,
  onClose,
  onShow,
  onDone,
  onAgain,
}: ImportProps & { readonly onAgain: () => void }) {
  const name: TableName = { schema: relation.schema, table: relation.name };
  const source = useImportFile();
  const { file, format, delimiter } = source;
  const [mapping, setMapping] = useState<Mapping>({});
  const [fixed, setFixed] = useState<Fixed>({});
  const [skips, setSkips] = useState(false);
  const targets = relation.columns.filter((column) => !column.generated);
  const reading = { format, delimiter, as } as const;

  const head = useQuery({
    queryKey: ['import-head', name, ...source.key],
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

  const used = Object.values(mapping);
  const twice = used.find((column, index) => used.indexOf(column) !== index);
  const others = new Set(otherColumns(relation.columns, used).map(({ column }) => column.name));
  const { run, rows } = useImportRun(
    (dry, id) =>
      fetchConsole('POST /tables/:schema/:table/import', {
        params: { ...name },
        query: {
          ...reading,
          mapping: JSON.stringify(mapping),
          // Skips values that were set for a column before the operator mapped that column.
          fixed: JSON.stringify(
            Object.fromEntries(Object.entries(fixed).filter(([each]) => others.has(each))),
          ),
          dry: dry ? 'true' : 'false',
          skip: skips ? 'true' : 'false',
          id,
        },
        file: file as File,
      }),
    onDone,
  );
  const changing =
    <Value,>(set: (value: Value) => void) =>
    (value: Value): void => {
      run.reset();
      set(value);
    };
  const problem = file === undefined || found === undefined ? undefined : faultOf(found, used.length, twice);
  const isReady = found !== undefined && problem === undefined && !run.isPending;
  const report = run.data;
  const isWritten = report?.written === true;
  /** Whether a dry run has succeeded. If so, Enter imports the file. Otherwise, Enter starts a dry run. */
  const isChecked = report !== undefined && isUsable(report);
  const isSet = new Set([...used, ...Object.keys(fixed).filter((each) => others.has(each))]);
  const newest = newestFirst(relation.columns, isSet);

  return (
    <form
      className={classes.panel}
      onSubmit={(event) => event.preventDefault()}
      onKeyDown={(event) => {
        // A key that is held down must not also confirm the next step.
        if (event.key === 'Enter' && event.repeat) event.preventDefault();
      }}
    >
      {isWritten ? null : <FileFields source={source} startsFocused onChange={run.reset} />}
      {head.error === null ? null : <ProblemBox error={head.error} />}
      {found === undefined || isWritten ? null : (
        <>
          <MappingTable found={found} targets={targets} mapping={mapping} onChange={changing(setMapping)} />
          <OtherColumns relation={relation} mapped={used} fixed={fixed} onChange={changing(setFixed)} />
          <Checkbox
            size="xs"
            label={t('import.skip')}
            description={t('import.skip-why')}
            checked={skips}
            onChange={(event) => changing(setSkips)(event.currentTarget.checked)}
          />
        </>
      )}
      {problem === undefined ? null : <p role="alert">{problem}</p>}
      <div role="status">{run.isPending ? t('import.running', { rows }) : null}</div>
      {run.error === null ? null : <ProblemBox error={run.error} />}
      {report === undefined ? null : <ImportResult report={report} />}
      <div className={classes.buttons}>
        {isWritten ? (
          <>
            <Button variant="default" size="sm" onClick={onAgain}>
              {t('import.again')}
            </Button>
            {/* Without a key, React would reuse the disabled button, and reused elements don't get focus. */}
            <Button
              key="open"
              size="sm"
              autoFocus
              onClick={() => (newest === undefined ? onClose() : onShow(newest))}
            >
              {t(newest === undefined ? 'import.back' : 'import.show')}
            </Button>
          </>
        ) : (
          <>
            <Button
              type={isChecked ? 'button' : 'submit'}
              variant="default"
              size="sm"
              disabled={!isReady}
              onClick={() => run.mutate(true)}
            >
              {t('import.dry')}
            </Button>
            <Button
              type={isChecked ? 'submit' : 'button'}
              size="sm"
              disabled={!isReady}
              loading={run.isPending}
              onClick={() => run.mutate(false)}
            >
              {t('import.run')}
            </Button>
          </>
        )}
      </div>
    </form>
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
