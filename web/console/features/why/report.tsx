/** Shows the result in one sentence, followed by its reasons. */
import { Button } from '@mantine/core';
import { IconCheck, IconFlask, IconMinus, IconPencil, IconPlus, IconX } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Notice } from '../../../ui/notice.tsx';
import { useMay } from '../../api/session.ts';
import { Card } from '../../components/frame/card.tsx';
import { CodeBlock } from '../../components/json-block.tsx';
import { ProblemBox } from '../../components/problem-box.tsx';
import { Tag } from '../../components/tag.tsx';
import { type AccessReport, type EvaluatedPolicy, type Gate, pgTap, type Question } from './api.ts';
import { Part, Place, Value } from './parts.tsx';
import { causesOf, type NearMiss, nearMisses } from './pinpoint.ts';
import classes from './report.module.css';
import { t } from './text.ts';

const route = getRouteApi('/app/why');

const tones = { allowed: 'success', hidden: 'warning', refused: 'danger' } as const;

export function ReportView({ report, question }: { report: AccessReport; question: Question }) {
  const { truth, explanation, gates, needs, through, before, after, agrees } = report;
  return (
    <section className={classes.report} aria-label={t('why.answer')}>
      <div role="status">
        <Notice
          tone={tones[truth.verdict]}
          title={t(`why.${truth.verdict}`, { persona: report.persona, operation: report.operation })}
        >
          <p>{reasonOf(report)}</p>
          {nearMisses(report).map((miss) => (
            <Near key={miss.name} miss={miss} isRestrictive={report.explanation.reason === 'restrictive'} />
          ))}
          {report.unchanged.length === 0 ? null : (
            <p>{t('why.unchanged', { columns: report.unchanged.join(', ') })}</p>
          )}
          {causesOf(report).map(({ from, condition, hidden }) => (
            <p key={`${from}${condition}`}>
              {hidden > 0
                ? t('why.cause-hidden', { from, count: hidden })
                : condition === undefined
                  ? t('why.cause', { from })
                  : t('why.cause-condition', { from, condition })}
            </p>
          ))}
          {agrees ? null : <p>{t('why.disagrees', { explained: t(`why.truth.${explanation.verdict}`) })}</p>}
        </Notice>
      </div>
      <Card title={t('why.truth')}>
        <p>{truth.message ?? t(`why.truth.${truth.verdict}`)}</p>
        {truth.detail === null ? null : <p className={classes.dim}>{truth.detail}</p>}
        {truth.hint === null ? null : <p className={classes.dim}>{truth.hint}</p>}
        {truth.sqlstate === null ? null : <code className={classes.dim}>{truth.sqlstate}</code>}
      </Card>
      {needs.length === 0 ? null : <Needs needs={needs} />}
      {gates.map((gate, index) => (
        <GateCard
          key={`${gate.relation.schema}.${gate.relation.name}-${gate.role}-${gate.clause}-${gate.command}-${gate.row}`}
          gate={gate}
          isBehind={through.length > 0}
          isDecisive={explanation.gate === index}
        />
      ))}
      {through.length === 0 ? null : (
        <Card title={t('why.through')}>
          <ul className={classes.list}>
            {through.map((each, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a view can read a table twice
              <li key={index} style={{ paddingInlineStart: `${each.depth - 1}rem` }}>
                {t('why.through-as', { relation: `${each.schema}.${each.name}`, role: each.role })}{' '}
                <span className={classes.dim}>· {securityOf(each.security, each.role)}</span>
                {each.mayRead ? null : (
                  <Tag tone="danger">{t('why.through-unread', { role: each.role })}</Tag>
                )}
                {each.isEvaluated ? null : <p className={classes.dim}>{t('why.through-unjudged')}</p>}
              </li>
            ))}
          </ul>
        </Card>
      )}
      {before === null && after === null ? null : (
        <Card title={t('why.rows')}>
          <RowTable before={before} after={after} />
        </Card>
      )}
      <Export question={question} />
    </section>
  );
}

/** Names a policy that didn't allow the row, and the conditions on which it failed. */
function Near({ miss, isRestrictive }: { miss: NearMiss; isRestrictive: boolean }) {
  const { name, relation, conditions, more } = miss;
  return (
    <div className={classes.near}>
      <p>
        {t(isRestrictive ? 'why.near-restrictive' : 'why.near')} <strong>{name}</strong>
        {t('why.near-fails', { count: conditions.length + more })}
      </p>
      <ul>
        {conditions.map(({ text, operands }) => (
          <li key={text}>
            <code>{text}</code>
            {operands
              .filter((operand) => operand.text !== text)
              .map(({ text: operand, value }) => (
                <span key={operand} className={classes.operand}>
                  <code>{operand}</code>:{' '}
                  {value === null ? <em>{t('why.null-value')}</em> : <code>{value}</code>}
                </span>
              ))}
          </li>
        ))}
      </ul>
      {more === 0 ? null : <p>{t('why.near-more', { count: more })}</p>}
      <EditPolicy relation={relation} name={name} />
    </div>
  );
}

/** Opens the policy in its editor, above the result. After a change, the result is evaluated again. */
function EditPolicy({ relation, name }: { relation: Gate['relation']; name: string }) {
  return (
    <EditorLink edited={relation} policy={name} label={t('why.edit-of', { policy: name })}>
      <IconPencil size={14} aria-hidden /> {t('why.edit')}
    </EditorLink>
  );
}

function EditorLink({
  edited: { schema, name },
  policy,
  label,
  children,
}: {
  edited: Gate['relation'];
  policy: string | undefined;
  label: string;
  children: ReactNode;
}) {
  const { policy: _, ...question } = route.useSearch();
  return (
    <Link
      to="/why"
      search={{ ...question, edited: `${schema}.${name}`, ...(policy === undefined ? {} : { policy }) }}
      className={classes.policyLink}
      aria-label={label}
    >
      {children}
    </Link>
  );
}

function reasonOf({ explanation, gates, security, role, roleExists }: AccessReport): string {
  if (!roleExists) return t('why.no-role', { role });
  const command = gates[explanation.gate ?? 0]?.command.toUpperCase() ?? '';
  const evaluatedRole = gates[explanation.gate ?? 0]?.role ?? role;
  return t(`why.reason.${explanation.reason}`, {
    security: securityOf(security, role),
    command,
    role: evaluatedRole,
  });
}

const securityOf = (security: AccessReport['security'], role: string): string =>
  t(`why.security.${security}`, { role });

function Needs({ needs }: { needs: AccessReport['needs'] }) {
  return (
    <Card title={t('why.needs')}>
      <ul className={classes.list}>
        {needs.map(({ kind, name, privilege, held, fix }) => (
          <li key={`${kind}${name}${privilege}`}>
            <Mark value={held} />
            <span className={classes.need}>{t('why.need', { privilege, kind, name })}</span>
            <Tag tone={held ? 'success' : 'danger'}>{t(held ? 'why.held' : 'why.lacking')}</Tag>
            {held ? null : <CodeBlock text={fix} what={t('why.fix')} />}
          </li>
        ))}
      </ul>
    </Card>
  );
}

function GateCard({
  gate,
  isBehind,
  isDecisive,
}: {
  gate: Gate;
  /** Whether the policies belong to a table that is read through the requested view. */
  isBehind: boolean;
  isDecisive: boolean;
}) {
  const { clause, command, row, effect, relation, role, policies, passes } = gate;
  const mayWrite = useMay('write');
  const id = clause === 'check' ? 'why.gate.check' : row === 'new' ? 'why.gate.using-new' : 'why.gate.using';
  const title = t(id, { command: command.toUpperCase() });
  return (
    <Card
      title={
        isBehind
          ? t('why.gate.behind', { gate: title, relation: `${relation.schema}.${relation.name}`, role })
          : title
      }
      text={t(`why.effect.${effect}`)}
      tools={
        <Tag tone={passes === true ? 'success' : isDecisive ? 'danger' : 'warning'}>
          {t(passes === true ? 'why.passes' : passes === false ? 'why.fails' : 'why.unknown')}
        </Tag>
      }
    >
      {policies.length === 0 ? <p className={classes.dim}>{t('why.no-policies')}</p> : null}
      {mayWrite && passes !== true ? (
        <EditorLink
          edited={relation}
          policy={undefined}
          label={t('why.new-policy-on', {
            table: `${relation.schema}.${relation.name}`.replace(/^public\./, ''),
          })}
        >
          <IconPlus size={14} aria-hidden /> {t('why.new-policy')}
        </EditorLink>
      ) : null}
      {policies.map((policy) => (
        <Place key={policy.name} value={`${title}, ${policy.name}`}>
          <Policy policy={policy} role={role} relation={relation} />
        </Place>
      ))}
    </Card>
  );
}

function Policy({
  policy,
  role,
  relation,
}: {
  policy: EvaluatedPolicy;
  role: string;
  relation: Gate['relation'];
}) {
  const { name, permissive, roles, applies, value, error, tree, functions } = policy;
  return (
    <div className={classes.policy} data-idle={applies ? undefined : true}>
      <p className={classes.policyHead}>
        {applies ? <Value value={value} error={error} /> : null}
        <strong>{name}</strong>
        <Tag>{t(permissive ? 'why.permissive' : 'why.restrictive')}</Tag>
        <span className={classes.dim}>{t('why.to', { roles: roles.join(', ') })}</span>
        {applies ? null : <Tag tone="warning">{t('why.not-for', { role })}</Tag>}
        <EditPolicy relation={relation} name={name} />
      </p>
      {tree === undefined ? null : (
        <ul className={classes.tree}>
          <Part part={tree} />
        </ul>
      )}
      {functions
        .filter(({ securityDefiner }) => securityDefiner)
        .map((each) => (
          <p key={each.name} className={classes.dim}>
            {t('why.definer', { name: each.name, owner: each.owner })}
          </p>
        ))}
    </div>
  );
}

function Mark({ value }: { value: boolean | null }) {
  const Icon = value === true ? IconCheck : value === false ? IconX : IconMinus;
  return <Icon size={15} aria-hidden className={classes.mark} data-value={String(value)} />;
}

function RowTable({ before, after }: { before: AccessReport['before']; after: AccessReport['after'] }) {
  const names = Object.keys(after ?? before ?? {});
  const show = (row: AccessReport['before'], name: string) => {
    const value = row?.[name];
    if (value === null || value === undefined) return <em>{t('why.null-value')}</em>;
    return <code>{typeof value === 'object' ? JSON.stringify(value) : String(value)}</code>;
  };
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
    <section className={classes.scroll} aria-label={t('why.cells')} tabIndex={0}>
      <table className={classes.table}>
        <thead>
          <tr>
            <th scope="col">{t('why.column')}</th>
            {before === null ? null : <th scope="col">{t('why.before')}</th>}
            {after === null ? null : <th scope="col">{t('why.after')}</th>}
          </tr>
        </thead>
        <tbody>
          {names.map((name) => (
            <tr
              key={name}
              data-changed={
                before !== null &&
                after !== null &&
                JSON.stringify(before[name]) !== JSON.stringify(after[name])
                  ? true
                  : undefined
              }
            >
              <th scope="row">{name}</th>
              {before === null ? null : <td>{show(before, name)}</td>}
              {after === null ? null : <td>{show(after, name)}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Export({ question }: { question: Question }) {
  const { mutate, data, error, isPending } = useMutation({ mutationFn: () => pgTap(question) });
  return (
    <div className={classes.export}>
      {data === undefined ? (
        <Button
          size="compact-sm"
          variant="default"
          loading={isPending}
          leftSection={<IconFlask size={15} aria-hidden />}
          onClick={() => mutate()}
        >
          {t('why.export')}
        </Button>
      ) : (
        <CodeBlock text={data} what={t('why.export-text')} />
      )}
      {error === null ? null : <ProblemBox error={error} />}
    </div>
  );
}
