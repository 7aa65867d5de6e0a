/** The cards of hooks. Each card contains a hook's settings and a test call with sample data. */
import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Notice } from '../../../ui/notice.tsx';
import { fetchConsole } from '../../api/session.ts';
import { CodeBlock } from '../../components/json-block.tsx';
import { ProblemBox } from '../../components/problem-box.tsx';
import { Tag } from '../../components/tag.tsx';
import type { HookTest, Part } from './api.ts';
import { useSettingsForm } from './form.ts';
import classes from './parts.module.css';
import { Collapsed, Count } from './parts.tsx';
import { Fields } from './providers.tsx';
import { t } from './text.ts';

export function HookCard({ part, name }: { part: Part; name: string }) {
  const form = useSettingsForm();
  const enabled = form.settingOf(`auth.hook.${name}.enabled`);
  const isOn = enabled !== undefined && form.valueOf(enabled) === true;
  const isTouched = part.keys.some((key) => form.isChanged(key) || form.faultOf(key) !== undefined);
  return (
    <Collapsed
      title={part.title ?? name}
      status={
        <>
          {isOn ? <Tag tone="success">{t('settings.on')}</Tag> : null}
          {isTouched ? <Count keys={part.keys} /> : null}
        </>
      }
    >
      <Fields keys={part.keys} title={part.title} />
      {form.mayWrite ? <Test name={name} keys={part.keys} /> : null}
    </Collapsed>
  );
}

function Test({ name, keys }: { name: string; keys: readonly string[] }) {
  const form = useSettingsForm();
  const { mutate, data, error, isPending } = useMutation({
    mutationFn: () => fetchConsole('POST /settings/test-hook', { body: { name } }),
  });
  return (
    <div className={classes.panel}>
      <p className={classes.dimmed}>{t('settings.test-hook-text')}</p>
      {keys.some(form.isChanged) ? <p>{t('settings.test-saved')}</p> : null}
      <Button size="xs" variant="default" loading={isPending} onClick={() => mutate()}>
        {t('settings.test-hook')}
      </Button>
      <div className={classes.result} role="status">
        {data === undefined ? null : <Result test={data} />}
      </div>
      {error === null ? null : <ProblemBox error={error} />}
    </div>
  );
}

function Result({ test: { payload, response, error, durationMs, isRolledBack } }: { test: HookTest }) {
  return (
    <>
      {error === null ? (
        <Notice tone="success" title={t('settings.hook-answered', { duration: durationMs })}>
          {isRolledBack ? <p>{t('settings.hook-rolled-back')}</p> : null}
        </Notice>
      ) : (
        <Notice tone="danger" title={t('settings.hook-failed', { duration: durationMs })}>
          <p>{error}</p>
        </Notice>
      )}
      <p className={classes.dimmed}>{t('settings.hook-payload')}</p>
      <CodeBlock text={JSON.stringify(payload, null, 2)} what={t('settings.hook-payload')} />
      {response === null ? null : (
        <>
          <p className={classes.dimmed}>{t('settings.hook-response')}</p>
          <CodeBlock text={JSON.stringify(response, null, 2)} what={t('settings.hook-response')} />
        </>
      )}
    </>
  );
}
