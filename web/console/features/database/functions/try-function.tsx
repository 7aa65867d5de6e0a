/** Calls a function with values, as a persona. The server rolls back everything that the function changes. */
import { Button, NativeSelect, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Notice } from '../../../../ui/notice.tsx';
import { CodeBlock } from '../../../components/json-block.tsx';
import { LazyPersonaPicker } from '../../../components/persona/lazy-persona-picker.tsx';
import { ProblemBox } from '../../../components/problem-box.tsx';
import classes from '../parts.module.css';
import { t } from '../text.ts';
import {
  type RoutineDetail,
  type RoutineParameter,
  type TryArgument,
  type TryReport,
  tryRoutine,
} from './api.ts';

type Choice = 'value' | 'null' | 'default';

interface Entry {
  readonly choice: Choice;
  readonly value: string;
}

export function TryFunction({ routine: { signature, parameters } }: { routine: RoutineDetail }) {
  const inputs = parameters.filter(({ output }) => !output);
  const [as, setAs] = useState<string>();
  const [entries, setEntries] = useState<readonly Entry[]>(() =>
    inputs.map((parameter) => ({ choice: parameter.default === null ? 'value' : 'default', value: '' })),
  );
  const run = useMutation({
    mutationFn: () =>
      tryRoutine({
        signature,
        arguments: entries.map(argumentOf),
        ...(as === undefined ? {} : { as }),
      }),
  });
  const set = (index: number, part: Partial<Entry>): void =>
    setEntries(entries.map((entry, at) => (at === index ? { ...entry, ...part } : entry)));
  return (
    <section className={classes.section} aria-label={t('try.title')}>
      <h3 className={classes.title}>{t('try.title')}</h3>
      <p className={classes.dim}>{t('try.why')}</p>
      <form
        className={classes.section}
        onSubmit={(event) => {
          event.preventDefault();
          if (!run.isPending) run.mutate();
        }}
      >
        {inputs.map((parameter, index) => (
          <Parameter
            // biome-ignore lint/suspicious/noArrayIndexKey: parameters have no other identity and never move
            key={index}
            parameter={parameter}
            number={index + 1}
            entry={entries[index] as Entry}
            onChange={(part) => set(index, part)}
          />
        ))}
        <div className={classes.tools}>
          <LazyPersonaPicker as={as} onChange={setAs} />
          <Button type="submit" size="compact-sm" loading={run.isPending}>
            {t('try.run')}
          </Button>
        </div>
      </form>
      <div role="status">
        {run.error === null ? null : <ProblemBox error={run.error} />}
        {run.data === undefined ? null : <Report report={run.data} />}
      </div>
    </section>
  );
}

const argumentOf = ({ choice, value }: Entry): TryArgument =>
  choice === 'default' ? { kind: 'default' } : { kind: 'value', value: choice === 'null' ? null : value };

function Parameter({
  parameter: { name, type, default: fallback, variadic, pseudo },
  number,
  entry: { choice, value },
  onChange,
}: {
  parameter: RoutineParameter;
  number: number;
  entry: Entry;
  onChange: (part: Partial<Entry>) => void;
}) {
  const label = name ?? t('try.parameter', { number });
  const choices: Choice[] = [
    ...(pseudo ? [] : (['value', 'null'] as const)),
    ...(fallback === null && !variadic ? [] : (['default'] as const)),
  ];
  return (
    <div className={classes.parameter}>
      <TextInput
        size="sm"
        label={label}
        description={variadic ? t('try.variadic', { type }) : type}
        value={choice === 'value' ? value : ''}
        placeholder={choice === 'null' ? 'NULL' : choice === 'default' ? (fallback ?? '') : ''}
        disabled={pseudo}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => onChange({ choice: 'value', value: event.currentTarget.value })}
      />
      <NativeSelect
        size="sm"
        aria-label={t('try.kind', { name: label })}
        value={choice}
        data={choices.map((each) => ({ value: each, label: t(`try.${each}`) }))}
        onChange={(event) => onChange({ choice: event.currentTarget.value as Choice })}
      />
    </div>
  );
}

function Report({ report }: { report: TryReport }) {
  const { statement, role, columns, rows, more, is_cut, notices, ms, error } = report;
  return (
    <div className={classes.section}>
      {error === null ? null : (
        <Notice tone="danger" title={t('try.failed', { role })}>
          <p className={classes.code}>{error.message}</p>
          {error.detail === undefined ? null : <p>{error.detail}</p>}
          {error.hint === undefined ? null : <p>{t('problem.hint', { hint: error.hint })}</p>}
          {error.where === undefined ? null : <pre className={classes.where}>{error.where}</pre>}
          <p>
            <code>{error.sqlstate}</code>
          </p>
        </Notice>
      )}
      {error === null ? (
        <p>{t('try.done', { role, ms, count: rows.length, isMore: more ? 'yes' : 'no' })}</p>
      ) : null}
      {columns.length === 0 || rows.length === 0 ? null : <Rows columns={columns} rows={rows} />}
      {is_cut ? <p className={classes.dim}>{t('try.cut')}</p> : null}
      {notices.length === 0 ? null : (
        <ul className={classes.items} aria-label={t('try.notices')}>
          {notices.map(({ severity, message }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the items never change their order
            <li key={index} className={classes.item}>
              <span className={classes.kind}>{severity}</span>
              <span className={classes.code}>{message}</span>
            </li>
          ))}
        </ul>
      )}
      <CodeBlock text={statement} what={t('try.statement')} />
    </div>
  );
}

function Rows({ columns, rows }: Pick<TryReport, 'columns' | 'rows'>) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: the region only makes the table's overflow reachable
    <div
      className={classes.results}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
      tabIndex={0}
      role="region"
      aria-label={t('try.result')}
    >
      <table className={classes.result}>
        <thead>
          <tr>
            {columns.map(({ name, type }, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: two columns can have the same name
              <th key={index} scope="col" title={type}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((cells, row) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows have no other identity
            <tr key={row}>
              {cells.map((cell, column) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: cells have no other identity
                <td key={column}>{cell === null ? <span className={classes.null}>NULL</span> : cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
