/** The buttons that run, explain or save the editor's text, and the limits of a run. */
import { Button, NativeSelect } from '@mantine/core';
import {
  IconAlignLeft,
  IconBinaryTree2,
  IconDeviceFloppy,
  IconPlayerPlay,
  IconPlayerStop,
  IconRefresh,
} from '@tabler/icons-react';
import classes from './page.module.css';
import { t } from './text.ts';

export interface RunLimits {
  readonly maxRows: number;
  readonly timeoutMs: number;
}

export const defaultLimits: RunLimits = { maxRows: 1000, timeoutMs: 30_000 };
const rowChoices = [100, 1000, 10_000];
/** The intervals for repeated runs, in seconds. */
const intervals = [0, 5, 10, 30, 60];
const timeoutChoices = [10, 30, 120, 600];

export function RunBar({
  isRunning,
  isExplaining,
  hasSelection,
  canSave,
  limits,
  everySeconds,
  onRun,
  onEvery,
  onCancel,
  onExplain,
  onFormat,
  onSave,
  onLimits,
}: {
  isRunning: boolean;
  isExplaining: boolean;
  hasSelection: boolean;
  canSave: boolean;
  limits: RunLimits;
  /** The interval at which the query is repeated. 0 if the query isn't repeated. */
  everySeconds: number;
  onRun: () => void;
  onEvery: (seconds: number) => void;
  onCancel: () => void;
  onExplain: (analyze: boolean) => void;
  onFormat: () => void;
  onSave: () => void;
  onLimits: (limits: RunLimits) => void;
}) {
  return (
    <div className={classes.bar}>
      {isRunning && everySeconds === 0 ? (
        <Button
          size="compact-sm"
          color="red"
          leftSection={<IconPlayerStop size={15} aria-hidden />}
          onClick={onCancel}
        >
          {t('sql.cancel')}
        </Button>
      ) : (
        <Button size="compact-sm" leftSection={<IconPlayerPlay size={15} aria-hidden />} onClick={onRun}>
          {t(hasSelection ? 'sql.run-selection' : 'sql.run')}
        </Button>
      )}
      <Button.Group>
        <Button
          size="compact-sm"
          variant="default"
          loading={isExplaining}
          leftSection={<IconBinaryTree2 size={15} aria-hidden />}
          onClick={() => onExplain(false)}
        >
          {t('sql.explain')}
        </Button>
        <Button
          size="compact-sm"
          variant="default"
          title={t('sql.explain-why')}
          loading={isExplaining}
          onClick={() => onExplain(true)}
        >
          {t('sql.explain-run')}
        </Button>
      </Button.Group>
      <Button
        size="compact-sm"
        variant="default"
        title={t('sql.format-why')}
        leftSection={<IconAlignLeft size={15} aria-hidden />}
        onClick={onFormat}
      >
        {t('sql.format')}
      </Button>
      {canSave ? (
        <Button
          size="compact-sm"
          variant="default"
          leftSection={<IconDeviceFloppy size={15} aria-hidden />}
          onClick={onSave}
        >
          {t('sql.save')}
        </Button>
      ) : null}
      <span className={classes.limit}>
        <IconRefresh size={15} aria-hidden />
        <NativeSelect
          aria-label={t('sql.every')}
          title={t('sql.every-help')}
          size="xs"
          data={intervals.map((seconds) => ({
            value: String(seconds),
            label: seconds === 0 ? t('sql.every-off') : t('sql.every-seconds', { seconds }),
          }))}
          value={String(everySeconds)}
          onChange={(event) => onEvery(Number(event.currentTarget.value))}
        />
        {everySeconds === 0 ? null : (
          <Button size="compact-sm" variant="default" onClick={onCancel}>
            {t('sql.every-stop')}
          </Button>
        )}
      </span>
      <Limits limits={limits} onChange={onLimits} />
    </div>
  );
}

function Limits({ limits, onChange }: { limits: RunLimits; onChange: (limits: RunLimits) => void }) {
  return (
    <span className={classes.limits}>
      <span className={classes.limit}>
        <span aria-hidden>{t('sql.max-rows')}</span>
        <NativeSelect
          aria-label={t('sql.max-rows')}
          size="xs"
          data={rowChoices.map(String)}
          value={String(limits.maxRows)}
          onChange={(event) => onChange({ ...limits, maxRows: Number(event.currentTarget.value) })}
        />
      </span>
      <span className={classes.limit}>
        <span aria-hidden>{t('sql.timeout')}</span>
        <NativeSelect
          aria-label={t('sql.timeout')}
          size="xs"
          data={timeoutChoices.map((seconds) => ({
            value: String(seconds),
            label: t('sql.seconds', { seconds }),
          }))}
          value={String(limits.timeoutMs / 1000)}
          onChange={(event) => onChange({ ...limits, timeoutMs: Number(event.currentTarget.value) * 1000 })}
        />
      </span>
    </span>
  );
}
