/** The nodes page, which shows the state and the load of all servers of the project. */
import { IconServer2 } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Notice } from '../../../ui/notice.tsx';
import { homeQuery } from '../../api/queries.ts';
import { AskedNote } from '../../components/asked-nodes.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { PageHead } from '../../components/frame/page.tsx';
import { SkeletonLines } from '../../components/frame/skeleton.tsx';
import list from '../../components/list.module.css';
import { ProblemBox } from '../../components/problem-box.tsx';
import { Tag } from '../../components/tag.tsx';
import { type NodeStatus, nodesQuery } from './api.ts';
import { NodePanel } from './node-panel.tsx';
import classes from './page.module.css';
import { changesText, StateTag, sizeText } from './parts.tsx';
import { t } from './text.ts';

const route = getRouteApi('/app/nodes');

export function NodesPage() {
  const { id } = route.useSearch();
  const navigate = route.useNavigate();
  const { data, error } = useQuery(nodesQuery);
  const open = data?.find((node) => node.id === id);
  return (
    <>
      <PageHead title={t('nodes.title')} />
      <div className={list.scroll}>
        {error === null ? null : <ProblemBox error={error} />}
        {data === undefined ? (
          error === null ? (
            <SkeletonLines lines={6} />
          ) : null
        ) : (
          <>
            <Notes nodes={data} />
            <NodeTable nodes={data} openId={id} />
            {data.length > 1 ? null : <SingleNode />}
          </>
        )}
      </div>
      {id === undefined || data === undefined ? null : (
        <NodePanel node={open} onClose={() => void navigate({ search: {} })} />
      )}
    </>
  );
}

function Notes({ nodes }: { nodes: readonly NodeStatus[] }) {
  const running = nodes.filter(({ state }) => state !== 'gone');
  const asked = {
    answered: running.filter(({ facts }) => facts !== null),
    missing: running.filter(({ facts }) => facts === null),
    others: [],
  };
  return (
    <>
      <AskedNote nodes={asked} />
      <div role="status" className={classes.notes}>
        {running.some(({ isOtherVersion }) => isOtherVersion) ? (
          <Notice tone="warning">
            <p>{t('nodes.versions')}</p>
          </Notice>
        ) : null}
      </div>
    </>
  );
}

function SingleNode() {
  const { data } = useQuery({ ...homeQuery, refetchInterval: false });
  if (data === undefined) return null;
  return (
    <EmptyState
      icon={<IconServer2 size={22} stroke={1.75} />}
      title={t('nodes.one-title')}
      text={t(data.database.embedded ? 'nodes.one-embedded' : 'nodes.one-external')}
    />
  );
}

function NodeTable({ nodes, openId }: { nodes: readonly NodeStatus[]; openId: string | undefined }) {
  const wideNumber = `${list.wide} ${list.number}`;
  return (
    <table className={list.table}>
      <caption className="visually-hidden">{t('nodes.title')}</caption>
      <thead>
        <tr>
          <th scope="col">{t('nodes.node')}</th>
          <th scope="col">{t('nodes.state')}</th>
          <th scope="col" className={list.number}>
            {t('nodes.requests')}
          </th>
          <th scope="col" className={wideNumber}>
            {t('nodes.cpu')}
          </th>
          <th scope="col" className={wideNumber}>
            {t('nodes.memory')}
          </th>
          <th scope="col" className={wideNumber}>
            {t('nodes.connections')}
          </th>
          <th scope="col" className={wideNumber}>
            {t('nodes.database')}
          </th>
          <th scope="col" className={wideNumber}>
            {t('nodes.sockets')}
          </th>
          <th scope="col" className={list.wide}>
            {t('nodes.changes')}
          </th>
        </tr>
      </thead>
      <tbody>
        {nodes.map((node) => (
          <Row key={node.id} node={node} isOpen={node.id === openId} />
        ))}
      </tbody>
    </table>
  );
}

function Row({ node, isOpen }: { node: NodeStatus; isOpen: boolean }) {
  const { id, name, version, state, isSelf, isOtherVersion, facts } = node;
  const wideNumber = `${list.wide} ${list.number} ${classes.figure}`;
  const of = (used: number, all: number): string => t('nodes.of', { used, all });
  return (
    <tr data-open={isOpen || undefined}>
      <td>
        <span className={list.named}>
          <Link to="/nodes" search={{ id }} className={list.main}>
            {name}
          </Link>
          {isSelf ? <Tag tone="info">{t('nodes.self')}</Tag> : null}
          {isOtherVersion ? <Tag tone="warning">{t('nodes.other-version', { version })}</Tag> : null}
        </span>
      </td>
      <td>
        <StateTag state={state} />
      </td>
      <td className={`${list.number} ${classes.figure}`}>{facts?.requestsPerSecond ?? '—'}</td>
      <td className={wideNumber}>{facts === null ? '—' : of(facts.cpuCores, facts.maxCpuCores)}</td>
      <td className={wideNumber}>{facts === null ? '—' : sizeText(facts.memoryBytes)}</td>
      <td className={wideNumber}>
        {facts === null ? '—' : of(facts.connections.open, facts.connections.limit)}
      </td>
      <td className={wideNumber}>{facts === null ? '—' : of(facts.database.open, facts.database.limit)}</td>
      <td className={wideNumber}>{facts?.realtime?.sockets ?? '—'}</td>
      <td className={`${list.wide} ${list.dim}`}>{node.slot === null ? '—' : changesText(node)}</td>
    </tr>
  );
}
