/** The area below the editor, which shows errors and the results or the plan of the last query. */
import { IconTerminal2 } from '@tabler/icons-react';
import { Suspense } from 'react';
import { EmptyState } from '../../components/empty-state.tsx';
import { SkeletonLines } from '../../components/frame/skeleton.tsx';
import { lazyPart } from '../../components/lazy-part.ts';
import { ProblemBox } from '../../components/problem-box.tsx';
import classes from './page.module.css';
import type { ChartStore } from './results.tsx';
import { t } from './text.ts';
import type { ShownPlans } from './use-query-run.ts';
import type { RunState } from './use-run.ts';

const Results = lazyPart(async () => ({ default: (await import('./results.tsx')).Results }));
const PlansView = lazyPart(async () => ({ default: (await import('./plans-view.tsx')).PlansView }));

export function ResultPane({
  state,
  name,
  charts,
  plans,
  planError,
  isReadOnly,
  onShow,
}: {
  state: RunState;
  /** The name of the query. */
  name: string | undefined;
  charts: ChartStore;
  plans: ShownPlans | undefined;
  planError: Error | null;
  isReadOnly: boolean;
  /** Moves the editor's cursor to an offset in its text. */
  onShow: (at: number) => void;
}) {
  return (
    <section className={classes.results} aria-label={t('sql.results')}>
      {isReadOnly ? <p className={classes.looks}>{t('sql.looks-only')}</p> : null}
      {state.problem === null ? null : (
        <div className={classes.problem}>
          <ProblemBox error={state.problem} />
        </div>
      )}
      {planError === null ? null : (
        <div className={classes.problem}>
          <ProblemBox error={planError} />
        </div>
      )}
      <Suspense fallback={<SkeletonLines lines={4} />}>
        {state.run !== undefined ? (
          <Results
            text={state.text}
            name={name}
            charts={charts}
            run={state.run}
            request={state.request}
            isRunning={state.isRunning}
            onShow={onShow}
          />
        ) : plans !== undefined ? (
          <PlansView shown={plans} onShow={onShow} />
        ) : state.problem === null && planError === null && state.confirmation === undefined ? (
          <EmptyState
            icon={<IconTerminal2 size={22} stroke={1.75} />}
            title={t('sql.empty-title')}
            text={t('sql.empty-text')}
          />
        ) : null}
      </Suspense>
    </section>
  );
}
