/** Shows a view with its definition and the objects that it reads and that use it, and refreshes materialized views. */
import { Button, Checkbox } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useMay } from '../../../api/session.ts';
import { Fact, Facts } from '../../../components/facts.tsx';
import { SidePanel } from '../../../components/frame/side-panel.tsx';
import { SkeletonLines } from '../../../components/frame/skeleton.tsx';
import { ProblemBox } from '../../../components/problem-box.tsx';
import { Tag } from '../../../components/tag.tsx';
import { printSize } from '../../storage/sizes.ts';
import { ChangePanel } from '../../tables/schema/change-panel.tsx';
import { DefinitionPanel } from '../definition-panel.tsx';
import { Dependents } from '../dependents.tsx';
import { NewIndexPanel } from '../indexes/new-index.tsx';
import classes from '../parts.module.css';
import { SqlSource } from '../sql-source.tsx';
import { t } from '../text.ts';
import { keysQuery, refreshView, type ViewDetail, type ViewRow, viewQuery } from './api.ts';
import { ViewTags } from './view-tags.tsx';

type Mode = 'view' | 'edit' | 'drop' | 'index';

export function ViewPanel({ view, onClose }: { view: ViewRow; onClose: () => void }) {
  const { data, error } = useQuery(viewQuery(view));
  const [mode, setMode] = useState<Mode>('view');
  const [key, setKey] = useState<string>();
  const back = (): void => setMode('view');
  if (mode === 'edit' && data !== undefined)
    return (
      <DefinitionPanel
        title={t('routines.edit', { name: data.name })}
        object="view"
        text={data.source ?? data.recreation}
        recreation={data.source === null ? null : data.recreation}
        {...(data.source === null ? { note: t('views.recreated') } : {})}
        onClose={back}
        onDone={back}
      />
    );
  if (mode === 'drop' && data !== undefined) return <DropView view={data} onClose={back} onDone={onClose} />;
  if (mode === 'index')
    return (
      <NewIndexPanel
        start={{
          at: { schema: view.schema, table: view.name },
          ...(key === undefined ? {} : { columns: [key] }),
          unique: true,
        }}
        onClose={back}
      />
    );
  return (
    <SidePanel title={`${view.schema}.${view.name}`} onClose={onClose} wide>
      {error === null ? null : <ProblemBox error={error} />}
      {data === undefined ? (
        error === null ? (
          <SkeletonLines lines={10} />
        ) : null
      ) : (
        <Detail
          view={data}
          onMode={setMode}
          onIndex={(column) => {
            setKey(column);
            setMode('index');
          }}
        />
      )}
    </SidePanel>
  );
}

function Detail({
  view,
  onMode,
  onIndex,
}: {
  view: ViewDetail;
  onMode: (mode: Mode) => void;
  onIndex: (column: string | undefined) => void;
}) {
  const mayWrite = useMay('write');
  const isOwn = view.extension === null && view.may_change;
  return (
    <div className={classes.panel}>
      <span className={classes.tags}>
        <ViewTags view={view} />
      </span>
      {view.comment === null ? null : <p>{view.comment}</p>}
      <Facts>
        <Fact label={t('views.rows')}>
          <Link to="/tables/$schema/$table" params={{ schema: view.schema, table: view.name }} search={{}}>
            {t('views.open-rows')}
          </Link>
        </Fact>
        <Fact label={t('routines.owner')}>{view.owner}</Fact>
        <Fact label={t('views.columns')}>
          <span className={classes.code}>{view.columns.map(({ name }) => name).join(', ')}</span>
        </Fact>
        {view.kind === 'view' ? null : <Fact label={t('views.size')}>{printSize(view.size_bytes)}</Fact>}
      </Facts>
      <section className={classes.section} aria-label={t('views.definition')}>
        <h3 className={classes.title}>{t('views.definition')}</h3>
        <SqlSource text={view.source ?? view.recreation} label={t('views.definition')} />
      </section>
      {mayWrite && isOwn ? (
        <div className={classes.tools}>
          <Button size="compact-sm" variant="default" onClick={() => onMode('edit')}>
            {t('database.edit')}
          </Button>
          <Button size="compact-sm" variant="default" onClick={() => onMode('drop')}>
            {t('database.drop')}
          </Button>
        </div>
      ) : null}
      {mayWrite && view.kind === 'materialized view' ? <Refresh view={view} onIndex={onIndex} /> : null}
      <section className={classes.section} aria-label={t('views.grants')}>
        <h3 className={classes.title}>{t('views.grants')}</h3>
        <span className={classes.tags}>
          {view.grants.map(({ role, privileges }) => (
            <Tag key={role} title={privileges.join(', ')}>
              {role === 'public' ? t('routines.everyone') : role}: {privileges.join(', ')}
            </Tag>
          ))}
        </span>
        {view.grants.length === 0 ? <p className={classes.dim}>{t('views.no-grants')}</p> : null}
      </section>
      <section className={classes.section} aria-label={t('views.reads')}>
        <h3 className={classes.title}>{t('views.reads')}</h3>
        {view.reads.length === 0 ? (
          <p className={classes.dim}>{t('views.reads-none')}</p>
        ) : (
          <ul className={classes.items}>
            {view.reads.map(({ schema, name, kind }) => (
              <li key={`${schema}.${name}`} className={classes.item}>
                <span className={classes.kind}>
                  {t(
                    kind === 'view' || kind === 'materialized view' ? `dependent.${kind}` : 'dependent.table',
                  )}
                </span>
                <Link
                  to="/tables/$schema/$table/structure"
                  params={{ schema, table: name }}
                  className={classes.name}
                >
                  {schema}.{name}
                </Link>
              </li>
            ))}
          </ul>
        )}
      </section>
      <section className={classes.section} aria-label={t('dependents.title')}>
        <h3 className={classes.title}>{t('dependents.title')}</h3>
        {view.dependents.length === 0 ? (
          <p className={classes.dim}>{t('dependents.none')}</p>
        ) : (
          <Dependents items={view.dependents} label={t('dependents.title')} />
        )}
      </section>
    </div>
  );
}

function Refresh({ view, onIndex }: { view: ViewDetail; onIndex: (column: string | undefined) => void }) {
  const client = useQueryClient();
  const { can_refresh_concurrently: canConcurrently, populated } = view;
  const [concurrently, setConcurrently] = useState(canConcurrently && populated);
  const refresh = useMutation({
    mutationFn: () =>
      refreshView({ schema: view.schema, name: view.name, concurrently: concurrently && canConcurrently }),
    onSuccess: () => client.invalidateQueries(),
  });
  return (
    <section className={classes.section} aria-label={t('views.refresh')}>
      <h3 className={classes.title}>{t('views.refresh')}</h3>
      <Checkbox
        size="sm"
        label={t('views.concurrently')}
        description={t('views.concurrently-why')}
        checked={concurrently && canConcurrently}
        disabled={!canConcurrently || !populated}
        onChange={(event) => setConcurrently(event.currentTarget.checked)}
      />
      {canConcurrently ? null : <MissingKey view={view} onIndex={onIndex} />}
      <div className={classes.tools}>
        <Button size="compact-sm" loading={refresh.isPending} onClick={() => refresh.mutate()}>
          {t('views.refresh-now')}
        </Button>
      </div>
      <div role="status">
        {refresh.error === null ? null : <ProblemBox error={refresh.error} />}
        {refresh.isSuccess ? <p>{t('views.refreshed')}</p> : null}
      </div>
    </section>
  );
}

/** Offers the unique index that a concurrent refresh needs, on columns whose values are unique now. */
function MissingKey({ view, onIndex }: { view: ViewDetail; onIndex: (column: string | undefined) => void }) {
  const { data: columns } = useQuery({ ...keysQuery(view), enabled: view.populated });
  return (
    <>
      <p className={classes.dim}>{t('views.needs-index')}</p>
      <div className={classes.tools}>
        {(columns ?? []).map((column) => (
          <Button key={column} size="compact-sm" variant="default" onClick={() => onIndex(column)}>
            {t('views.index-on', { column })}
          </Button>
        ))}
        <Button size="compact-sm" variant="default" onClick={() => onIndex(undefined)}>
          {t('views.index-other')}
        </Button>
      </div>
    </>
  );
}

function DropView({
  view: { schema, name, kind, dependents },
  onClose,
  onDone,
}: {
  view: ViewDetail;
  onClose: () => void;
  onDone: () => void;
}) {
  const [cascade, setCascade] = useState(false);
  return (
    <ChangePanel
      title={t('database.drop-title', { name: `${schema}.${name}` })}
      changes={[{ kind: 'drop_view', isMaterialized: kind === 'materialized view', schema, name, cascade }]}
      onClose={onClose}
      onDone={onDone}
    >
      {dependents.length === 0 ? (
        <p>{t('dependents.none')}</p>
      ) : (
        <>
          <p>{t('dependents.dropped', { count: dependents.length })}</p>
          <Dependents items={dependents} label={t('dependents.title')} />
        </>
      )}
      <Checkbox
        size="sm"
        label={t('database.cascade')}
        checked={cascade}
        onChange={(event) => setCascade(event.currentTarget.checked)}
      />
    </ChangePanel>
  );
}
