/** The Account app, which selects the page for a URL. */
import { type ComponentType, lazy, Suspense } from 'react';
import { Route, Router, Switch, useLocation } from 'wouter';
import { UiProvider } from '../ui/provider.tsx';
import { Boundary } from './boundary.tsx';
import { CodePage } from './pages/code.tsx';
import { ConfirmOtherPage, ConfirmPage, ContinuePage, LinkExpiredPage } from './pages/confirm.tsx';
import { ErrorPage, SignedOutPage } from './pages/ends.tsx';
import { GuestPage } from './pages/guest.tsx';
import { PasswordPage } from './pages/password.tsx';
import { SignInPage } from './pages/sign-in.tsx';
import { SignUpPage } from './pages/sign-up.tsx';
import { Shell, type ShellProps } from './shell.tsx';
import { loadProblems, loadRest } from './texts.ts';

async function members() {
  const [pages] = await Promise.all([import('./pages/members.ts'), loadRest(), loadProblems()]);
  return pages;
}

/** Returns a page whose code is loaded on demand. The page's frame is shown until the code has loaded. */
function late(
  page: ShellProps['page'],
  load: () => Promise<ComponentType>,
  shape: Pick<ShellProps, 'wide'> = {},
): ComponentType {
  const Page = lazy(async () => ({ default: await load() }));
  return () => (
    <Suspense fallback={<Shell page={page} {...shape} isLoading />}>
      <Page />
    </Suspense>
  );
}

const ConsentPage = late('page.consent', async () => (await members()).ConsentPage);
const MfaPage = late('page.mfa', async () => (await members()).MfaPage);
const TwoStepPage = late('page.two-step', async () => (await members()).TwoStepPage);
const NewPasswordPage = late('page.new-password', async () => (await members()).NewPasswordPage);
const JoinPage = late('page.join', async () => (await members()).JoinPage);
const UpgradePage = late('page.upgrade', async () => (await members()).UpgradePage);
const SecurityPage = late('page.security', async () => (await members()).SecurityPage, { wide: true });
const OrganizationPage = late('page.organization', async () => (await members()).OrganizationPage, {
  wide: true,
});
const SsoPage = late('page.sso', async () => (await import('./pages/sso.tsx')).SsoPage);
/**
 * The guest page is small and public, so the initial load contains its code. Only the guest page's messages are loaded
 * later.
 */
const LateGuestPage = late('page.guest', async () => {
  await loadRest();
  return GuestPage;
});

/** Pages by path below `/account`. `error` also handles all unknown paths. */
export const pages: Readonly<Record<string, ComponentType>> = {
  'sign-in': SignInPage,
  password: PasswordPage,
  'sign-up': SignUpPage,
  code: CodePage,
  recover: CodePage,
  sso: SsoPage,
  guest: LateGuestPage,
  upgrade: UpgradePage,
  mfa: MfaPage,
  'two-step': TwoStepPage,
  'new-password': NewPasswordPage,
  join: JoinPage,
  security: SecurityPage,
  organization: OrganizationPage,
  consent: ConsentPage,
  confirm: ConfirmPage,
  'confirm-other': ConfirmOtherPage,
  continue: ContinuePage,
  'link-expired': LinkExpiredPage,
  'signed-out': SignedOutPage,
  error: ErrorPage,
};

/** Returns the path of a page below `/account`, or the pattern of the path. */
export const pathOf = (name: string, organizationId = ':id'): string =>
  name === 'organization' ? `/organizations/${organizationId}` : `/${name}`;

/** Shows the current page. The path is the boundary's key, so an error on one page doesn't affect the next page. */
function Place() {
  const [path] = useLocation();
  return (
    <Boundary key={path}>
      <Switch>
        {Object.entries(pages).map(([name, Page]) => (
          <Route key={name} path={pathOf(name)}>
            <Page />
          </Route>
        ))}
        <Route>
          <ErrorPage />
        </Route>
      </Switch>
    </Boundary>
  );
}

/** `ssrPath` is only set during prerendering. */
export function App({ ssrPath }: { ssrPath?: string }) {
  return (
    <UiProvider>
      <Router base="/account" {...(ssrPath === undefined ? {} : { ssrPath })}>
        <Place />
      </Router>
    </UiProvider>
  );
}
