import { Notice } from '../../../ui/notice.tsx';
import { Card } from '../../components/card.tsx';
import { Fact, Facts } from '../../components/facts.tsx';
import { Moment } from '../../components/moment.tsx';
import type { BackupsOverview, Drill } from './api.ts';
import { secondsText } from './durations.ts';
import classes from './page.module.css';
import { t } from './text.ts';

export function DrillCard({ drill: { step, last } }: Pick<BackupsOverview, 'drill'>) {
  return (
    <Card title={t('backups.drill')} text={t('backups.drill-text')}>
      <div role="status" className={classes.running}>
        {step === null ? null : (
          <Notice tone="info">
            <p>{t('backups.drill-running', { step })}</p>
          </Notice>
        )}
      </div>
      {last === null ? <p>{t('backups.drill-none')}</p> : <Result drill={last} isRunning={step !== null} />}
    </Card>
  );
}

function Result({
  drill: { endedAt, durationMs, problems, checked },
  isRunning,
}: {
  drill: Drill;
  /** Whether a new check is running. The last success is then less important than its progress. */
  isRunning: boolean;
}) {
  return (
    <div className={classes.noticed}>
      {problems.length === 0 ? (
        isRunning ? null : (
          <Notice tone="success">
            <p>{t('backups.drill-good')}</p>
          </Notice>
        )
      ) : (
        <Notice tone="danger" title={t('backups.drill-bad', { count: problems.length })}>
          {problems.map((problem) => (
            <p key={problem}>{problem}</p>
          ))}
        </Notice>
      )}
      <Facts layout="columns">
        <Fact label={t('backups.drill-when')}>
          <Moment at={endedAt} relative />
        </Fact>
        <Fact label={t('backups.drill-took')}>{secondsText(durationMs)}</Fact>
        {checked === null ? null : (
          <>
            <Fact label={t('backups.drill-read')}>
              {t('backups.drill-counts', {
                tables: checked.tables,
                rows: checked.rows,
                objects: checked.objects,
              })}
            </Fact>
            <Fact label={t('backups.drill-age')}>{secondsText(checked.newestAgeMs)}</Fact>
          </>
        )}
      </Facts>
    </div>
  );
}
