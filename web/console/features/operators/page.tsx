/** The operators page, which shows all operators, their sessions, and the second factor of the signed-in operator. */
import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { sessionQuery, useMay } from '../../api/session.ts';
import { Card, Cards } from '../../components/card.tsx';
import { useIntent } from '../../components/intent.ts';
import { PageHead } from '../../components/page.tsx';
import { ProblemBox } from '../../components/problem-box.tsx';
import { SkeletonLines } from '../../components/skeleton.tsx';
import { operatorsQuery } from './api.ts';
import { Invite } from './invite.tsx';
import { OwnFactor } from './own-factor.tsx';
import { OwnPasskeys } from './own-passkeys.tsx';
import { PeopleTable } from './people-table.tsx';
import { SessionsCard } from './sessions-card.tsx';
import { t } from './text.ts';
import { TokensCard } from './tokens-card.tsx';

export function OperatorsPage() {
  const { data, error } = useQuery(operatorsQuery);
  const { data: session } = useQuery(sessionQuery);
  const mayOwn = useMay('own');
  const [isInviting, setInviting] = useState(false);
  useIntent({ 'invite-operator': () => setInviting(true) });
  return (
    <>
      <PageHead title={t('operators.title')}>
        {mayOwn ? (
          <Button
            size="compact-sm"
            leftSection={<IconPlus size={15} aria-hidden />}
            onClick={() => setInviting(true)}
          >
            {t('operators.invite')}
          </Button>
        ) : null}
      </PageHead>
      <Cards>
        <Card title={t('operators.people')} text={t('operators.people-why')} flush>
          {error === null ? null : <ProblemBox error={error} />}
          {data === undefined ? (
            error === null ? (
              <SkeletonLines lines={4} />
            ) : null
          ) : (
            <PeopleTable
              operators={data.operators}
              ownName={session?.operator.name}
              mayOwn={mayOwn}
              canSendMail={data.canSendMail}
            />
          )}
        </Card>
        <OwnFactor required={data?.factorRequired ?? false} />
        <OwnPasskeys />
        <TokensCard isOwner={mayOwn} />
        <SessionsCard isOwner={mayOwn} />
      </Cards>
      {isInviting ? (
        <Invite canSendMail={data?.canSendMail ?? false} onClose={() => setInviting(false)} />
      ) : null}
    </>
  );
}
