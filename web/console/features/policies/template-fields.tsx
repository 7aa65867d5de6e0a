/**
 * The fields of a policy template, in which the operator selects the columns, tables and functions for the condition.
 */
import { NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { choicesQuery, type Policy, type SecuredTable, type TemplateChoices } from './api.ts';
import classes from './editor.module.css';
import {
  keyOfSource,
  likelyInput,
  likelyMembers,
  ownersOf,
  sourcesOf,
  type Template,
  type TemplateInput,
  templates,
} from './templates.ts';
import { t } from './text.ts';

/** Focuses the select element, which appears later than the panel, unless the operator is already typing. */
function focusFirst(select: HTMLSelectElement | null): void {
  if (document.activeElement?.matches('input, [contenteditable=true]') !== true) select?.focus();
}

/** Selects a template. `onFill` receives the template's policy, or undefined for a blank policy. */
export function TemplateChoice({
  table,
  onFill,
}: {
  table: SecuredTable;
  onFill: (policy: Policy | undefined) => void;
}) {
  const [template, setTemplate] = useState<Template>();
  const [chosen, setChosen] = useState<TemplateInput>();
  const { data: choices } = useQuery(choicesQuery(table));
  if (choices === undefined) return null;
  const input = chosen ?? likelyInput(table, choices);
  return (
    <>
      <NativeSelect
        ref={focusFirst}
        data-autofocus
        size="sm"
        label={t('policies.template')}
        value={template?.label ?? ''}
        data={[
          { value: '', label: t('policies.template-none') },
          ...templates.map(({ label }) => ({ value: label, label: t(label) })),
        ]}
        onChange={(event) => {
          const next = templates.find(({ label }) => label === event.currentTarget.value);
          setTemplate(next);
          onFill(next?.build(input));
        }}
      />
      {template === undefined ? null : (
        <TemplateFields
          template={template}
          table={table}
          choices={choices}
          input={input}
          onChange={(next) => {
            setChosen(next);
            onFill(template.build(next));
          }}
        />
      )}
    </>
  );
}

function TemplateFields({
  template,
  table,
  choices,
  input,
  onChange,
}: {
  template: Template;
  table: SecuredTable;
  choices: TemplateChoices;
  input: TemplateInput;
  onChange: (input: TemplateInput) => void;
}) {
  const columns = choices.columns.map(({ name }) => name);
  if (template.fields === 'owner') {
    const owners = ownersOf(choices).map(({ name }) => name);
    if (owners.length === 0) return <p className={classes.dim}>{t('policies.template-no-owner')}</p>;
    return (
      <Choice
        label="policies.template-owner"
        value={input.owner}
        data={owners}
        onChange={(owner) => onChange({ ...input, owner })}
      />
    );
  }
  if (template.fields !== 'member') return null;
  const sources = sourcesOf(choices);
  const { source } = input;
  if (source === undefined) return <p className={classes.dim}>{t('policies.template-no-members')}</p>;
  const groupOf = (kind: 'table' | 'function') => ({
    group: t(`policies.template-${kind}s`),
    items: sources
      .filter((each) => each.kind === kind)
      .map(keyOfSource)
      .map((value) => ({
        value,
        label: value.slice(kind.length + 1),
      })),
  });
  return (
    <fieldset className={classes.template}>
      <legend className={classes.label}>{t('policies.template-membership')}</legend>
      <NativeSelect
        size="sm"
        label={t('policies.template-source')}
        value={keyOfSource(source)}
        data={[groupOf('table'), groupOf('function')].filter(({ items }) => items.length > 0)}
        onChange={(event) => {
          const next = sources.find((each) => keyOfSource(each) === event.currentTarget.value);
          onChange({ ...input, ...likelyMembers(table, choices, next) });
        }}
      />
      <div className={classes.two}>
        <Choice
          label="policies.template-column"
          value={input.column}
          data={columns}
          onChange={(column) => onChange({ ...input, column })}
        />
        {source.kind === 'table' ? (
          <>
            <Choice
              label="policies.template-group"
              value={input.group}
              data={source.table.groups.map(({ name }) => name)}
              onChange={(group) => onChange({ ...input, group })}
            />
            <Choice
              label="policies.template-user"
              value={input.user}
              data={source.table.users}
              onChange={(user) => onChange({ ...input, user })}
            />
          </>
        ) : null}
      </div>
      {source.kind === 'table' && source.table.rls ? (
        <p className={classes.dim}>{t('policies.template-rls', { table: source.table.name })}</p>
      ) : null}
    </fieldset>
  );
}

function Choice({
  label,
  value,
  data,
  onChange,
}: {
  label:
    | 'policies.template-owner'
    | 'policies.template-column'
    | 'policies.template-group'
    | 'policies.template-user';
  value: string;
  data: readonly string[];
  onChange: (value: string) => void;
}) {
  return (
    <NativeSelect
      size="sm"
      label={t(label)}
      value={value}
      data={[...data]}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
