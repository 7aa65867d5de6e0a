import { useLocation } from 'wouter';
import { currentFlow, hostOf, useFlow } from '../flow.ts';
import { useSubmit } from '../form/use-submit.ts';
import { leave } from '../next.ts';
import { Form, Submit } from '../parts.tsx';
import { Shell, type ShellProps } from '../shell.tsx';
import { t } from '../text.ts';

/** Shows the result, and a button that continues to the app or the account. */
export function Done({ page, text }: { page: ShellProps['page']; text: string }) {
  const [, navigate] = useLocation();
  const host = hostOf(useFlow().redirectTo);
  const submit = useSubmit(async () => {
    const flow = currentFlow();
    if (flow.redirectTo === undefined) navigate('/security');
    else await leave(flow, navigate);
    return undefined;
  });
  return (
    <Shell page={page} intro={text}>
      <Form onSubmit={submit.onSubmit} problems={submit.problems}>
        <Submit busy={submit.busy}>
          {host === undefined ? t('sign-in.continue') : t('sign-in.continue-to', { host })}
        </Submit>
      </Form>
    </Shell>
  );
}
