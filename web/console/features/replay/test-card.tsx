import { Button, NativeSelect } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useMay } from '../../api/session.ts';
import { Card } from '../../components/frame/card.tsx';
import { CodeBlock } from '../../components/json-block.tsx';
import { ProblemBox } from '../../components/problem-box.tsx';
import { type Expectation, type LoggedRequest, makeTest, type ReplayRequest, writeTest } from './api.ts';
import classes from './page.module.css';
import { t } from './text.ts';

const expectations: readonly Expectation[] = ['succeeds', 'fails', 'rows', 'no-rows'];

export function TestCard({
  input: { earlier: _compared, ...input },
  logged,
  writes,
}: {
  input: ReplayRequest;
  logged: LoggedRequest | undefined;
  writes: boolean;
}) {
  const mayWrite = useMay('write');
  // A request that failed should succeed, and a request that succeeded had perhaps too few rows.
  const [expects, setExpects] = useState<Expectation>((logged?.status ?? 400) >= 400 ? 'succeeds' : 'rows');
  const show = useMutation({ mutationFn: () => makeTest({ ...input, expects }) });
  const write = useMutation({ mutationFn: () => writeTest({ ...input, expects }) });
  const error = show.error ?? write.error;
  return (
    <Card title={t('replay.test')} text={t('replay.test-text')}>
      <div className={classes.result}>
        <div className={classes.line}>
          <NativeSelect
            size="xs"
            label={t('replay.expects')}
            value={expects}
            data={expectations.map((value) => ({ value, label: t(`replay.expects.${value}`) }))}
            onChange={(event) => {
              setExpects(event.currentTarget.value as Expectation);
              show.reset();
              write.reset();
            }}
          />
          <div className={classes.buttons}>
            {writes && mayWrite ? (
              <Button size="compact-sm" loading={write.isPending} onClick={() => write.mutate()}>
                {t('replay.write-test')}
              </Button>
            ) : null}
            <Button
              size="compact-sm"
              variant="default"
              loading={show.isPending}
              onClick={() => show.mutate()}
            >
              {t('replay.show-test')}
            </Button>
          </div>
        </div>
        {error === null ? null : <ProblemBox error={error} />}
        <div role="status" className={classes.result}>
          {write.data === undefined ? null : <p>{t('replay.written', { path: write.data.path })}</p>}
          {show.data === undefined ? null : (
            <>
              <p>{t(show.data.passes ? 'replay.passes' : 'replay.fails')}</p>
              <CodeBlock text={show.data.text} what={t('replay.test-file')} />
            </>
          )}
        </div>
      </div>
    </Card>
  );
}
