/** Shows the plans of all explained statements. */
import type { StatementPlan } from './api.ts';
import { Fault } from './fault.tsx';
import classes from './plan-view.module.css';
import { PlanView } from './plan-view.tsx';
import { t } from './text.ts';
import type { ShownPlans } from './use-query-run.ts';

export function PlansView({
  shown: { text, plans },
  onShow,
}: {
  shown: ShownPlans;
  onShow: (at: number) => void;
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
    <section className={classes.plans} aria-label={t('plan.all')} tabIndex={0}>
      {plans.map((each, index) => (
        <section key={each.start} aria-label={t('sql.result', { number: index + 1 })}>
          {plans.length === 1 ? null : (
            <h2 className={classes.heading}>
              <span>{index + 1}</span>
              <button type="button" className={classes.source} onClick={() => onShow(each.start)}>
                {text.slice(each.start, each.end).replaceAll(/\s+/g, ' ').slice(0, 160)}
              </button>
            </h2>
          )}
          <OnePlan text={text} statement={each} onShow={onShow} />
        </section>
      ))}
    </section>
  );
}

function OnePlan({
  text,
  statement: { plan, error },
  onShow,
}: {
  text: string;
  statement: StatementPlan;
  onShow: (at: number) => void;
}) {
  if (plan !== null) return <PlanView plan={plan} />;
  return (
    <div className={classes.plan}>
      {error === null ? (
        <p className={classes.total}>{t('plan.none')}</p>
      ) : (
        <Fault text={text} error={error} onShow={onShow} />
      )}
    </div>
  );
}
