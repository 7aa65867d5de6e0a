import { QueryClientProvider, useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useLocation } from 'wouter';
import { callApi } from '../../lib/api.ts';
import { createQueryClient } from '../../lib/query.ts';
import { ErrorSummary, type Problem } from '../../ui/error-summary.tsx';
import { Notice } from '../../ui/notice.tsx';
import { leaveFor } from '../account-api.ts';
import { WithAddresses } from '../addresses.tsx';
import { AppMark } from '../consent/app-mark.tsx';
import classes from '../consent/consent.module.css';
import { appName, type ConsentRequest, destinationOf, permissionsOf } from '../consent/consent-request.ts';
import { currentFlow, hostOf } from '../flow.ts';
import { problemOf } from '../form/problems.ts';
import { useSubmit } from '../form/use-submit.ts';
import { usePageConfig } from '../page-config.ts';
import { Aside, Form, PageButton, Row, Submit, SubtleButton, TextButton, Waiting } from '../parts.tsx';
import { nameOf, needsSecondFactor, type User, useSession } from '../session.ts';
import { SessionFailed } from '../session-failed.tsx';
import { Shell } from '../shell.tsx';
import { t } from '../text.ts';

const queries = createQueryClient();

/** Shows which app requests access and which permissions the app would get. Sends the user's decision. */
export function ConsentPage() {
  const state = useSession();
  const [, navigate] = useLocation();
  const mustStepUp = state.status === 'signed-in' && needsSecondFactor(state.session);
  useEffect(() => {
    const search = backToConsent(currentFlow().authorizationId);
    if (state.status === 'signed-out') navigate(`/sign-in${search}`, { replace: true });
    if (mustStepUp) navigate(`/mfa${search}`, { replace: true });
  }, [state.status, mustStepUp, navigate]);
  if (state.status === 'signed-in' && !mustStepUp) {
    return (
      <QueryClientProvider client={queries}>
        <Request id={currentFlow().authorizationId} user={state.session.user} />
      </QueryClientProvider>
    );
  }
  return (
    <Shell page="page.consent">
      {state.status === 'failed' ? <SessionFailed error={state.error} /> : <Waiting />}
    </Shell>
  );
}

/** Returns the query for a page that then continues to this page. */
const backToConsent = (id: string | undefined): string =>
  `?${new URLSearchParams({ ...(id === undefined ? {} : { authorization_id: id }), next: 'consent' })}`;

interface Result {
  /** The URL that redirects the user back to the app. Set if the decision has already been made. */
  readonly url?: string;
  readonly request?: ConsentRequest;
}

function Request({ id, user }: { id: string | undefined; user: User }) {
  const opened = useQuery({
    queryKey: ['consent', id, user.id],
    enabled: id !== undefined,
    // The request is fetched only once, because the server can automatically approve a request when it is fetched.
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: () => callApi<Result>(`/account/api/consent?authorization_id=${encodeURIComponent(id ?? '')}`),
  });
  const url = opened.data?.url;
  useEffect(() => {
    if (url !== undefined) void leaveFor(url);
  }, [url]);
  const problem = opened.isError ? problemOf(opened.error) : undefined;
  const mustAddFactor = problem?.code === 'factor_required';
  useEffect(() => {
    // Loaded from the server, because this page's content security policy doesn't allow a captcha.
    if (mustAddFactor) void leaveFor(`/account/two-step${backToConsent(id)}`);
  }, [mustAddFactor, id]);
  if (id === undefined) return <Ended page="page.consent-none" text={t('consent.missing')} />;
  if (url !== undefined)
    return <Shell page="page.consent-leaving" intro={t('consent.leaving', { place: destinationOf(url) })} />;
  const page = endedPage(problem);
  if (problem !== undefined && page !== undefined) return <Ended page={page} text={problem.text} />;
  if (problem !== undefined && !mustAddFactor) {
    return (
      <Shell page="page.consent">
        <ErrorSummary problems={[problem]} />
        <ToAccount />
      </Shell>
    );
  }
  if (opened.data?.request === undefined) {
    return (
      <Shell page="page.consent">
        <Waiting />
      </Shell>
    );
  }
  return <Question id={id} user={user} request={opened.data.request} />;
}

type EndedPage = 'page.consent-none' | 'page.consent-expired' | 'page.consent-answered';

/** Returns the page for an error after which the request can't be approved or denied anymore. */
function endedPage(problem: Problem | undefined): EndedPage | undefined {
  if (problem?.code === 'oauth_authorization_not_found') return 'page.consent-expired';
  return problem?.code === 'consent_answered' ? 'page.consent-answered' : undefined;
}

/** Shown if the user has nothing to approve or deny. The heading gives the reason. */
function Ended({ page, text }: { page: EndedPage; text: string }) {
  return (
    <Shell page={page} intro={text}>
      <ToAccount />
    </Shell>
  );
}

const ToAccount = () => (
  <PageButton isSubtle to="security">
    {t('consent.account')}
  </PageButton>
);

function Question({ id, user, request }: { id: string; user: User; request: ConsentRequest }) {
  const { brand } = usePageConfig();
  const { app } = request;
  const name = appName(app.name);
  const who = nameOf(user);
  // If an app registered itself, its website isn't verified and therefore isn't shown.
  const site = app.vetted ? hostOf(app.uri) : undefined;
  const response = (action: 'approve' | 'deny') => async (): Promise<undefined> => {
    const body = { authorization_id: id, action };
    const { url } = await callApi<{ url: string }>('/account/api/consent', { method: 'POST', body });
    return leaveFor(url);
  };
  const submit = useSubmit(response('approve'));
  const leave = useSubmit(async () => {
    const body = { authorization_id: id };
    await callApi('/account/api/consent/release', { method: 'POST', body });
    const flow = new URLSearchParams({ ...body, next: 'consent' });
    return leaveFor(`/account/accounts?${flow}`);
  });
  const busy = submit.busy || leave.busy;
  const problems = [...submit.problems, ...leave.problems];
  const ended = endedPage(problems[0]);
  if (ended !== undefined) return <Ended page={ended} text={problems[0]?.text ?? ''} />;
  return (
    <Shell page="page.consent">
      <Form onSubmit={submit.onSubmit} problems={problems}>
        <div className={classes.app}>
          <AppMark name={name} logo={app.logo} />
          <div className={classes.asks}>
            <p>{t('consent.asks', { app: name, name: brand.name })}</p>
            {site === undefined ? null : <p className={classes.meta}>{t('consent.site', { host: site })}</p>}
          </div>
        </div>
        {app.vetted ? null : (
          <Notice tone="warning">
            <p>{t('consent.unvetted', { name: brand.name })}</p>
          </Notice>
        )}
        <section aria-labelledby="rights">
          <h2 id="rights" className={classes.gets}>
            {t('consent.gets')}
          </h2>
          <ul className={classes.rights}>
            {permissionsOf(request.scopes, brand.name).map((right) => (
              <li key={right}>{right}</li>
            ))}
          </ul>
        </section>
        <p className={classes.meta}>{t('consent.back', { place: destinationOf(request.redirect_uri) })}</p>
        <Submit busy={submit.busy}>{t('consent.allow')}</Submit>
        <SubtleButton disabled={busy} onClick={() => submit.run(undefined, response('deny'))}>
          {t('consent.deny')}
        </SubtleButton>
        <Row>
          <Aside>
            <WithAddresses text={who === '' ? t('consent.guest') : t('consent.as', { who })} />
          </Aside>
          <TextButton disabled={busy} onClick={() => leave.run(undefined)}>
            {t('consent.other')}
          </TextButton>
        </Row>
      </Form>
    </Shell>
  );
}
