/** Fields for the values of the parameters in the editor's text. */
import { Checkbox, NativeSelect, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { type ParameterType, type ParameterValue, parametersQuery } from './api.ts';
import classes from './parameters.module.css';
import { t } from './text.ts';

const types: readonly ParameterType[] = [
  'auto',
  'text',
  'integer',
  'number',
  'boolean',
  'date',
  'timestamp',
  'uuid',
  'json',
];

/** The text is parsed when it hasn't changed for this time. */
const settleMs = 250;

/** Returns a value for each parameter in the text. A new parameter has an empty value. */
export function useParameters(
  text: string,
  values: readonly ParameterValue[] | undefined,
): readonly ParameterValue[] {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), settleMs);
    return () => clearTimeout(timer);
  }, [text]);
  const { data } = useQuery(parametersQuery(settled));
  const names = /[$:]\w/.test(text) ? (data ?? []) : [];
  return names.map(
    (name) => values?.find((value) => value.name === name) ?? { name, type: 'auto', value: '' },
  );
}

export const shownName = (name: string): string => (/^\d/.test(name) ? `$${name}` : `:${name}`);

export function Parameters({
  values,
  onChange,
  onRun,
}: {
  values: readonly ParameterValue[];
  onChange: (values: readonly ParameterValue[]) => void;
  onRun: () => void;
}) {
  if (values.length === 0) return null;
  const change = (changed: ParameterValue): void =>
    onChange(values.map((value) => (value.name === changed.name ? changed : value)));
  return (
    <form
      className={classes.list}
      aria-label={t('sql.parameters')}
      onSubmit={(event) => {
        event.preventDefault();
        onRun();
      }}
    >
      {values.map((value) => (
        <Parameter key={value.name} parameter={value} onChange={change} />
      ))}
      {/* A form with several fields is submitted by Enter only if it has a submit button. */}
      <button type="submit" hidden />
      <p className={classes.hint}>{t('sql.parameters-hint')}</p>
    </form>
  );
}

function Parameter({
  parameter,
  onChange,
}: {
  parameter: ParameterValue;
  onChange: (parameter: ParameterValue) => void;
}) {
  const { name, type, value } = parameter;
  const shown = shownName(name);
  return (
    <div className={classes.parameter}>
      <code className={classes.name} aria-hidden>
        {shown}
      </code>
      {type === 'boolean' && value !== null ? (
        <NativeSelect
          size="xs"
          aria-label={t('sql.parameter-value', { name: shown })}
          className={classes.value}
          data={['true', 'false']}
          value={value === 'true' ? 'true' : 'false'}
          onChange={(event) => onChange({ ...parameter, value: event.currentTarget.value })}
        />
      ) : (
        <TextInput
          size="xs"
          aria-label={t('sql.parameter-value', { name: shown })}
          className={classes.value}
          type={type === 'date' ? 'date' : 'text'}
          inputMode={type === 'integer' ? 'numeric' : type === 'number' ? 'decimal' : 'text'}
          autoComplete="off"
          spellCheck={false}
          disabled={value === null}
          placeholder={value === null ? 'NULL' : placeholders[type]}
          value={value ?? ''}
          onChange={(event) => onChange({ ...parameter, value: event.currentTarget.value })}
        />
      )}
      <NativeSelect
        size="xs"
        aria-label={t('sql.parameter-type', { name: shown })}
        data={types.map((each) => ({ value: each, label: t(`sql.type-${each}`) }))}
        value={type}
        onChange={(event) => {
          const next = types.find((each) => each === event.currentTarget.value) ?? type;
          const nextValue = next === 'boolean' && value !== null && value !== 'true' ? 'false' : value;
          onChange({ ...parameter, type: next, value: nextValue });
        }}
      />
      <Checkbox
        size="xs"
        label="NULL"
        aria-label={t('sql.parameter-null', { name: shown })}
        checked={value === null}
        onChange={(event) =>
          onChange({
            ...parameter,
            value: event.currentTarget.checked ? null : type === 'boolean' ? 'false' : '',
          })
        }
      />
    </div>
  );
}

const placeholders: Partial<Record<ParameterType, string>> = {
  timestamp: '2026-01-31 12:00+00',
  uuid: '00000000-0000-0000-0000-000000000000',
  json: '{"a": 1}',
};
