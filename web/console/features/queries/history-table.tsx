import list from '../../components/list.module.css';
import type { HistoryStatement } from './history-api.ts';
import { countText, durationText } from './parts.tsx';
import classes from './queries.module.css';
import { t } from './text.ts';

/** The factor from which a change of the mean is highlighted. */
const clearFactor = 1.5;

const factorText = new Intl.NumberFormat('en', { maximumSignificantDigits: 2 });

export function HistoryTable({
  statements,
  isSplit,
  openId,
  openRole,
  onOpen,
}: {
  statements: readonly HistoryStatement[];
  /** Whether the statements are compared before and after a change. */
  isSplit: boolean;
  openId: string | undefined;
  openRole: string | undefined;
  onOpen: (statement: HistoryStatement) => void;
}) {
  const wide = `${classes.numeric} ${list.wide}`;
  return (
    <table className={`${list.table} ${classes.table}`}>
      <caption className="visually-hidden">{t('queries.statements')}</caption>
      <thead>
        <tr>
          <th scope="col">{t('queries.statement')}</th>
          <th scope="col" className={isSplit ? wide : classes.numeric}>
            {t('queries.total')}
          </th>
          <th scope="col" className={wide}>
            {t('queries.calls')}
          </th>
          <th scope="col" className={wide}>
            {t('queries.rows')}
          </th>
          {isSplit ? (
            <>
              <th scope="col" className={wide}>
                {t('history.mean-before')}
              </th>
              <th scope="col" className={classes.numeric}>
                {t('history.mean-after')}
              </th>
              <th scope="col" className={classes.numeric}>
                {t('history.change')}
              </th>
            </>
          ) : (
            <>
              <th scope="col" className={classes.numeric}>
                {t('queries.mean')}
              </th>
              <th scope="col" className={wide}>
                {t('history.p95')}
              </th>
            </>
          )}
        </tr>
      </thead>
      <tbody>
        {statements.map((statement) => (
          <tr
            key={`${statement.id} ${statement.role}`}
            data-open={(statement.id === openId && statement.role === openRole) || undefined}
          >
            <td>
              <button
                type="button"
                className={classes.what}
                title={statement.text}
                onClick={() => onOpen(statement)}
              >
                <code>{statement.outline}</code>
              </button>
              <span className={classes.who}>{statement.role}</span>
            </td>
            <td className={isSplit ? `${wide} ${list.dim}` : classes.numeric}>
              {durationText(statement.totalMs)}
            </td>
            <td className={`${wide} ${list.dim}`}>{countText(statement.calls)}</td>
            <td className={`${wide} ${list.dim}`}>{countText(statement.rows)}</td>
            {isSplit ? (
              <>
                <td className={`${wide} ${list.dim}`}>{meanText(statement.before)}</td>
                <td className={classes.numeric}>{meanText(statement.after)}</td>
                <Change statement={statement} />
              </>
            ) : (
              <>
                <td className={classes.numeric}>{durationText(statement.meanMs)}</td>
                <td className={`${wide} ${list.dim}`}>
                  {statement.p95Ms === null ? '–' : durationText(statement.p95Ms)}
                </td>
              </>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const meanText = (sums: HistoryStatement['before']): string =>
  sums === null ? '–' : durationText(sums.meanMs);

function Change({ statement: { before, after } }: { statement: HistoryStatement }) {
  if (before === null || after === null)
    return (
      <td className={classes.numeric}>{t(before === null ? 'history.change-new' : 'history.change-gone')}</td>
    );
  const factor = before.meanMs === 0 ? 1 : after.meanMs / before.meanMs;
  const tone = factor >= clearFactor ? 'slower' : factor <= 1 / clearFactor ? 'faster' : undefined;
  return (
    <td className={classes.numeric} data-tone={tone}>
      {t('history.factor', { factor: factorText.format(factor) })}
    </td>
  );
}
