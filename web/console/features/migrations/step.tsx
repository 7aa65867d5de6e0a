import { useQuery } from '@tanstack/react-query';
import { SkeletonLines } from '../../components/frame/skeleton.tsx';
import { driftQuery } from './api.ts';
import classes from './migrations.module.css';
import { t } from './text.ts';

const steps = ['server', 'migrations', 'compare', 'check'] as const;

/** Shows the step of the comparison or squash that is running. `isOwn`: this page has started it. */
export function RunningStep({ isOwn }: { isOwn: boolean }) {
  const { data } = useQuery({ ...driftQuery, ...(isOwn ? { refetchInterval: 1000 } : {}) });
  const step = data?.running?.step ?? (isOwn ? 'server' : undefined);
  return (
    <>
      <div role="status">
        {step === undefined ? null : (
          <p className={classes.note}>
            {t('migrations.step', {
              number: steps.indexOf(step) + 1,
              step: t(`migrations.step-${step}`),
            })}
          </p>
        )}
      </div>
      {step === undefined ? null : <SkeletonLines lines={6} />}
    </>
  );
}
