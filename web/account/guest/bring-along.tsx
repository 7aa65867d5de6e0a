import { useState } from 'react';
import { ApiError } from '../../lib/api.ts';
import { useFlow } from '../flow.ts';
import { useSubmit } from '../form/use-submit.ts';
import { Aside, Form, PageButton, Stack, Submit, SubtleButton, TextButton } from '../parts.tsx';
import { Shell } from '../shell.tsx';
import { t } from '../text.ts';
import { handOverGuest, leaveGuestBehind, resumeGuest } from './api.ts';

/** Asks the account's owner whether to move the guest's data to the account. At this point, no data has been moved. */
export function TransferGuest(props: {
  who: string;
  onDone: () => void;
  /** Called if no guest session was set aside, or if the guest was deleted. */
  onNone: () => void;
}) {
  const { who, onDone, onNone } = props;
  const [isStale, setStale] = useState(false);
  const { next } = useFlow();
  const transfer = useSubmit(async () => {
    try {
      await handOverGuest();
      onDone();
    } catch (error) {
      setStale(error instanceof ApiError && error.code === 'sign_in_stale');
      throw error;
    }
    return undefined;
  });
  const leave = useSubmit(async () => {
    await leaveGuestBehind();
    onNone();
    return undefined;
  });
  const back = useSubmit(async () => {
    await resumeGuest();
    return undefined;
  });
  const busy = transfer.busy || leave.busy || back.busy;
  return (
    <Shell page="page.hand-over" intro={t('hand-over.text', { who })}>
      <Form
        onSubmit={transfer.onSubmit}
        problems={[...transfer.problems, ...leave.problems, ...back.problems]}
      >
        {isStale ? (
          <PageButton to="sign-in" query={next === 'upgrade' ? 'again=1' : 'next=upgrade&again=1'}>
            {t('hand-over.fresh')}
          </PageButton>
        ) : (
          <Submit busy={transfer.busy}>{t('hand-over.submit')}</Submit>
        )}
        <Aside>{t('hand-over.leave-hint')}</Aside>
        <SubtleButton disabled={busy} onClick={() => leave.run(undefined)}>
          {t('hand-over.leave')}
        </SubtleButton>
      </Form>
      <Stack>
        <TextButton disabled={busy} onClick={() => back.run(undefined)}>
          {t('hand-over.back')}
        </TextButton>
      </Stack>
    </Shell>
  );
}
