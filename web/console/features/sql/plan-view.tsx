/** Shows a query plan as a tree, with each step's share of the total and the error in the step's row estimate. */
import { Tag } from '../../components/tag.tsx';
import type { RawPlan } from './api.ts';
import { flatten, type PlanStep, planTree } from './plan.ts';
import classes from './plan-view.module.css';
import { t } from './text.ts';

/** Row estimates that are wrong by at least this factor are highlighted. Smaller errors rarely change the plan. */
const notableFactor = 10;

export function PlanView({ plan }: { plan: RawPlan }) {
  const root = planTree(plan);
  const execution = plan['Execution Time'];
  return (
    <div className={classes.plan}>
      <p className={classes.total} role="status">
        {execution === undefined
          ? t('plan.total-cost')
          : t('plan.total-time', { planning: plan['Planning Time'] ?? 0, execution })}
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard */}
      <section className={classes.picture} aria-label={t('plan.picture')} tabIndex={0}>
        <ul className={classes.tree}>
          <Step step={root} />
        </ul>
      </section>
      <details className={classes.twin}>
        <summary>{t('plan.table')}</summary>
        <PlanTable root={root} />
      </details>
    </div>
  );
}

function Step({ step }: { step: PlanStep }) {
  const { type, on, details, share, off, children, loops } = step;
  return (
    <li className={classes.node}>
      <div className={classes.card} data-hot={share >= 0.5 || undefined}>
        <p className={classes.type}>
          {type} {on === '' ? null : <span className={classes.on}>{on}</span>}
        </p>
        <div className={classes.bar} aria-hidden>
          <span style={{ width: `${Math.max(1, share * 100)}%` }} />
        </div>
        <p className={classes.facts}>
          <strong>{percent(share)}</strong> <span>{ownOf(step)}</span> <span>{rowsOf(step)}</span>{' '}
          {loops > 1 ? <span>{t('plan.loops', { count: loops })}</span> : null}{' '}
          {off >= notableFactor ? <Tag tone="warning">{t('plan.off', { factor: off })}</Tag> : null}
        </p>
        {details.map(({ name, text }) => (
          <p key={name} className={classes.detail}>
            {name}: <code>{text}</code>
          </p>
        ))}
      </div>
      {children.length === 0 ? null : (
        <ul className={classes.tree}>
          {children.map((child) => (
            <Step key={child.id} step={child} />
          ))}
        </ul>
      )}
    </li>
  );
}

const percent = (share: number): string =>
  new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: share < 0.1 ? 1 : 0 }).format(share);

const ownOf = ({ ownMs, ownCost }: PlanStep): string =>
  ownMs === undefined
    ? t('plan.own-cost', { cost: round(ownCost) })
    : t('plan.own-time', { ms: round(ownMs) });

const rowsOf = ({ actualRows, expectedRows }: PlanStep): string =>
  actualRows === undefined
    ? t('plan.rows-expected', { expected: expectedRows })
    : t('plan.rows-both', { actual: actualRows, expected: expectedRows });

const round = (value: number): number => Math.round(value * 100) / 100;

function PlanTable({ root }: { root: PlanStep }) {
  const wasRun = root.ownMs !== undefined;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
    <section className={classes.scroll} aria-label={t('plan.table')} tabIndex={0}>
      <table className={classes.table}>
        <thead>
          <tr>
            <th scope="col">{t('plan.step')}</th>
            <th scope="col">{t('plan.share')}</th>
            <th scope="col">{wasRun ? t('plan.time') : t('plan.cost')}</th>
            {wasRun ? <th scope="col">{t('plan.rows')}</th> : null}
            <th scope="col">{t('plan.expected')}</th>
          </tr>
        </thead>
        <tbody>
          {flatten(root).map((step) => (
            <tr key={step.id}>
              <th scope="row" style={{ paddingInlineStart: `${0.75 + step.depth}rem` }}>
                {step.type} {step.on}
              </th>
              <td>{percent(step.share)}</td>
              <td>{round(step.ownMs ?? step.ownCost)}</td>
              {wasRun ? <td>{step.actualRows}</td> : null}
              <td>{step.expectedRows}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
