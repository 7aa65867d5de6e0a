/**
 * Shows a condition with its values. The functions that the condition calls and the rows that its subselects read can
 * be expanded.
 */
import { createContext, useContext } from 'react';
import { CodeBlock } from '../../components/json-block.tsx';
import { Tag } from '../../components/tag.tsx';
import type { EvaluatedCall, EvaluatedRows, Judged, Operand } from './api.ts';
import classes from './report.module.css';
import { t } from './text.ts';

/**
 * The name of the gate and the policy whose parts are shown. Several policies can call the same function, so the name
 * distinguishes the scrollable areas for screen readers.
 */
export const Place = createContext('');

export function Part({ part }: { part: Judged }) {
  const { kind, text, value, error } = part;
  const parts = part.kind === 'test' ? [] : part.parts;
  return (
    <li>
      <div className={classes.part}>
        <Value value={value} error={error} />
        {kind === 'test' ? <code className={classes.code}>{text}</code> : <span>{t(`why.${kind}`)}</span>}
      </div>
      {error === null ? null : <p className={classes.error}>{error}</p>}
      {part.kind === 'test' ? <Unfolded {...part} /> : null}
      {parts.length === 0 ? null : (
        <ul className={classes.tree}>
          {parts.map((each, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a part is identified by its position
            <Part key={index} part={each} />
          ))}
        </ul>
      )}
    </li>
  );
}

/** Shows the values, then the project's functions, and then the rows of subselects. */
function Unfolded({
  operands,
  calls,
  rows,
}: {
  operands: readonly Operand[];
  calls: readonly EvaluatedCall[];
  rows: readonly EvaluatedRows[];
}) {
  // Built-in functions have a value but no body. Values that are already listed aren't repeated.
  const plain = calls.filter(
    ({ body, note, text, isHidden }) =>
      body === null &&
      note === null &&
      !isHidden &&
      operands.every((operand) => !operand.text.includes(text)),
  );
  const isListed = (text: string): boolean =>
    rows.some(({ conditions }) =>
      conditions.some((each) => each.operands.some((operand) => operand.text.includes(text))),
    );
  return (
    <>
      <Operands operands={[...operands, ...plain.filter(({ text }) => !isListed(text))]} />
      {calls
        .filter(({ body, note }) => body !== null || note !== null)
        .map((call) => (
          <Call key={call.text} call={call} />
        ))}
      {rows.map((each, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a subselect is identified by its position
        <RowsRead key={index} read={each} />
      ))}
    </>
  );
}

function Operands({ operands }: { operands: readonly Operand[] }) {
  if (operands.length === 0) return null;
  return (
    <dl className={classes.operands}>
      {operands.map(({ text, value }) => (
        <div key={text}>
          <dt>
            <code>{text}</code>
          </dt>
          <dd>{value === null ? <em>{t('why.null-value')}</em> : <code>{value}</code>}</dd>
        </div>
      ))}
    </dl>
  );
}

function Call({ call }: { call: EvaluatedCall }) {
  const place = useContext(Place);
  const { name, value, isHidden, securityDefiner, role, body, note, tree, rows, calls } = call;
  const args = call.arguments.map((arg, index) => ({
    text: arg.name ?? `$${index + 1}`,
    value: arg.value,
  }));
  return (
    // A function that returns true doesn't need an explanation, so only the other functions are expanded at first.
    <details className={classes.call} open={value !== 'true'}>
      <summary className={classes.callHead}>
        <code className={classes.code}>{name}</code>
        {isHidden ? (
          <Tag>{t('why.hidden-value')}</Tag>
        ) : value === null ? (
          <Tag tone="warning">{t('why.null-value')}</Tag>
        ) : (
          <Tag tone={value === 'true' ? 'success' : value === 'false' ? 'danger' : 'plain'}>{value}</Tag>
        )}
        {securityDefiner ? <span className={classes.dim}>{t('why.call-definer', { role })}</span> : null}
      </summary>
      <div className={classes.callBody}>
        <Operands operands={args} />
        {body === null ? null : <CodeBlock text={body} what={t('why.call-body', { name, place })} />}
        {note === null ? null : <p className={classes.dim}>{t(`why.call.${note}`, { role })}</p>}
        {tree === null ? null : (
          <ul className={classes.tree}>
            <Part part={tree} />
          </ul>
        )}
        <Unfolded operands={[]} calls={calls} rows={rows} />
      </div>
    </details>
  );
}

function RowsRead({ read }: { read: EvaluatedRows }) {
  const { from, total, matched, hidden, isCut, conditions, rows } = read;
  const count = (number: number): string =>
    isCut && number >= 1000 ? t('why.rows-cut', { count: number }) : t('why.rows-count', { count: number });
  return (
    <div className={classes.read}>
      <p className={classes.part}>
        <Tag tone={matched === 0 ? 'danger' : 'success'}>{count(matched)}</Tag>
        <span>
          {total === null
            ? t('why.rows-matched', { from })
            : t('why.rows-matched-of', { from, total: count(total) })}
        </span>
      </p>
      {conditions.length === 0 ? null : (
        <ul className={classes.tree}>
          {conditions.map(({ text, matched: alone, operands }) => (
            <li key={text}>
              <div className={classes.part}>
                <Tag tone={alone === 0 ? 'danger' : 'plain'}>{count(alone)}</Tag>
                <code className={classes.code}>{text}</code>
              </div>
              <Operands operands={operands} />
            </li>
          ))}
        </ul>
      )}
      {hidden === null || hidden === 0 ? null : (
        <p className={classes.error}>{t('why.rows-hidden', { count: hidden })}</p>
      )}
      {rows.length === 0 ? null : <Rows rows={rows} from={from} />}
    </div>
  );
}

function Rows({ rows, from }: { rows: EvaluatedRows['rows']; from: string }) {
  const place = useContext(Place);
  const names = Object.keys(rows[0] ?? {});
  const show = (value: unknown) =>
    value === null || value === undefined ? (
      <em>{t('why.null-value')}</em>
    ) : (
      <code>{typeof value === 'object' ? JSON.stringify(value) : String(value)}</code>
    );
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
    <section className={classes.scroll} aria-label={t('why.rows-of', { from, place })} tabIndex={0}>
      <table className={classes.table}>
        <thead>
          <tr>
            {names.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the rows are read once and never reordered
            <tr key={index}>
              {names.map((name) => (
                <td key={name}>{show(row[name])}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

export function Value({ value, error }: { value: boolean | null; error: string | null }) {
  if (error !== null) return <Tag tone="danger">{t('why.error')}</Tag>;
  const tone = value === true ? 'success' : value === false ? 'danger' : 'warning';
  return <Tag tone={tone}>{t(value === null ? 'why.null-value' : value ? 'why.true' : 'why.false')}</Tag>;
}
