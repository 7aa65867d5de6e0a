/** The Account face: which page an address shows. */
import { type ComponentType, lazy, Suspense } from 'react';
import { Route, Router, Switch } from 'wouter';
import { UiProvider } from '../ui/provider.tsx';
import { useReady } from './early.ts';
import { CodePage } from './pages/code.tsx';
import { ConfirmOtherPage, ConfirmPage, ContinuePage, LinkExpiredPage } from './pages/confirm.tsx';
import { ErrorPage, SignedOutPage } from './pages/ends.tsx';
import { SignInPage } from './pages/sign-in.tsx';
import { SignUpPage } from './pages/sign-up.tsx';
import { Shell } from './shell.tsx';
import { loadProblems, loadRest } from './texts.ts';

async function members() {
  const [pages] = await Promise.all([import('./pages/members.ts'), loadRest(), loadProblems()]);
  return pages;
}
const LazyConsentPage = lazy(async () => ({ default: (await members()).ConsentPage }));
const LazyMfaPage = lazy(async () => ({ default: (await members()).MfaPage }));
const LazyNewPasswordPage = lazy(async () => ({ default: (await members()).NewPasswordPage }));
const LazySsoPage = lazy(async () => {
  const [{ SsoPage: Page }] = await Promise.all([import('./pages/sso.tsx'), loadRest()]);
  return { default: Page };
});
const LazySecurityPage = lazy(async () => ({ default: (await members()).SecurityPage }));

function ConsentPage() {
  return (
    <Suspense fallback={<Shell page="page.consent" />}>
      <LazyConsentPage />
    </Suspense>
  );
}

function MfaPage() {
  return (
    <Suspense fallback={<Shell page="page.mfa" />}>
      <LazyMfaPage />
    </Suspense>
  );
}

function NewPasswordPage() {
  return (
    <Suspense fallback={<Shell page="page.new-password" />}>
      <LazyNewPasswordPage />
    </Suspense>
  );
}

function SsoPage() {
  return (
    <Suspense fallback={<Shell page="page.sso" />}>
      <LazySsoPage />
    </Suspense>
  );
}

/** Its sections need a session and come later; the frame is there at once. */
function SecurityPage() {
  return (
    <Suspense fallback={<Shell page="page.security" wide />}>
      <LazySecurityPage />
    </Suspense>
  );
}

/** By path below `/account`. `error` also stands for every address that is none. */
export const pages: Readonly<Record<string, ComponentType>> = {
  'sign-in': SignInPage,
  'sign-up': SignUpPage,
  code: CodePage,
  recover: CodePage,
  sso: SsoPage,
  mfa: MfaPage,
  'new-password': NewPasswordPage,
  security: SecurityPage,
  consent: ConsentPage,
  confirm: ConfirmPage,
  'confirm-other': ConfirmOtherPage,
  continue: ContinuePage,
  'link-expired': LinkExpiredPage,
  'signed-out': SignedOutPage,
  error: ErrorPage,
};

/** `ssrPath` only where there is no address bar. */
export function App({ ssrPath }: { ssrPath?: string }) {
  useReady();
  return (
    <UiProvider>
      <Router base="/account" {...(ssrPath === undefined ? {} : { ssrPath })}>
        <Switch>
          {Object.entries(pages).map(([name, Page]) => (
            <Route key={name} path={`/${name}`}>
              <Page />
            </Route>
          ))}
          <Route>
            <ErrorPage />
          </Route>
        </Switch>
      </Router>
    </UiProvider>
  );
}
