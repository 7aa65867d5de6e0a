/** Shows all facts about a node in a panel. */
import { Link } from '@tanstack/react-router';
import { Copyable } from '../../../ui/copyable.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { Fact, Facts } from '../../components/facts.tsx';
import { SidePanel } from '../../components/frame/side-panel.tsx';
import { Moment } from '../../components/moment.tsx';
import type { NodeFacts, NodeStatus } from './api.ts';
import classes from './page.module.css';
import { changesText, StateTag, sizeText } from './parts.tsx';
import { t } from './text.ts';

export function NodePanel({ node, onClose }: { node: NodeStatus | undefined; onClose: () => void }) {
  return (
    <SidePanel title={node?.name ?? t('nodes.title')} onClose={onClose}>
      {node === undefined ? <p>{t('nodes.not-found')}</p> : <Details node={node} />}
    </SidePanel>
  );
}

function Details({ node }: { node: NodeStatus }) {
  const { id, version, state, startedAtMs, seenAtMs, facts } = node;
  return (
    <div className={classes.details}>
      <Missing node={node} />
      {facts === null ? null : <Problems facts={facts} />}
      <Facts layout="columns">
        <Fact label={t('nodes.state')}>
          <StateTag state={state} />
        </Fact>
        <Fact label={t('nodes.version')}>{version}</Fact>
        <Fact label={t('nodes.started')}>
          <Moment at={new Date(startedAtMs).toISOString()} relative />
        </Fact>
        <Fact label={t('nodes.seen')}>
          <Moment at={new Date(seenAtMs).toISOString()} relative />
        </Fact>
        {facts === null ? null : <Load node={node} facts={facts} />}
        <Fact label={t('nodes.id')}>
          <Copyable value={id} what={t('nodes.id')} />
        </Fact>
      </Facts>
      <Link to="/logs" search={{ node: id }}>
        {t('nodes.logs')}
      </Link>
    </div>
  );
}

function Missing({ node: { state } }: { node: NodeStatus }) {
  if (state !== 'silent' && state !== 'failed' && state !== 'unsupported' && state !== 'gone') return null;
  return (
    <Notice tone={state === 'gone' ? 'info' : 'danger'}>
      <p>{t(`nodes.missing-${state}`)}</p>
    </Notice>
  );
}

function Problems({ facts: { status, problems, needsRestart, settingsErrors } }: { facts: NodeFacts }) {
  return (
    <>
      {problems.length === 0 ? null : (
        <Notice tone={status === 'failing' ? 'danger' : 'warning'} title={t('nodes.problems')}>
          {problems.map(({ check, message }) => (
            <p key={check} className={classes.problem}>
              <strong>{check}</strong>: {message}
            </p>
          ))}
        </Notice>
      )}
      {settingsErrors === 0 ? null : (
        <Notice tone="danger">
          <p>{t('nodes.settings-errors', { count: settingsErrors })}</p>
        </Notice>
      )}
      {needsRestart.length === 0 ? null : (
        <Notice tone="warning" title={t('nodes.restart')}>
          <p>{t('nodes.restart-text')}</p>
          <ul className={classes.list}>
            {needsRestart.map((key) => (
              <li key={key}>
                <code>{key}</code>
              </li>
            ))}
          </ul>
        </Notice>
      )}
    </>
  );
}

function Load({ node, facts }: { node: NodeStatus; facts: NodeFacts }) {
  const { connections, database, realtime, jobs, workers } = facts;
  return (
    <>
      <Fact label={t('nodes.processes')}>
        {workers === 0 ? t('nodes.one-process') : t('nodes.workers', { count: workers })}
      </Fact>
      <Fact label={t('nodes.requests')}>{facts.requestsPerSecond}</Fact>
      <Fact label={t('nodes.failed')}>{facts.failedPerSecond}</Fact>
      <Fact label={t('nodes.cpu')}>{t('nodes.cores', { used: facts.cpuCores, all: facts.maxCpuCores })}</Fact>
      <Fact label={t('nodes.memory')}>
        {t('nodes.of', { used: sizeText(facts.memoryBytes), all: sizeText(facts.maxMemoryBytes) })}
      </Fact>
      <Fact label={t('nodes.lag')}>{t('nodes.ms', { ms: facts.eventLoopLagMs })}</Fact>
      <Fact label={t('nodes.connections')}>
        {t('nodes.of', { used: connections.open, all: connections.limit })}
      </Fact>
      <Fact label={t('nodes.database')}>{t('nodes.waiting', database)}</Fact>
      <Fact label={t('nodes.realtime')}>
        {realtime === null ? t('nodes.realtime-off') : t('nodes.channels', realtime)}
      </Fact>
      <Fact label={t('nodes.changes')}>{changesText(node)}</Fact>
      {node.slot === null ? null : (
        <Fact label={t('nodes.slot')}>
          <Copyable value={node.slot.name} what={t('nodes.slot')} />
        </Fact>
      )}
      <Fact label={t('nodes.jobs')}>
        {jobs.cron + jobs.requests === 0 ? t('nodes.jobs-none') : t('nodes.jobs-count', jobs)}
      </Fact>
    </>
  );
}
