/** Maps the columns of a file to the columns of a table, and sets the values of the other columns. */
import { Notice } from '../../../../ui/notice.tsx';
import type { Payload } from '../../../api/route.ts';
import type { Column, Relation } from '../../../api/types.ts';
import { t } from '../text.ts';
import { exampleOf } from './import-file.tsx';
import { type Fixed, type OtherColumn, otherColumns } from './import-fixed.ts';
import classes from './import-panel.module.css';

export type Mapping = Readonly<Record<string, string>>;
type Head = Payload<'POST /tables/:schema/:table/import/head'>;

export function MappingTable({
  found,
  targets,
  mapping,
  onChange,
}: {
  found: Head;
  targets: readonly Column[];
  mapping: Mapping;
  onChange: (mapping: Mapping) => void;
}) {
  return (
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
                  const rest = Object.entries(mapping).filter(([from]) => from !== column);
                  onChange(Object.fromEntries([...rest, ...(value === '' ? [] : [[column, value]])]));
                }}
              >
                <option value="">{t('import.leave-out')}</option>
                {targets.map((target) => (
                  <option key={target.name}>{target.name}</option>
                ))}
              </select>
            </td>
            <td className={classes.example}>{exampleOf(found.sample, column)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The columns for which the file has no values. Required columns are listed first, with a warning. */
export function OtherColumns({
  relation,
  mapped,
  fixed,
  onChange,
}: {
  relation: Relation;
  mapped: readonly string[];
  fixed: Fixed;
  onChange: (fixed: Fixed) => void;
}) {
  const others = otherColumns(relation.columns, mapped).sort(
    (left, right) => Number(right.isRequired) - Number(left.isRequired),
  );
  if (others.length === 0) return null;
  const missing = others.filter(({ column, isRequired }) => isRequired && fixed[column.name] === undefined);
  const names = missing.map(({ column }) => column.name);
  const rows = others.map((each) => (
    <FixedRow key={each.column.name} other={each} fixed={fixed} onChange={onChange} />
  ));
  const table = (
    <table className={classes.mapping} aria-label={t('import.others')}>
      <thead>
        <tr>
          <th scope="col">{t('import.to')}</th>
          <th scope="col">{t('import.every-row')}</th>
          <th scope="col">{t('import.fixed')}</th>
        </tr>
      </thead>
      <tbody>{rows}</tbody>
    </table>
  );
  return (
    <>
      <div role="status">
        {names.length === 0 ? null : (
          <Notice tone="warning">
            <p>{t('import.missing', { count: names.length, columns: names.join(', ') })}</p>
          </Notice>
        )}
      </div>
      {others.some(({ isRequired }) => isRequired) ? (
        table
      ) : (
        <details className={classes.others}>
          <summary>{t('import.others-count', { count: others.length })}</summary>
          {table}
        </details>
      )}
    </>
  );
}

function FixedRow({
  other: { column, isRequired },
  fixed,
  onChange,
}: {
  other: OtherColumn;
  fixed: Fixed;
  onChange: (fixed: Fixed) => void;
}) {
  const { name, nullable, identity } = column;
  const value = fixed[name];
  const kind = value === undefined ? 'default' : value === null ? 'null' : 'value';
  const set = (next: string | null | undefined): void => {
    const rest = Object.entries(fixed).filter(([each]) => each !== name);
    onChange(Object.fromEntries([...rest, ...(next === undefined ? [] : [[name, next]])]));
  };
  const standard =
    column.default ??
    (identity !== null ? t('import.next-number') : nullable ? 'NULL' : t('import.no-value'));
  return (
    <tr>
      <th scope="row">
        {name}
        {isRequired ? <span className={classes.required}> {t('import.required')}</span> : null}
      </th>
      <td>
        <select
          className={classes.select}
          aria-label={t('import.fixed-label', { column: name })}
          value={kind}
          onChange={(event) => {
            const next = event.currentTarget.value;
            set(next === 'default' ? undefined : next === 'null' ? null : '');
          }}
        >
          <option value="default">
            {isRequired ? t('import.no-value') : t('import.default', { value: standard })}
          </option>
          {nullable && column.default !== null ? <option value="null">NULL</option> : null}
          <option value="value">{t('import.same-value')}</option>
        </select>
      </td>
      <td>
        {kind !== 'value' && !isRequired ? null : column.enum_values === null ? (
          <input
            className={classes.select}
            aria-label={t('import.value-label', { column: name })}
            placeholder={column.type}
            value={value ?? ''}
            onChange={(event) => set(event.currentTarget.value)}
          />
        ) : (
          <select
            className={classes.select}
            aria-label={t('import.value-label', { column: name })}
            value={value ?? ''}
            onChange={(event) => set(event.currentTarget.value)}
          >
            {['', ...column.enum_values].map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        )}
      </td>
    </tr>
  );
}
