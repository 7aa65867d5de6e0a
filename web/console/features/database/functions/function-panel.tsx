/** Shows a function with its source, its grants and the objects that use it. */
import { Button, Checkbox } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useMay } from '../../../api/session.ts';
import { Fact, Facts } from '../../../components/facts.tsx';
import { SidePanel } from '../../../components/frame/side-panel.tsx';
import { SkeletonLines } from '../../../components/frame/skeleton.tsx';
import { ProblemBox } from '../../../components/problem-box.tsx';
import { Tag } from '../../../components/tag.tsx';
import { ChangePanel } from '../../tables/schema/change-panel.tsx';
import { DefinitionPanel } from '../definition-panel.tsx';
import { Dependents } from '../dependents.tsx';
import classes from '../parts.module.css';
import { SqlSource } from '../sql-source.tsx';
import { t } from '../text.ts';
import { type RoutineDetail, routineQuery } from './api.ts';
import { RoutineTags } from './routine-tags.tsx';
import { TryFunction } from './try-function.tsx';

export function FunctionPanel({ signature, onClose }: { signature: string; onClose: () => void }) {
  const { data, error } = useQuery(routineQuery(signature));
  const [mode, setMode] = useState<'view' | 'edit' | 'drop'>('view');
  const back = (): void => setMode('view');
  if (mode === 'edit' && data?.source != null)
    return (
      <DefinitionPanel
        title={t('routines.edit', { name: data.name })}
        object="routine"
        text={data.source}
        recreation={data.recreation}
        onClose={back}
        onDone={back}
      />
    );
  if (mode === 'drop' && data !== undefined)
    return <DropFunction routine={data} onClose={back} onDone={onClose} />;
  return (
    <SidePanel title={data === undefined ? signature : `${data.schema}.${data.name}`} onClose={onClose} wide>
      {error === null ? null : <ProblemBox error={error} />}
      {data === undefined ? (
        error === null ? (
          <SkeletonLines lines={10} />
        ) : null
      ) : (
        <Detail routine={data} onEdit={() => setMode('edit')} onDrop={() => setMode('drop')} />
      )}
    </SidePanel>
  );
}

function Detail({
  routine,
  onEdit,
  onDrop,
}: {
  routine: RoutineDetail;
  onEdit: () => void;
  onDrop: () => void;
}) {
  const mayWrite = useMay('write');
  const isOwn = routine.extension === null && routine.may_change;
  return (
    <div className={classes.panel}>
      <span className={classes.tags}>
        <RoutineTags routine={routine} />
      </span>
      {routine.comment === null ? null : <p>{routine.comment}</p>}
      <Facts>
        <Fact label={t('routines.arguments')}>
          <span className={classes.code}>{routine.arguments === '' ? '—' : routine.arguments}</span>
        </Fact>
        {routine.returns === null ? null : (
          <Fact label={t('routines.returns')}>
            <span className={classes.code}>{routine.returns}</span>
          </Fact>
        )}
        <Fact label={t('routines.language')}>{routine.language}</Fact>
        <Fact label={t('routines.owner')}>{routine.owner}</Fact>
        {routine.settings.length === 0 ? null : (
          <Fact label={t('routines.settings')}>
            <span className={classes.code}>{routine.settings.join(', ')}</span>
          </Fact>
        )}
      </Facts>
      <Source routine={routine} />
      {mayWrite && isOwn ? (
        <div className={classes.tools}>
          {routine.source === null ? null : (
            <Button size="compact-sm" variant="default" onClick={onEdit}>
              {t('database.edit')}
            </Button>
          )}
          {routine.kind === 'window function' ? null : (
            <Button size="compact-sm" variant="default" onClick={onDrop}>
              {t('database.drop')}
            </Button>
          )}
        </div>
      ) : null}
      {mayWrite && routine.can_try ? <TryFunction routine={routine} /> : null}
      <Grants routine={routine} />
      <section className={classes.section} aria-label={t('dependents.title')}>
        <h3 className={classes.title}>{t('dependents.title')}</h3>
        {routine.dependents.length === 0 ? (
          <p className={classes.dim}>{t('dependents.none')}</p>
        ) : (
          <Dependents items={routine.dependents} label={t('dependents.title')} />
        )}
      </section>
      {routine.mentions.length === 0 ? null : (
        <section className={classes.section} aria-label={t('routines.mentions')}>
          <h3 className={classes.title}>{t('routines.mentions')}</h3>
          <p className={classes.dim}>{t('routines.mentions-why')}</p>
          <Dependents items={routine.mentions} label={t('routines.mentions')} />
        </section>
      )}
    </div>
  );
}

function Source({ routine: { source, is_source_hidden } }: { routine: RoutineDetail }) {
  return (
    <section className={classes.section} aria-label={t('routines.source')}>
      <h3 className={classes.title}>{t('routines.source')}</h3>
      {source === null ? (
        <p className={classes.dim}>{t(is_source_hidden ? 'routines.source-hidden' : 'routines.no-source')}</p>
      ) : (
        <SqlSource text={source} label={t('routines.source')} />
      )}
    </section>
  );
}

function Grants({ routine: { grants } }: { routine: RoutineDetail }) {
  return (
    <section className={classes.section} aria-label={t('routines.grants')}>
      <h3 className={classes.title}>{t('routines.grants')}</h3>
      <span className={classes.tags}>
        {grants.map(({ role, grantor, grantable }) => (
          <Tag
            key={`${role} ${grantor}`}
            tone={role === 'public' || role === 'anon' ? 'warning' : 'plain'}
            title={t('routines.granted-by', { role: grantor })}
          >
            {role === 'public' ? t('routines.everyone') : role}
            {grantable ? ` ${t('routines.grantable')}` : ''}
          </Tag>
        ))}
      </span>
      {grants.length === 0 ? <p className={classes.dim}>{t('routines.no-grants')}</p> : null}
    </section>
  );
}

function DropFunction({
  routine: { schema, name, kind, types, dependents },
  onClose,
  onDone,
}: {
  routine: RoutineDetail;
  onClose: () => void;
  onDone: () => void;
}) {
  const [cascade, setCascade] = useState(false);
  const routine = kind === 'window function' ? 'function' : kind;
  return (
    <ChangePanel
      title={t('database.drop-title', { name: `${schema}.${name}` })}
      changes={[{ kind: 'drop_routine', routine, schema, name, types, cascade }]}
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
