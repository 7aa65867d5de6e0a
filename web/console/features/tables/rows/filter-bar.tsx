/**
 * The filter conditions. The conditions apply only when the operator clicks Apply, so incomplete conditions are never
 * sent.
 */
import { Button, CloseButton } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { type Filter, type FilterOperator, filterOperators, type Relation } from '../../../api/types.ts';
import { t } from '../../../text.ts';
import classes from './filter-bar.module.css';

const needsNoValue = (operator: FilterOperator): boolean => operator === 'is_null' || operator === 'not_null';

export function FilterBar({
  relation,
  filters,
  onChange,
}: {
  relation: Relation;
  filters: readonly Filter[];
  onChange: (filters: readonly Filter[]) => void;
}) {
  const [known, setKnown] = useState(filters);
  const first: Filter = { column: relation.columns[0]?.name ?? '', operator: 'eq', value: '' };
  const [draft, setDraft] = useState<readonly Filter[]>(filters.length > 0 ? filters : [first]);
  if (known !== filters) {
    setKnown(filters);
    setDraft(filters.length > 0 ? filters : [first]);
  }
  const change = (index: number, part: Partial<Filter>): void =>
    setDraft(draft.map((each, at) => (at === index ? { ...each, ...part } : each)));

  return (
    <form
      className={classes.bar}
      aria-label={t('filter.open')}
      onSubmit={(event) => {
        event.preventDefault();
        onChange(draft);
      }}
    >
      {draft.map((filter, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a condition is identified by its position
        <div key={index} className={classes.line}>
          <select
            className={classes.field}
            aria-label={t('filter.column')}
            value={filter.column}
            onChange={(event) => change(index, { column: event.currentTarget.value })}
          >
            {relation.columns.map(({ name }) => (
              <option key={name}>{name}</option>
            ))}
          </select>
          <select
            className={classes.field}
            aria-label={t('filter.operator')}
            value={filter.operator}
            onChange={(event) => change(index, { operator: event.currentTarget.value as FilterOperator })}
          >
            {filterOperators.map((operator) => (
              <option key={operator} value={operator}>
                {t(`filter.${operator}`)}
              </option>
            ))}
          </select>
          {needsNoValue(filter.operator) ? null : (
            <input
              className={classes.value}
              aria-label={t('filter.value')}
              placeholder={t('filter.value')}
              value={filter.value}
              spellCheck={false}
              autoComplete="off"
              onChange={(event) => change(index, { value: event.currentTarget.value })}
            />
          )}
          <CloseButton
            size="sm"
            aria-label={t('filter.remove')}
            onClick={() => {
              const rest = draft.filter((_, at) => at !== index);
              setDraft(rest.length > 0 ? rest : [first]);
              if (filters.length > 0) onChange(rest);
            }}
          />
        </div>
      ))}
      <div className={classes.buttons}>
        <Button type="submit" size="compact-sm">
          {t('filter.apply')}
        </Button>
        <Button
          size="compact-sm"
          variant="subtle"
          leftSection={<IconPlus size={14} aria-hidden />}
          onClick={() => setDraft([...draft, first])}
        >
          {t('filter.add')}
        </Button>
      </div>
    </form>
  );
}
