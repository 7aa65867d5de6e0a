import { NativeSelect } from '@mantine/core';
import { useEffect } from 'react';
import { useLocation } from 'wouter';
import { signOut, verifyFactor } from '../account-api.ts';
import { digitsOf } from '../fields.ts';
import { currentFlow, useFlow } from '../flow.ts';
import { goOn } from '../next.ts';
import { usePageConfig } from '../page-config.ts';
import { CodeField, Form, Submit, TextButton } from '../parts.tsx';
import { needsSecondFactor, useSession, verifiedFactors } from '../session.ts';
import { Shell } from '../shell.tsx';
import { t } from '../text.ts';
import { useSubmit } from '../use-submit.ts';

const codeId = 'code';
/** What authenticator apps show (RFC 6238 as the service uses it). */
const totpLength = 6;

/** The second factor of a session that has only passed the first. */
export function MfaPage() {
  const state = useSession();
  const [, navigate] = useLocation();
  const { search } = useFlow();
  const { brand } = usePageConfig();
  const factors = state.status === 'signed-in' ? verifiedFactors(state.session.user) : [];
  const idle =
    state.status === 'signed-in' &&
    !needsSecondFactor(state.session) &&
    currentFlow().redirectTo === undefined;
  const submit = useSubmit(
    async (field) => {
      const code = digitsOf(field('code'), totpLength);
      if (code.length !== totpLength) {
        return [{ text: t('field.code-missing', { length: totpLength }), fieldId: codeId }];
      }
      await goOn(await verifyFactor(field('factor') || (factors[0]?.id ?? ''), code), navigate);
      return undefined;
    },
    { mfa_verification_failed: codeId },
  );
  useEffect(() => {
    if (state.status === 'signed-out') navigate(`/sign-in${search}`, { replace: true });
    if (idle && !submit.busy) navigate('/security', { replace: true });
  }, [state.status, idle, submit.busy, navigate, search]);
  return (
    <Shell page="page.mfa" lead={t('mfa.intro', { length: totpLength, name: brand.name })}>
      <Form onSubmit={submit.onSubmit} problems={submit.problems}>
        {factors.length > 1 ? (
          <NativeSelect
            name="factor"
            size="md"
            label={t('mfa.device')}
            data={factors.map((factor) => ({
              value: factor.id,
              label: factor.friendly_name || t('mfa.unnamed'),
            }))}
          />
        ) : null}
        <CodeField
          id={codeId}
          length={totpLength}
          error={submit.errorAt(codeId)}
          onComplete={(form) => submit.run(form)}
        />
        <Submit busy={submit.busy}>{t('mfa.submit')}</Submit>
      </Form>
      <TextButton onClick={() => signOut('local')}>{t('mfa.leave')}</TextButton>
    </Shell>
  );
}
