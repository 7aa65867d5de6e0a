/** Shows a problem, the reason why it matters, its location and the SQL that fixes it. */
import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { Notice } from '../../../ui/notice.tsx';
import type { Payload } from '../../api/route.ts';
import { useMay } from '../../api/session.ts';
import { Fact, Facts } from '../../components/facts.tsx';
import { SidePanel } from '../../components/frame/side-panel.tsx';
import { CodeBlock } from '../../components/json-block.tsx';
import { MigrationFields, migrationName, useMigrationChoice } from '../../components/migration-choice.tsx';
import { ProblemBox } from '../../components/problem-box.tsx';
import { Tag } from '../../components/tag.tsx';
import classes from './advisors.module.css';
import { applyFix, type Finding } from './api.ts';
import { Detail } from './detail.tsx';
import { toneOf } from './level.ts';
import { t } from './text.ts';

export function FindingPanel({ finding, onClose }: { finding: Finding | undefined; onClose: () => void }) {
  // A fixed finding disappears from the list, but the panel still shows it.
  const [shown, setShown] = useState(finding);
  if (shown === undefined && finding !== undefined) setShown(finding);
  return (
    <SidePanel title={shown?.title ?? t('nav.advisors')} onClose={onClose} wide>
      {shown === undefined ? <p>{t('advisors.gone')}</p> : <Body finding={shown} onClose={onClose} />}
    </SidePanel>
  );
}

function Body({ finding, onClose }: { finding: Finding; onClose: () => void }) {
  const isLink = finding.remediation.startsWith('https://');
  return (
    <div className={classes.panel}>
      <p>
        <Detail text={finding.detail} />
      </p>
      <Facts>
        <Fact label={t('advisors.rule')}>
          <span className={classes.ruleName}>
            <code>{finding.name}</code>
            <Tag tone={toneOf(finding.level)}>{t(`advisors.level-${finding.level}`)}</Tag>
          </span>
        </Fact>
        <Fact label={t('advisors.why')}>{finding.description}</Fact>
        {finding.affected_rows === undefined ? null : (
          <Fact label={t('advisors.rows')}>{finding.affected_rows.toLocaleString()}</Fact>
        )}
      </Facts>
      <Places metadata={finding.metadata} />
      <div className={classes.fix}>
        <h3>{t('advisors.fix')}</h3>
        {finding.fix === undefined ? (
          <p>{t('advisors.no-fix', { remediation: isLink ? '' : finding.remediation })}</p>
        ) : (
          <FixForm finding={finding} fix={finding.fix} onClose={onClose} />
        )}
      </div>
      {isLink ? (
        <p>
          <a href={finding.remediation} target="_blank" rel="noreferrer">
            {t('advisors.documentation')}
          </a>
        </p>
      ) : null}
    </div>
  );
}

function Places({ metadata: { type, schema, name } }: { metadata: Finding['metadata'] }) {
  if (type !== 'table' || typeof schema !== 'string' || typeof name !== 'string') return null;
  return (
    <p className={classes.places}>
      <Link to="/tables/$schema/$table" params={{ schema, table: name }} search={{}}>
        {t('advisors.open-table')}
      </Link>
      <Link to="/policies" search={{ filter: name }}>
        {t('advisors.open-policies')}
      </Link>
    </p>
  );
}

function FixForm({
  finding,
  fix,
  onClose,
}: {
  finding: Finding;
  fix: NonNullable<Finding['fix']>;
  onClose: () => void;
}) {
  const mayWrite = useMay('write');
  const queryClient = useQueryClient();
  const migration = useMigrationChoice(
    migrationName('fix', finding.name, String(finding.metadata.name ?? '')),
  );
  const apply = useMutation({
    mutationFn: () =>
      applyFix({
        name: finding.name,
        key: finding.cache_key,
        sql: fix.sql,
        ...migration.body,
      }),
    // The statements can affect all data that was read from the schema, so everything is fetched again.
    onSuccess: () => queryClient.invalidateQueries(),
  });

  function submit(event: FormEvent): void {
    event.preventDefault();
    if (migration.isReady && !apply.isPending) apply.mutate();
  }

  return (
    <>
      <div role="status" className={classes.status}>
        {apply.data === undefined ? null : <Applied result={apply.data} />}
      </div>
      {apply.data === undefined ? (
        <form className={classes.form} onSubmit={submit}>
          <CodeBlock text={fix.sql} what={t('advisors.sql')} />
          <p className={classes.why}>{fix.note}</p>
          {mayWrite ? (
            <>
              <MigrationFields choice={migration} />
              {apply.error === null ? null : <ProblemBox error={apply.error} />}
              <div>
                <Button type="submit" size="sm" loading={apply.isPending} disabled={!migration.isReady}>
                  {t('advisors.apply')}
                </Button>
              </div>
            </>
          ) : (
            <p className={classes.why}>{t('advisors.read-only')}</p>
          )}
        </form>
      ) : (
        <CloseButton onClose={onClose} />
      )}
    </>
  );
}

function Applied({ result: { file, isGone } }: { result: Payload<'POST /advisors/fix'> }) {
  return (
    <Notice tone={isGone ? 'success' : 'warning'}>
      <p>{file === null ? t('advisors.applied') : t('advisors.applied-file', { file })}</p>
      <p>{t(isGone ? 'advisors.applied-gone' : 'advisors.applied-remains')}</p>
    </Notice>
  );
}

/** A close button that receives focus when it appears, because the button that the operator pressed was removed. */
function CloseButton({ onClose }: { onClose: () => void }) {
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => button.current?.focus(), []);
  return (
    <div>
      <Button ref={button} size="sm" onClick={onClose}>
        {t('panel.close')}
      </Button>
    </div>
  );
}
