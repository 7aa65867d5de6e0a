/** The page about AI agents, with the settings to connect one and the list of connected agents. */
import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { fetchConsole, useMay } from '../../api/session.ts';
import { CodeTabs } from '../../components/code-tabs.tsx';
import { Confirm } from '../../components/confirm.tsx';
import { Card, Cards } from '../../components/frame/card.tsx';
import { PageHead } from '../../components/frame/page.tsx';
import { SkeletonLines } from '../../components/frame/skeleton.tsx';
import { ownCommand } from '../../components/keyboard/own-command.ts';
import list from '../../components/list.module.css';
import { Moment } from '../../components/moment.tsx';
import { ProblemBox } from '../../components/problem-box.tsx';
import { Tag } from '../../components/tag.tsx';
import { type AgentSummary, agentsQuery } from './api.ts';
import { commandExamples, urlExamples } from './examples.ts';
import { t } from './text.ts';

export function AgentsPage() {
  const [chosen, setChosen] = useState<string>();
  const tabs = { chosen, onChoose: setChosen };
  return (
    <>
      <PageHead title={t('agents.title')} />
      <Cards>
        <Card title={t('agents.url')} text={t('agents.url-why')}>
          <CodeTabs
            {...tabs}
            examples={urlExamples(`${window.location.origin}/mcp`)}
            label={t('agents.url-tabs')}
            what={(name) => t('agents.url-what', { name })}
          />
        </Card>
        <Card title={t('agents.local')} text={t('agents.local-why')}>
          <CodeTabs
            {...tabs}
            examples={commandExamples(ownCommand('mcp'))}
            label={t('agents.local-tabs')}
            what={(name) => t('agents.local-what', { name })}
          />
        </Card>
        <ConnectedCard />
      </Cards>
    </>
  );
}

function ConnectedCard() {
  const queryClient = useQueryClient();
  const { data, error } = useQuery(agentsQuery);
  const isOwner = useMay('own');
  const [leaving, setLeaving] = useState<AgentSummary | undefined>();
  const disconnect = useMutation({
    mutationFn: ({ id }: AgentSummary) => fetchConsole('DELETE /agents/:id', { params: { id } }),
    onSuccess: () => setLeaving(undefined),
    onSettled: () => void queryClient.invalidateQueries({ queryKey: agentsQuery.queryKey }),
  });
  return (
    <>
      <Card title={t('agents.connected')} text={t('agents.connected-why')} flush>
        {error === null ? null : <ProblemBox error={error} />}
        {data === undefined ? (
          error === null ? (
            <SkeletonLines lines={2} />
          ) : null
        ) : data.length === 0 ? (
          <p className={list.none}>{t('agents.none')}</p>
        ) : (
          <Agents agents={data} isOwner={isOwner} onDisconnect={setLeaving} />
        )}
      </Card>
      {leaving === undefined ? null : (
        <Confirm
          title={t('agents.disconnect-title')}
          action={t('agents.disconnect')}
          isBusy={disconnect.isPending}
          error={disconnect.error}
          onConfirm={() => disconnect.mutate(leaving)}
          onClose={() => {
            disconnect.reset();
            setLeaving(undefined);
          }}
        >
          <p>{t('agents.disconnect-text', { name: leaving.name, operator: leaving.operatorName })}</p>
        </Confirm>
      )}
    </>
  );
}

function Agents({
  agents,
  isOwner,
  onDisconnect,
}: {
  agents: readonly AgentSummary[];
  isOwner: boolean;
  onDisconnect: (agent: AgentSummary) => void;
}) {
  return (
    <table className={list.table}>
      <caption className="visually-hidden">{t('agents.connected')}</caption>
      <thead>
        <tr>
          <th scope="col">{t('agents.name')}</th>
          {isOwner ? (
            <th scope="col" className={list.wide}>
              {t('agents.operator')}
            </th>
          ) : null}
          <th scope="col">{t('agents.access')}</th>
          <th scope="col" className={list.wide}>
            {t('agents.created')}
          </th>
          <th scope="col" className={list.wide}>
            {t('agents.expires')}
          </th>
          <th scope="col" className={list.wide}>
            {t('agents.last-used')}
          </th>
          <td aria-hidden />
        </tr>
      </thead>
      <tbody>
        {agents.map((agent) => (
          <tr key={agent.id}>
            <td>
              {agent.name} <span className={list.dim}>{agent.destination}</span>
            </td>
            {isOwner ? <td className={`${list.wide} ${list.dim}`}>{agent.operatorName}</td> : null}
            <td>
              <span className={list.named}>
                <Tag tone="info">{t(`operators.role-${agent.role}`)}</Tag>
                {agent.role === 'read-only' ? null : (
                  <Tag tone={agent.isReadOnly ? 'plain' : 'warning'}>
                    {t(agent.isReadOnly ? 'agents.read-only' : 'agents.changes')}
                  </Tag>
                )}
              </span>
            </td>
            <td className={`${list.wide} ${list.dim}`}>
              <Moment at={agent.createdAt} relative />
            </td>
            <td className={`${list.wide} ${list.dim}`}>
              <Moment at={agent.expiresAt} relative />
            </td>
            <td className={`${list.wide} ${list.dim}`}>
              {agent.lastUsedAt === null ? t('agents.not-used') : <Moment at={agent.lastUsedAt} relative />}
            </td>
            <td className={list.actions}>
              <Button
                variant="default"
                size="compact-xs"
                aria-label={t('agents.disconnect-of', { name: agent.name, operator: agent.operatorName })}
                onClick={() => onDisconnect(agent)}
              >
                {t('agents.disconnect')}
              </Button>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
